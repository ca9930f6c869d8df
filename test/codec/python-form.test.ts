// The Python-JSON form against Python itself.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { pythonFloat, writePythonJson } from '../../src/codec/canonical-python.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import { readJson } from '../../src/codec/json/read.ts';
import { hardNames, jsonValue } from '../support/wire/arbitraries.ts';
import { textOf, utf8 } from '../support/wire/bytes.ts';
import { hasPython, runPython } from '../support/repository/python.ts';

const REWRITE = `
import json, sys
for line in sys.stdin.buffer:
    value = json.loads(line)
    text = json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False, allow_nan=False)
    sys.stdout.buffer.write(text.encode('utf-8') + b'\\n')
`;

/** What Python writes for each document. */
function pythonForms(documents: readonly Uint8Array[]): string[] {
  const input = documents.map((bytes) => textOf(bytes)).join('\n');
  return runPython(REWRITE, `${input}\n`).split('\n').slice(0, -1);
}

describe.skipIf(!hasPython())('#python-json #python-json-numbers Python itself', () => {
  test('prints 100,000 random doubles as we do', () => {
    // Random bit patterns reach every magnitude; a fixed seed makes a failure repeatable.
    const bits = new DataView(new ArrayBuffer(8));
    let state = 0x2545f491n;
    const random64 = (): bigint => {
      state ^= (state << 13n) & 0xffffffffffffffffn;
      state ^= state >> 7n;
      state ^= (state << 17n) & 0xffffffffffffffffn;
      return state;
    };
    const doubles: number[] = [];
    while (doubles.length < 100_000) {
      bits.setBigUint64(0, random64());
      const anywhere = bits.getFloat64(0);
      if (Number.isFinite(anywhere)) doubles.push(anywhere);
      // As many in the range that people use, where fixed and exponent notation meet.
      doubles.push(Number(random64() % 10_000_000n) / 10 ** Number(random64() % 24n));
    }
    const script = `
import struct, sys
data = sys.stdin.buffer.read()
for at in range(0, len(data), 17):
    print(repr(struct.unpack('>d', bytes.fromhex(data[at:at + 16].decode()))[0]))
`;
    const hex = doubles.map((value) => {
      bits.setFloat64(0, value);
      return bits.getBigUint64(0).toString(16).padStart(16, '0');
    });
    const printed = runPython(script, `${hex.join('\n')}\n`)
      .split('\n')
      .slice(0, -1);
    expect(printed).toHaveLength(doubles.length);
    const wrong = doubles.filter((value, index) => pythonFloat(value) !== printed[index]);
    expect(wrong).toEqual([]);
  });

  test('writes hard names and strings as we do, in the same order', () => {
    const characters = Array.from({ length: 0x300 }, (_, code) => String.fromCodePoint(code));
    const names = [...hardNames, ...characters, '\ud7ff', '\ue000', '\u{10000}', '\u{10ffff}', 'ﬀ'];
    const object = Object.fromEntries(names.map((name, index) => [`x${name}`, [index, name]]));
    const document = writeJson(object);
    expect(pythonForms([document])).toEqual([textOf(writePythonJson(readJson(document)))]);
  });

  test('writes 5,000 random values as we do', () => {
    const documents = fc.sample(jsonValue, { numRuns: 5_000, seed: 20_260_101 }).map(writeJson);
    const ours = documents.map((document) => textOf(writePythonJson(readJson(document))));
    expect(pythonForms(documents)).toEqual(ours);
  });

  test('reads integers of a thousand digits as we do', () => {
    const document = utf8(`[${'9'.repeat(1_000)},-${'1'.repeat(1_000)}]`);
    expect(pythonForms([document])).toEqual([textOf(writePythonJson(readJson(document)))]);
  });
});
