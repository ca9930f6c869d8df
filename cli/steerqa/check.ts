// Owns the command `steerqa check`: does a message fit what it says it is?

import { checkMessage } from '../../profiles/steerqa/index.ts';
import type { JsonValue } from '../../src/codec/index.ts';
import { readJson } from '../../src/codec/index.ts';
import { SdlError } from '../../src/errors.ts';
import type { Action } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { readBytes } from '../kit/input.ts';

export const steerqaCheckCommand: Action = {
  name: 'check',
  summary: 'say whether a message fits its schema',
  parameters: [{ name: 'FILE', description: 'the message; - reads it from stdin' }],
  options: {
    strict: {
      type: 'boolean',
      description: 'results and errors need all eight fields of the envelope',
    },
  },
  notes: ['It prints {"ok","kind"} and exits with 1 for a message that does not fit.'],
  examples: ['a2a-sdl steerqa check offer.json', 'a2a-sdl steerqa check --strict result.json'],
  async run({ words, options, terminal }) {
    const value = parsed(await readBytes(words[0]!, terminal));
    const { kind, misfit } =
      value === undefined
        ? { misfit: { path: '', words: 'the message is no JSON without duplicate members' } }
        : { kind: undefined, ...checkMessage(value, options.flag('strict')) };
    terminal.json({
      ok: misfit === undefined,
      ...(kind !== undefined && { kind }),
      ...(misfit !== undefined && { path: misfit.path, reason: misfit.words }),
    });
    return misfit === undefined ? EXIT.ok : EXIT.failed;
  },
};

/** `undefined` for what is no JSON. */
export function parsed(bytes: Uint8Array): JsonValue | undefined {
  try {
    return readJson(bytes);
  } catch (thrown) {
    if (thrown instanceof SdlError) return undefined;
    throw thrown;
  }
}
