// Owns what the user says about official A2A: on the command line, or under `a2a` in the file of `--config`.

import type { JsonObject } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import type { A2aOptions } from '../../profiles/a2a/index.ts';
import { usageError } from '../kit/exit.ts';
import type { OptionValues } from '../kit/option-values.ts';

export type A2aSettings = Required<Pick<A2aOptions, 'profile' | 'card'>>;

/** `undefined` when it is not spoken. */
export function a2aSettings(options: OptionValues, file: JsonObject): A2aSettings | undefined {
  const isOff = options.flag('no-a2a');
  const profile = options.oneOf('a2a-profile', ['1.0.0', '1.0.1'] as const);
  const card = options.oneOf('a2a-card', ['strict', 'superset'] as const);
  if (isOff && (profile !== undefined || card !== undefined)) {
    throw usageError('--no-a2a leaves nothing for --a2a-profile and --a2a-card to say');
  }
  if (isOff || (file['a2a'] === false && profile === undefined && card === undefined)) {
    return undefined;
  }
  const said = (isJsonObject(file['a2a']) ? file['a2a'] : {}) as Partial<A2aSettings>;
  return {
    profile: profile ?? said.profile ?? '1.0.1',
    card: card ?? said.card ?? 'superset',
  };
}
