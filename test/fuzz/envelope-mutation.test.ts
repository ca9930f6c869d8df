// Damaged envelopes: whatever the bytes, the outcome is an envelope or an error of the table.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { writeCbor } from '../../src/codec/cbor/write.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { Path } from '../../src/codec/pointer.ts';
import { toPointer } from '../../src/codec/pointer.ts';
import type { JsonValue } from '../../src/codec/value.ts';
import type { Encoding } from '../../src/envelope/decode.ts';
import { decodeMessage } from '../../src/envelope/decode.ts';
import { encodeMessage, envelopeValue } from '../../src/envelope/encode.ts';
import { checkShape } from '../../src/envelope/shape.ts';
import { ERRORS, SdlError } from '../../src/errors.ts';
import { SchemaRegistry } from '../../src/schema/registry.ts';
import { applyPatch } from '../../src/state/apply-patch.ts';
import { jsonValue } from '../support/wire/arbitraries.ts';
import { taskRequest } from '../support/wire/envelopes.ts';

const registry = new SchemaRegistry();

/** Everything that an unsecured message goes through. Answers the code, or `undefined` when it passed. */
function receive(bytes: Uint8Array, encoding: Encoding): string | undefined {
  try {
    const { ct, payload, schema } = checkShape(decodeMessage(bytes, encoding), registry);
    const check = { ct, payload, descriptor: schema };
    registry.checkOwn(check);
    registry.checkSenders(check);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof SdlError && Object.hasOwn(ERRORS, thrown.code)) return thrown.code;
    throw thrown;
  }
}

type Mutation = (bytes: number[]) => void;

const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const at = (bytes: number[], where: number): number => Math.floor(where * bytes.length);

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(place, fc.integer({ min: 0, max: 255 })).map(([where, byte]): Mutation => (bytes) => {
    bytes[at(bytes, where)] = byte;
  }),
  fc.tuple(place, fc.nat(40)).map(([where, count]): Mutation => (bytes) => {
    bytes.splice(at(bytes, where), count);
  }),
  fc.tuple(place, fc.uint8Array({ maxLength: 12 })).map(([where, extra]): Mutation => (bytes) => {
    bytes.splice(at(bytes, where), 0, ...extra);
  }),
  fc.tuple(place, place, fc.nat(60)).map(([from, to, count]): Mutation => (bytes) => {
    bytes.splice(at(bytes, to), 0, ...bytes.slice(at(bytes, from), at(bytes, from) + count));
  }),
  // Pieces that mean something to a reader reach further than random bytes.
  fc
    .tuple(
      place,
      fc.constantFrom(
        '"',
        '\\',
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '1e999',
        '-0',
        '1.0',
        'null',
        '\\ud800',
        '"__proto__":1,',
        '"$ref":"#",',
        '\u0000',
        '😀',
        '9'.repeat(30),
      ),
    )
    .map(([where, piece]): Mutation => (bytes) => {
      bytes.splice(at(bytes, where), 0, ...new TextEncoder().encode(piece));
    }),
);

/** The JSON pointer of every value inside. */
function pointersOf(value: JsonValue, path: Path = []): string[] {
  const inner =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, child]) => pointersOf(child, [...path, name]))
      : [];
  return [toPointer(path), ...inner];
}

const encoded: Record<Encoding, Uint8Array> = {
  json: encodeMessage(taskRequest(), 'json'),
  cbor: encodeMessage(taskRequest(), 'cbor'),
};

describe('#message #errors damaged envelopes', () => {
  test.each<Encoding>(['json', 'cbor'])('an undamaged one in %s passes', (encoding) => {
    expect(receive(encoded[encoding], encoding)).toBeUndefined();
  });

  test.each<Encoding>(['json', 'cbor'])('never escape the table of errors in %s', (encoding) => {
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
        const bytes = [...encoded[encoding]];
        for (const mutate of mutations) mutate(bytes);
        receive(Uint8Array.from(bytes), encoding);
      }),
      { numRuns: 8_000 },
    );
  });

  test('with a wrong value in any place never escape it, and reach every check', () => {
    const places = pointersOf(envelopeValue(taskRequest()));
    const codes = new Set<string | undefined>();
    fc.assert(
      fc.property(
        fc.constantFrom(...places),
        jsonValue,
        fc.constantFrom<Encoding>('json', 'cbor'),
        (path, value, encoding) => {
          const damaged = applyPatch(envelopeValue(taskRequest()), [
            { op: 'replace', path, value },
          ]);
          const bytes = encoding === 'json' ? writeJson(damaged) : writeCbor(damaged);
          codes.add(receive(bytes, encoding));
        },
      ),
      { numRuns: 8_000 },
    );
    for (const code of [
      'ENVELOPE_INVALID',
      'VERSION_UNSUPPORTED',
      'CT_UNSUPPORTED',
      'SCHEMA_DESCRIPTOR',
      'SCHEMA_HASH',
      'PAYLOAD_INVALID',
      undefined,
    ]) {
      expect(codes).toContain(code);
    }
  });

  test('random bytes never escape it either', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom<Encoding>('json', 'cbor'),
        (bytes, encoding) => {
          expect(receive(bytes, encoding)).toBeTypeOf('string');
        },
      ),
      { numRuns: 5_000 },
    );
  });

  test('an encoding that is not known is refused by name', () => {
    expect(receive(encoded.json, 'xml' as Encoding)).toBe('ENCODING_UNSUPPORTED');
  });
});
