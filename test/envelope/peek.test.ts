import { describe, expect, test } from 'vitest';
import { peekAnswer } from '../../src/envelope/peek.ts';
import { utf8 } from '../support/wire/bytes.ts';
import { encode } from '../support/agents/exchanges.ts';

describe('what an answer says of itself #transport-correlation', () => {
  test.each(['json', 'cbor'] as const)('type, re and span are read from %s', (encoding) => {
    const message = { type: 'evt', re: 'a', trace: { parent_span_id: 's', hops: 1 }, more: [1] };
    expect(peekAnswer(encode(message, encoding), encoding)).toEqual({
      type: 'evt',
      re: 'a',
      parentSpanId: 's',
    });
  });

  test('a member that is not what it should be is absent', () => {
    const message = { type: 'other', re: 1, trace: { parent_span_id: null } };
    expect(peekAnswer(encode(message), 'json')).toEqual({});
    expect(peekAnswer(encode({ trace: 'x' }), 'json')).toEqual({});
    expect(peekAnswer(utf8('{"__proto__":{"re":"a"}}'), 'json')).toEqual({});
  });

  test('bytes that are no message give nothing', () => {
    for (const text of ['', '{', '[]', 'null', '{"re":"a","re":"b"}', '{"re":"\\ud800"}']) {
      expect(peekAnswer(utf8(text), 'json')).toBeUndefined();
    }
    expect(peekAnswer(Uint8Array.of(0xff), 'cbor')).toBeUndefined();
    expect(peekAnswer(encode({ text: 'long' }), 'json', { maxBytes: 5 })).toBeUndefined();
  });
});
