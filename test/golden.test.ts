// Envelopes made by the Python reference: the unsecured cases in both encodings, and every descriptor.

import { describe, expect, test } from 'vitest';

import { writePythonJson } from '../src/codec/canonical-python.ts';
import { writeCbor } from '../src/codec/cbor-write.ts';
import { writeJson } from '../src/codec/json-write.ts';
import type { JsonObject } from '../src/codec/value.ts';
import { decodeMessage } from '../src/envelope/decode.ts';
import { checkShape } from '../src/envelope/shape.ts';
import type { Envelope } from '../src/envelope/types.ts';
import { contentHash } from '../src/schema/content-hash.ts';
import { SchemaRegistry } from '../src/schema/registry.ts';
import { textOf, utf8 } from './support/bytes.ts';
import { hasVectors, vectorJson } from './support/vectors.ts';

interface GoldenCase {
  readonly name: string;
  readonly wire: { encoding: 'json'; text: string } | { encoding: 'cbor'; b64: string };
  readonly payload_canonical: string | null;
}

const cases = hasVectors ? vectorJson<{ cases: GoldenCase[] }>('a2a-sdl/golden.json').cases : [];
const unsecured = cases.filter(({ name }) => name.startsWith('none'));
const registry = new SchemaRegistry();

function bytesOf({ wire }: GoldenCase): Uint8Array {
  if (wire.encoding === 'json') return utf8(wire.text);
  return new Uint8Array(Buffer.from(wire.b64, 'base64'));
}

function open(golden: GoldenCase): { envelope: Envelope; descriptorText: string | undefined } {
  const { value, descriptorText } = decodeMessage(bytesOf(golden), golden.wire.encoding);
  const envelope = checkShape(value, { contentTypes: registry.contentTypes });
  return { envelope, descriptorText };
}

describe.skipIf(!hasVectors)(
  '#content-types #content-hash envelopes of the Python reference',
  () => {
    test('are 84, 24 of them unsecured, half of those in CBOR', () => {
      expect(cases).toHaveLength(84);
      expect(unsecured).toHaveLength(24);
      expect(unsecured.filter(({ wire }) => wire.encoding === 'cbor')).toHaveLength(12);
    });

    test.each(unsecured)('$name passes every check and keeps its payload exactly', (golden) => {
      const { envelope, descriptorText } = open(golden);
      const check = {
        ct: envelope.ct,
        payload: envelope.payload,
        descriptor: envelope.schema,
        descriptorText,
      };
      registry.checkOwn(check);
      registry.checkSenders(check);
      expect(textOf(writePythonJson(envelope.payload))).toBe(golden.payload_canonical);
    });

    test.each(unsecured)('$name is written back with the very same bytes', (golden) => {
      const { value } = decodeMessage(bytesOf(golden), golden.wire.encoding);
      const written = golden.wire.encoding === 'cbor' ? writeCbor(value) : writeJson(value);
      expect(written).toEqual(bytesOf(golden));
      if (golden.wire.encoding === 'json') {
        expect(textOf(writePythonJson(value))).toBe(golden.wire.text);
      }
    });

    test.each(cases)('$name has a descriptor that hashes to its id', (golden) => {
      const { value } = decodeMessage(bytesOf(golden), golden.wire.encoding);
      const { id, embedded } = (value as JsonObject)['schema'] as JsonObject;
      expect(contentHash(embedded!)).toBe(id);
    });

    test.each(cases.filter(({ name }) => !name.startsWith('none')))(
      '$name has the shape of an envelope',
      (golden) => {
        expect(open(golden).envelope.sec?.mode).toMatch(/sig|enc/);
      },
    );
  },
);
