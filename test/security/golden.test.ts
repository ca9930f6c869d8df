// Envelopes made by the Python reference: the unsecured cases in both encodings, and every descriptor.

import { describe, expect, test } from 'vitest';

import { writePythonJson } from '../../src/codec/canonical-python.ts';
import { writeCbor } from '../../src/codec/cbor/write.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { checkShape } from '../../src/envelope/shape.ts';
import { contentHash } from '../../src/schema/content-hash.ts';
import { SchemaRegistry } from '../../src/schema/registry.ts';
import { textOf } from '../support/wire/bytes.ts';
import { goldenBytes, goldenCases, goldenValue } from '../support/wire/golden.ts';
import { hasVectors } from '../support/repository/vectors.ts';

const unsecured = goldenCases.filter(({ name }) => name.startsWith('none'));
const registry = new SchemaRegistry();

describe.skipIf(!hasVectors)(
  '#content-types #content-hash envelopes of the Python reference',
  () => {
    test('are 84, 24 of them unsecured, half of those in CBOR', () => {
      expect(goldenCases).toHaveLength(84);
      expect(unsecured).toHaveLength(24);
      expect(unsecured.filter(({ wire }) => wire.encoding === 'cbor')).toHaveLength(12);
    });

    test.each(unsecured)('$name passes every check and keeps its payload exactly', (golden) => {
      const envelope = checkShape(goldenValue(golden), registry);
      const { ct, payload, schema } = envelope;
      const check = { ct, payload, descriptor: schema };
      registry.checkOwn(check);
      registry.checkSenders(check);
      expect(textOf(writePythonJson(envelope.payload))).toBe(golden.payload_canonical);
    });

    test.each(unsecured)('$name is written back with the very same bytes', (golden) => {
      const value = goldenValue(golden);
      const written = golden.wire.encoding === 'cbor' ? writeCbor(value) : writeJson(value);
      expect(written).toEqual(goldenBytes(golden));
      if (golden.wire.encoding === 'json') {
        expect(textOf(writePythonJson(value))).toBe(golden.wire.text);
      }
    });

    test.each(goldenCases)('$name has a descriptor that hashes to its id', (golden) => {
      const value = goldenValue(golden);
      const { id, embedded } = value['schema'] as JsonObject;
      expect(contentHash(embedded!)).toBe(id);
    });

    test.each(goldenCases.filter(({ name }) => !name.startsWith('none')))(
      '$name has the shape of an envelope',
      (golden) => {
        expect(checkShape(goldenValue(golden), registry).sec?.mode).toMatch(/sig|enc/);
      },
    );
  },
);
