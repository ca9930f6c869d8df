// Speed of readers, writers and the whole unsecured pass, as ratios to JSON.parse and JSON.stringify in the same run.

import { writeJcs } from '../../src/codec/canonical-jcs.ts';
import { writePythonJson } from '../../src/codec/canonical-python.ts';
import { readCbor } from '../../src/codec/cbor/read.ts';
import { writeCbor } from '../../src/codec/cbor/write.ts';
import { readJson } from '../../src/codec/json/read.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import { SchemaRegistry } from '../../src/schema/registry.ts';
import { typicalEnvelope } from './envelopes.ts';
import { measure } from './measure.ts';
import type { Subject } from './measure.ts';
import { receive } from './receive.ts';
import { printTable } from './table.ts';

export async function benchCodec(): Promise<void> {
  const value = typicalEnvelope();
  const json = writeJson(value);
  const cbor = writeCbor(value);
  const text = new TextDecoder().decode(json);
  // One number that a double would change sends the whole document to the strict reader.
  const special = new TextEncoder().encode(text.replace('"hops":0', '"hops":0,"x":1.0'));
  const registry = new SchemaRegistry();
  const decoder = new TextDecoder();

  await report('reading', 'JSON.parse of the text', [
    { name: 'JSON.parse of the text', run: () => JSON.parse(text) as unknown },
    { name: 'JSON.parse of the bytes', run: () => JSON.parse(decoder.decode(json)) as unknown },
    { name: 'readJson', run: () => readJson(json) },
    { name: 'readJson, lossless number inside', run: () => readJson(special) },
    { name: 'readCbor', run: () => readCbor(cbor) },
    { name: 'decode + limits + shape + schemas', run: () => receive(json, 'json', registry) },
    { name: 'the same from CBOR', run: () => receive(cbor, 'cbor', registry) },
  ]);
  await report('writing', 'JSON.stringify', [
    { name: 'JSON.stringify', run: () => JSON.stringify(value) },
    { name: 'writeJson', run: () => writeJson(value) },
    { name: 'writeJcs', run: () => writeJcs(value) },
    { name: 'writePythonJson', run: () => writePythonJson(value) },
    { name: 'writeCbor', run: () => writeCbor(value) },
  ]);

  async function report(what: string, baseline: string, subjects: Subject[]): Promise<void> {
    const results = await measure(subjects);
    const base = results.find(({ name }) => name === baseline)!.micros;
    printTable(
      `${what} a task.v1 envelope of ${json.length} bytes (${cbor.length} in CBOR)`,
      ['', `ratio to ${baseline}`, 'µs'],
      results.map(({ name, micros }) => [name, (micros / base).toFixed(2), micros.toFixed(1)]),
    );
  }
}
