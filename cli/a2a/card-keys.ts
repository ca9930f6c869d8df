// Owns keys of cards as a user gives them: JSON Web Keys in files.

import type { CardKey } from '../../profiles/a2a/card/keys.ts';
import { cardKeysIn } from '../../profiles/a2a/card/keys.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import { usageError } from '../kit/exit.ts';
import { parseJson, readFileBytes } from '../kit/input.ts';

/** As JSON Web Keys, one or a set of them in a file. */
export async function readCardKeys(paths: readonly string[]): Promise<readonly CardKey[]> {
  const keys: CardKey[] = [];
  for (const path of paths) {
    const value = parseJson(await readFileBytes(path), path);
    const set = isJsonObject(value) && value['keys'] !== undefined ? value['keys'] : [value];
    const found = cardKeysIn(set);
    if (found.length === 0) {
      throw usageError(`${path} holds no JSON Web Key with a "kid"`, 'ask the owner for its JWKS');
    }
    keys.push(...found);
  }
  return keys;
}
