// Owns the command `swp decode`: what a receiver makes of each frame of a recording.

import type { DecodeOptions, SwpFrameForm } from '../../profiles/swp/index.ts';
import { decodeStream } from '../../profiles/swp/index.ts';
import type { JsonObject } from '../../src/codec/index.ts';
import type { Action, CommandOption } from '../kit/command.ts';
import { EXIT, usageError } from '../kit/exit.ts';
import { readBytes } from '../kit/input.ts';
import type { OptionValues } from '../kit/option-values.ts';
import type { Terminal } from '../kit/terminal.ts';

const MAX_BYTES = 0xffff_ffff;
const MAX_PROFILES = 10_000;

const text = (value: string, description: string): CommandOption => ({
  type: 'string',
  value,
  description,
});

export const swpDecodeCommand: Action = {
  name: 'decode',
  summary: 'read SWP frames, and say what is wrong with them',
  parameters: [{ name: 'FILE|-', description: 'the octets of one direction of a connection' }],
  options: {
    'max-frame-bytes': text('N', 'the largest frame (default 8388608)'),
    'max-payload-bytes': text('N', 'the largest payload (default 8388608)'),
    'max-ext-bytes': text('N', 'the largest block of extensions (default 4096)'),
    'require-ts': {
      type: 'boolean',
      description: 'refuse a frame without a time, and judge times',
    },
    'skew-ms': text(
      'N',
      'refuse times further from now (default: not judged, 300000 with --require-ts)',
    ),
    'now-ms': text('N', 'milliseconds since 1970 to judge times by (default: the clock)'),
    profiles: text('LIST', 'numbers of the known profiles (default 1,2,10-19)'),
  },
  notes: [
    'With --json one object a frame: numbers are decimal texts, octets hexadecimal digits. It ends with a frame\n' +
      'that would close the connection. The exit code is 1 when a frame is refused.',
  ],
  examples: ['a2a-sdl swp decode frames.bin --json', 'a2a-sdl swp decode - --profiles 2 --json'],
  async run({ words, options, terminal }) {
    const bytes = await readBytes(words[0]!, terminal);
    const frames = decodeStream(bytes, decodeOptions(options));
    for (const [at, frame] of frames.entries()) {
      terminal.result(frame as unknown as JsonObject, () => printFrame(frame, at + 1, terminal));
    }
    return frames.some(({ outcome }) => outcome === 'reject') ? EXIT.failed : EXIT.ok;
  },
};

function decodeOptions(options: OptionValues): DecodeOptions {
  const maxFrameBytes = options.integer('max-frame-bytes', 1, MAX_BYTES);
  const maxPayloadBytes = options.integer('max-payload-bytes', 0, MAX_BYTES);
  const maxExtBytes = options.integer('max-ext-bytes', 0, MAX_BYTES);
  const [skewMs, nowMs] = [longIn(options, 'skew-ms'), longIn(options, 'now-ms')];
  const list = options.text('profiles');
  return {
    ...(maxFrameBytes !== undefined && { maxFrameBytes }),
    ...(maxPayloadBytes !== undefined && { maxPayloadBytes }),
    ...(maxExtBytes !== undefined && { maxExtBytes }),
    ...(skewMs !== undefined && { skewMs }),
    ...(nowMs !== undefined && { nowMs }),
    ...(list !== undefined && { profiles: profilesIn(list) }),
    requireTs: options.flag('require-ts'),
  };
}

/** Times on the wire have 64 bits. */
function longIn(options: OptionValues, name: string): bigint | undefined {
  const value = options.text(name);
  if (value === undefined) return undefined;
  if (/^\d{1,20}$/.test(value)) return BigInt(value);
  throw usageError(`--${name} expects a whole number of milliseconds`);
}

/** `1,2,10-19`. */
function profilesIn(list: string): bigint[] {
  const profiles = list.split(',').flatMap((word) => {
    const match = /^\s*(\d{1,20})(?:\s*[-–]\s*(\d{1,20}))?\s*$/u.exec(word);
    const [first, last] = [BigInt(match?.[1] ?? -1), BigInt(match?.[2] ?? match?.[1] ?? -1)];
    if (match === null || last < first || last - first >= MAX_PROFILES) {
      throw usageError('--profiles expects numbers with commas between, such as 1,2,10-19');
    }
    return Array.from({ length: Number(last - first) + 1 }, (_, at) => first + BigInt(at));
  });
  return profiles;
}

function printFrame(frame: SwpFrameForm, number: number, terminal: Terminal): void {
  const { outcome, code, detail, envelope, message } = frame;
  const verdict = terminal.style(outcome === 'accept' ? 'green' : 'red', outcome);
  const profile = envelope && `profile ${envelope.profile_id}, msg_type ${envelope.msg_type}`;
  const said = message && JSON.stringify(message);
  terminal.print(
    [`frame ${number}:`, verdict, code, detail, profile, said].filter(Boolean).join(' '),
  );
}
