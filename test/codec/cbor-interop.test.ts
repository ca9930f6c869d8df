// Proves that canonical CBOR is, byte for byte, what cbor2 writes, which the reference peers sign.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { readCbor } from '../../src/codec/cbor/read.ts';
import { writeCbor } from '../../src/codec/cbor/write.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonValue } from '../../src/codec/value.ts';
import { textOf } from '../support/wire/bytes.ts';
import { toHex } from '../support/wire/cbor-hex.ts';
import { cborValues } from '../support/wire/cbor-values.ts';
import { hasPython, runPython } from '../support/repository/python.ts';

/** cbor2 before version 6 writes the halves from 32768 to 65504 as singles, against RFC 8949 appendix A. */
const PROBE = `import cbor2; assert cbor2.dumps(65504.0, canonical=True).hex() == 'f97bff'`;
const hasCbor2 = hasPython(PROBE, 'the module cbor2, version 6 or later');

/** JSON lines in, hex lines out; json.loads makes `1` an int and `1e0` a float. */
const DUMP = `
import cbor2, json, sys
for line in sys.stdin.buffer:
    print(cbor2.dumps(json.loads(line), canonical=True).hex())
`;

function cbor2Dumps(values: readonly JsonValue[]): string[] {
  const lines = values.map((value) => `${textOf(writeJson(value))}\n`).join('');
  return runPython(DUMP, lines).split('\n').slice(0, -1);
}

const COUNT = 20_000;

describe.skipIf(!hasCbor2)('#cbor-canonical canonical CBOR and cbor2', () => {
  test(`${COUNT} random values have the bytes of cbor2.dumps(canonical=True) and read back to them`, () => {
    const seed = Date.now() % 0x7fffffff;
    const values = fc.sample(cborValues, { numRuns: COUNT, seed });
    const expected = cbor2Dumps(values);
    expect(expected.length).toBe(COUNT);
    const written = values.map(writeCbor);
    const rewritten = written.map((bytes) => writeCbor(readCbor(bytes)));
    const differing = [...values.keys()].filter(
      (index) =>
        toHex(written[index]!) !== expected[index] || toHex(rewritten[index]!) !== expected[index],
    );
    expect(differing, `indexes of seed ${seed}`).toEqual([]);
  });
});
