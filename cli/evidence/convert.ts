// Owns the command `evidence convert`: one packet in, its event and digests out. SPEC.md section 17 (#assay-convert).

import type { Converted, ConvertOptions } from '../../profiles/assay/index.ts';
import { ConvertError, convert, refusalText } from '../../profiles/assay/index.ts';
import type { Action, CommandContext, CommandOption } from '../kit/command.ts';
import { CliError, EXIT, INPUT_TOO_LARGE, usageError } from '../kit/exit.ts';
import { readBytes } from '../kit/input.ts';
import type { OptionValues } from '../kit/option-values.ts';
import { NOT_AUDIT } from './not-audit.ts';

const text = (value: string, description: string): CommandOption => ({
  type: 'string',
  value,
  description,
});

export const evidenceConvertCommand: Action = {
  name: 'convert',
  summary: 'convert one packet to an event, with its digests',
  parameters: [{ name: 'FILE', description: 'the packet (JSON), or - for stdin' }],
  options: {
    strict: { type: 'boolean', description: 'refuse what has to be filled in (default)' },
    lenient: { type: 'boolean', description: 'fill in what is missing, and count it' },
    'max-bytes': text('N', 'refuse a larger packet (default 16777216)'),
    'max-depth': text('N', 'refuse a deeper one; the root counts 1 (default: 127 containers)'),
    'max-array': text('N', 'refuse a longer array (default: any length)'),
    'media-type': text('TYPE', 'of the packet (default application/json)'),
    'protocol-version': text('VERSION', 'of a packet that does not say it'),
    'adapter-version': text('VERSION', 'written into the event (default: that of this program)'),
  },
  notes: [
    'With --json it prints one line: {"batch":…,"content_hash":…,"digests":…,"ok":true}, or\n' +
      '{"error":{"kind":…,"message":…},"ok":false} and exit code 1. The same packet always gives the same line.',
    NOT_AUDIT,
  ],
  examples: [
    'a2a-sdl evidence convert packet.json --strict --json',
    'a2a-sdl evidence convert - --lenient',
  ],
  async run(context) {
    const { terminal, options, words } = context;
    const how = readOptions(options);
    try {
      const converted = convert(await readPacket(context, words[0]!, how.maxPayloadBytes), how);
      if (terminal.isJson) terminal.raw(`${converted.text}\n`);
      else show(converted, context);
      return EXIT.ok;
    } catch (thrown) {
      if (!(thrown instanceof ConvertError)) throw thrown;
      if (thrown.kind === 'config') throw usageError(thrown.message);
      if (terminal.isJson) terminal.raw(`${refusalText(thrown)}\n`);
      else terminal.note(`${terminal.style('red', thrown.kind)}: ${thrown.message}`);
      return EXIT.failed;
    }
  },
};

function readOptions(options: OptionValues): ConvertOptions {
  if (options.flag('strict') && options.flag('lenient')) {
    throw usageError('--strict and --lenient exclude each other');
  }
  const [maxPayloadBytes, maxJsonDepth, maxArrayLength] = [
    options.integer('max-bytes', 0),
    options.integer('max-depth', 0),
    options.integer('max-array', 0),
  ];
  const [mediaType, protocolVersion, adapterVersion] = [
    options.text('media-type'),
    options.text('protocol-version'),
    options.text('adapter-version'),
  ];
  return {
    mode: options.flag('lenient') ? 'lenient' : 'strict',
    ...(maxPayloadBytes !== undefined && { maxPayloadBytes }),
    ...(maxJsonDepth !== undefined && { maxJsonDepth }),
    ...(maxArrayLength !== undefined && { maxArrayLength }),
    ...(mediaType !== undefined && { mediaType }),
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(adapterVersion !== undefined && { adapterVersion }),
  };
}

/** What is too large is not read to find that out. */
async function readPacket(
  { terminal }: CommandContext,
  path: string,
  maxBytes: number | undefined,
): Promise<Uint8Array> {
  try {
    return await readBytes(path, terminal, maxBytes);
  } catch (thrown) {
    if (!(thrown instanceof CliError && thrown.code === INPUT_TOO_LARGE)) throw thrown;
    const words =
      maxBytes === undefined
        ? `${thrown.message}: --max-bytes allows more`
        : `the packet is beyond max_payload_bytes (${maxBytes})`;
    throw new ConvertError('measurement', words, thrown);
  }
}

/** Of an event, what people are shown. */
interface ShownEvent {
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly data: { readonly handoff: { readonly visible: boolean } };
}

function show({ batch, digests, contentHash }: Converted, { terminal }: CommandContext): void {
  const { lossiness_level: level, unmapped_fields_count: count, notes } = batch.lossiness;
  const { type, subject, time, data } = batch.events[0] as unknown as ShownEvent;
  terminal.table([
    ['type', type],
    ['subject', subject],
    ['time', time],
    ['handoff visible', String(data.handoff.visible)],
    ['lossiness', `${level} (${count})`],
    ...notes.map((note) => ['note', note]),
    ['content hash', contentHash],
    ['digest of data', digests.data],
    ['digest of discovery', digests.discovery],
    ['digest of handoff', digests.handoff],
  ]);
}
