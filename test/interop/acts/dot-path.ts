// Owns paths such as `task.artifacts[*].parts[0]`, and the conditions of steps that are repeated.

import type { JsonValue } from '../../../src/codec/value.ts';
import { isJsonObject } from '../../../src/codec/value.ts';

const NAME = /^([^[\].]+)((?:\[(?:\d+|\*)\])*)$/;

/** All that stands there. */
export function findAll(root: JsonValue | undefined, path: string): readonly JsonValue[] {
  return path
    .split('.')
    .reduce<readonly JsonValue[]>(
      (found, name) => found.flatMap((value) => step(value, name, path)),
      root === undefined ? [] : [root],
    );
}

/** @returns `undefined` where nothing stands. */
export function find(root: JsonValue | undefined, path: string): JsonValue | undefined {
  if (path.includes('*')) throw new Error(`"${path}" has more than one place`);
  return findAll(root, path)[0];
}

function step(value: JsonValue, text: string, path: string): readonly JsonValue[] {
  const [, name, indexes = ''] = NAME.exec(text) ?? [];
  if (name === undefined) throw new Error(`"${path}" is no path`);
  const member = isJsonObject(value) && Object.hasOwn(value, name) ? [value[name]!] : [];
  return [...indexes.matchAll(/\[(\d+|\*)\]/g)].reduce<readonly JsonValue[]>(
    (found, [, at]) =>
      found.flatMap((list) => {
        if (!Array.isArray(list)) return [];
        const items = list as readonly JsonValue[];
        return at === '*' ? items : items.slice(Number(at), Number(at) + 1);
      }),
    member,
  );
}

const UNTIL = /^(\S+) (==|!=|in) (?:\[([^\]]+)\]|([^\s[\]]+))$/;

/** `path == word`, `path != word` or `path in [word, word]`. */
export function isTrue(condition: string, root: JsonValue | undefined): boolean {
  const [, path, operator, list, word] = UNTIL.exec(condition) ?? [];
  if (path === undefined || (operator === 'in') !== (list !== undefined)) {
    throw new Error(`"${condition}" is no condition`);
  }
  const words = (list ?? word!).split(',').map((one) => one.trim());
  const isThere = words.some((one) => one === find(root, path));
  return operator === '!=' ? !isThere : isThere;
}
