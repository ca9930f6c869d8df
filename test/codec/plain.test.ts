// The fast path of the JSON reader must never be told apart from the strict reader.

import { isDeepStrictEqual } from 'node:util';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { readPlainJson } from '../../src/codec/json/plain.ts';
import { readJson } from '../../src/codec/json/read.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import { SdlError } from '../../src/errors.ts';
import { DEFAULT_LIMITS, resolveLimits } from '../../src/limits.ts';
import { jsonValue } from '../support/wire/arbitraries.ts';
import { textOf, utf8 } from '../support/wire/bytes.ts';

/** `-0` is never plain, so the document beside it is read strictly. */
function readStrictly(text: string, limits = DEFAULT_LIMITS): unknown {
  return (readJson(utf8(`[-0,${text}]`), limits) as unknown[])[1];
}

function outcome(run: () => unknown): unknown {
  try {
    return { value: run() };
  } catch (thrown) {
    if (thrown instanceof SdlError) return { code: thrown.code };
    throw thrown;
  }
}

const generous = resolveLimits({ maxDepth: 65 });

describe('#json the fast path', () => {
  test('is taken for an ordinary document', () => {
    const bytes = utf8('{"a":[1,-2,0.5,"x\\n",true,null],"b":{"__proto__":{}}}');
    expect(readPlainJson(bytes, DEFAULT_LIMITS)?.value).toEqual(readJson(bytes));
  });

  test.each([
    '[1.0]',
    '[-0]',
    '[1e2]',
    '[9007199254740993]',
    '["\\ud83d\\ude00"]',
    '{"a":1,"a":2}',
    '[0.0000001]',
    '[',
  ])('is not taken for %s', (text) => {
    expect(readPlainJson(utf8(text), DEFAULT_LIMITS)).toBeUndefined();
  });

  test('agrees with the strict reader on every value', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const text = textOf(writeJson(value));
        const plain = readPlainJson(utf8(text), DEFAULT_LIMITS);
        // Unlike toStrictEqual, this takes a member named `constructor` for data.
        if (plain) expect(isDeepStrictEqual(plain.value, readStrictly(text))).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  test('agrees with the strict reader on text that is nearly JSON', () => {
    const piece = fc.constantFrom(
      ...'{ } [ ] , : " "a" "b" "\\u0061" "\\ \\u d800 0 1 - . e 12345678901234567 0.1 1.50 -0 true null x 😀'.split(
        ' ',
      ),
      ' ',
      '\n',
      '\u0001',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join('');
        const direct = outcome(() => readJson(utf8(text)));
        const nested = outcome(() => readStrictly(text, generous));
        // Inside the brackets a text such as `1,2` is two elements: only documents compare.
        if ('value' in (direct as object)) expect(isDeepStrictEqual(nested, direct)).toBe(true);
        else expect(direct).toHaveProperty('code');
      }),
      { numRuns: 20_000 },
    );
  });

  test('cuts out the marked member exactly, and only at the top', () => {
    const marked = (text: string): string | undefined => {
      const bytes = readPlainJson(utf8(text), DEFAULT_LIMITS, utf8('schema'))?.marked;
      return bytes && textOf(bytes);
    };
    expect(marked('{"a":{"schema":{}},"schema":{"x":[{"é":"}"}]},"b":{}}')).toBe(
      '{"x":[{"é":"}"}]}',
    );
    expect(marked('{"a":["schema"],"schema":"x"}')).toBeUndefined();
    expect(marked('{"schema": {}}')).toBeUndefined();
    expect(marked('{"schemas":{}}')).toBeUndefined();
    expect(marked('[{"schema":{}}]')).toBeUndefined();
  });
});
