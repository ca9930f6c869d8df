// Owns keys of cards as a user gives them: JSON Web Keys in files.

import type { CardKey } from '../../profiles/a2a/card/keys.ts';
import { cardKeysIn } from '../../profiles/a2a/card/keys.ts';
import type { JsonValue } from '../../src/codec/index.ts';
import { isJsonArray, isJsonObject } from '../../src/codec/index.ts';
import { usageError } from '../kit/exit.ts';
import { parseJson, readFileBytes } from '../kit/input.ts';
import { thumbprintOf } from './thumbprint.ts';

/** A key without a name is called by its thumbprint, as keys are that nobody has named. */
function named(key: JsonValue): JsonValue {
  if (!isJsonObject(key) || key['kid'] !== undefined) return key;
  const [found] = cardKeysIn([{ ...key, kid: '' }]);
  return found === undefined ? key : { ...key, kid: thumbprintOf(found) };
}

/** As JSON Web Keys, one or a set of them in a file. */
export async function readCardKeys(paths: readonly string[]): Promise<readonly CardKey[]> {
  const keys: CardKey[] = [];
  for (const path of paths) {
    const value = parseJson(await readFileBytes(path), path);
    const set = isJsonObject(value) && value['keys'] !== undefined ? value['keys'] : [value];
    const found = cardKeysIn(isJsonArray(set) ? set.map(named) : set);
    if (found.length === 0) {
      throw usageError(`${path} holds no JSON Web Key`, 'ask the owner for its JWKS');
    }
    keys.push(...found);
  }
  return keys;
}
