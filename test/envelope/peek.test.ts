import { describe, expect, test } from 'vitest';
import type { Encoding } from '../../src/envelope/decode.ts';
import { DecodedMessage } from '../../src/envelope/decoded.ts';
import { peekAnswer } from '../../src/envelope/peek.ts';
import { DEFAULT_LIMITS, resolveLimits } from '../../src/limits.ts';
import { utf8 } from '../support/wire/bytes.ts';
import { encode } from '../support/agents/exchanges.ts';

/** Without what goes on with the answer. */
function headOf(bytes: Uint8Array, encoding: Encoding): object | undefined {
  const { decoded: _read, ...head } = peekAnswer(bytes, encoding)!;
  return head;
}

describe('what an answer says of itself #transport-correlation', () => {
  test.each(['json', 'cbor'] as const)('type, re and span are read from %s', (encoding) => {
    const message = { type: 'evt', re: 'a', trace: { parent_span_id: 's', hops: 1 }, more: [1] };
    expect(headOf(encode(message, encoding), encoding)).toEqual({
      type: 'evt',
      re: 'a',
      parentSpanId: 's',
    });
  });

  test('a member that is not what it should be is absent', () => {
    const message = { type: 'other', re: 1, trace: { parent_span_id: null } };
    expect(headOf(encode(message), 'json')).toEqual({});
    expect(headOf(encode({ trace: 'x' }), 'json')).toEqual({});
    expect(headOf(utf8('{"__proto__":{"re":"a"}}'), 'json')).toEqual({});
  });

  test('bytes that are no message give nothing', () => {
    for (const text of ['', '{', '[]', 'null', '{"re":"a","re":"b"}', '{"re":"\\ud800"}']) {
      expect(peekAnswer(utf8(text), 'json')).toBeUndefined();
    }
    expect(peekAnswer(Uint8Array.of(0xff), 'cbor')).toBeUndefined();
    expect(peekAnswer(encode({ text: 'long' }), 'json', { maxBytes: 5 })).toBeUndefined();
  });
});

describe('#transport-correlation what was read of an answer', () => {
  const bytes = encode({ re: 'a' });
  const { decoded } = peekAnswer(bytes, 'json')!;

  test('goes on with its own bytes, encoding and limits', () => {
    expect(DecodedMessage.valueOf(decoded, bytes, 'json', DEFAULT_LIMITS)).toEqual({ re: 'a' });
  });

  test('is of no use for any others, nor can anybody make one up', () => {
    const limits = resolveLimits({ maxDepth: 1 });
    const made = { value: { re: 'b' } } as unknown as DecodedMessage;
    expect(DecodedMessage.valueOf(decoded, bytes.slice(), 'json', DEFAULT_LIMITS)).toBeUndefined();
    expect(DecodedMessage.valueOf(decoded, bytes, 'cbor', DEFAULT_LIMITS)).toBeUndefined();
    expect(DecodedMessage.valueOf(decoded, bytes, 'json', limits)).toBeUndefined();
    expect(DecodedMessage.valueOf(made, bytes, 'json', DEFAULT_LIMITS)).toBeUndefined();
    expect(DecodedMessage.valueOf(undefined, bytes, 'json', DEFAULT_LIMITS)).toBeUndefined();
  });
});
