// Owns the command `swp encode`: frames from objects as `swp decode` prints them.

import type { SwpFrameInput } from '../../profiles/swp/index.ts';
import { encodeFrame } from '../../profiles/swp/index.ts';
import type { Action } from '../kit/command.ts';
import { EXIT, failure } from '../kit/exit.ts';
import { STDIN, decodeText, readBytes } from '../kit/input.ts';

export const swpEncodeCommand: Action = {
  name: 'encode',
  summary: 'make SWP frames from objects as "swp decode" prints them',
  parameters: [
    { name: 'FILE|-', isOptional: true, description: 'one object a line (default: stdin)' },
  ],
  notes: [
    'Writes the octets of the frames to stdout. The payload of an envelope counts more than a message. What is\n' +
      'well formed is written as it is told, so that a receiver can be shown what is wrong, too.',
  ],
  examples: ['a2a-sdl swp encode frames.jsonl', 'a2a-sdl swp encode - < frames.jsonl'],
  async run({ words: [path = STDIN], terminal }) {
    const lines = decodeText(await readBytes(path, terminal)).split('\n');
    // All of them first: half of a stream is of no use.
    const frames = lines.flatMap((line, at) => (line.trim() === '' ? [] : [frameOf(line, at + 1)]));
    for (const frame of frames) terminal.rawBytes(frame);
    return EXIT.ok;
  },
};

function frameOf(line: string, number: number): Uint8Array {
  try {
    return encodeFrame(JSON.parse(line) as SwpFrameInput);
  } catch (thrown) {
    throw failure(`line ${number} is no frame: ${(thrown as Error).message}`, {
      code: 'FRAME_INVALID',
      next: 'see how "a2a-sdl swp decode FILE --json" writes one',
      cause: thrown,
    });
  }
}
