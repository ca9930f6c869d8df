// Proofs that others check without the log.

import { describe, expect, test } from 'vitest';

import type { ProofDocument } from '../../src/audit/index.ts';
import { verifyGrowth, verifyProof } from '../../src/audit/index.ts';
import { logNames } from '../../src/audit/stored-tree.ts';
import { readJson } from '../../src/codec/json/read.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import {
  NODE,
  crypto,
  exchange,
  keys,
  openLog,
  requestEntry,
  requestHash,
} from '../support/trust/audit.ts';
import { utf8 } from '../support/wire/bytes.ts';

/** As it is after a way through a file. */
const carried = (document: JsonValue): JsonObject => readJson(writeJson(document)) as JsonObject;

async function proofOfM3(): Promise<ProofDocument> {
  const log = await openLog(createMemoryStore());
  for (const id of ['m1', 'm2', 'm3', 'm4']) await exchange(log, id);
  return (await log.prove('m3'))!;
}

describe('#audit the proof of one message', () => {
  test('holds its request and its reply, and holds by itself', async () => {
    const proof = await verifyProof(carried(await proofOfM3()), keys, crypto);
    expect(proof.head.size).toBe(8);
    expect(proof.entries).toMatchObject([
      { seq: 4, entry: { kind: 'request', id: 'm3', req: requestHash('m3') } },
      { seq: 5, entry: { kind: 'reply', re: 'm3', of: 4, verdict: 'ok' } },
    ]);
  });

  test('of an id that was used twice holds both uses', async () => {
    const log = await openLog(createMemoryStore());
    await exchange(log, 'same');
    await exchange(log, 'same');
    const { entries } = await verifyProof(await log.prove('same'), keys, crypto);
    expect(entries.map(({ seq }) => seq)).toEqual([0, 1, 2, 3]);
    for (let more = 0; more < 5; more += 1) await exchange(log, 'same');
    expect(await log.verify()).toMatchObject({ ok: true, size: 14 });
  });

  test('there is none for an id that the log does not have, whatever the id is', async () => {
    const log = await openLog(createMemoryStore());
    const long = '😀'.repeat(256);
    await log.record(requestEntry(long));
    expect(await log.prove('m1')).toBeUndefined();
    expect((await log.prove(long))?.entries).toHaveLength(1);
  });

  test('does not hold once an entry, a place, a path or the head was changed', async () => {
    const proof = await proofOfM3();
    const [first, second] = proof.entries;
    const change = (entry: JsonObject): JsonObject => ({ ...proof, entries: [entry, second!] });
    const forged: JsonObject[] = [
      change({ ...first!, entry: { ...first!.entry, from: 'did:key:mallory' } }),
      change({ ...first!, seq: 3 }),
      change({ ...first!, seq: 8 }),
      change({ ...first!, path: first!.path.slice(1) }),
      change({ ...first!, path: second!.path }),
      { ...proof, head: { ...proof.head, size: 9 } },
      { ...proof, head: { ...proof.head, root: requestHash('x') } },
      { ...proof, head: { ...proof.head, node: 'did:key:other' } },
      { ...proof, head: { ...proof.head, kid: 'k2' } },
    ];
    for (const document of forged) {
      const verdict = verifyProof(document, keys, crypto);
      await expect(verdict).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
    }
    const shapes: JsonValue[] = [
      null,
      { ...proof, entries: [] },
      { ...proof, entries: [second!, first!] },
      { ...proof, entries: [first!, first!] },
      { ...proof, id: 'm4' },
      { ...proof, more: true },
    ];
    for (const document of shapes) {
      const verdict = verifyProof(document, keys, crypto);
      await expect(verdict).rejects.toMatchObject({ code: 'ENVELOPE_INVALID' });
    }
  });

  test('is not given where the index or the stored tree was changed', async () => {
    const store = createMemoryStore();
    const log = await openLog(store);
    await Promise.all(Array.from({ length: 600 }, (_, at) => log.record(requestEntry(`m${at}`))));
    const tree = `audit-tree-8:${NODE}`;
    await store.transact([
      { type: 'drop', log: tree },
      { type: 'append', log: tree, values: [new Uint8Array(32), new Uint8Array(32)] },
    ]);
    await expect(log.prove('m300')).rejects.toThrow('damaged');
    const index = logNames(NODE, crypto.sha256).byId('m0');
    for (const wrong of ['7', '600', 'x']) {
      await store.transact([
        { type: 'drop', log: index },
        { type: 'append', log: index, values: [utf8(wrong)] },
      ]);
      await expect(log.prove('m0')).rejects.toThrow('damaged');
    }
  });
});

describe('#audit the proof of growth', () => {
  test('holds from every earlier head on', async () => {
    const log = await openLog(createMemoryStore());
    const heads = [await log.head()];
    for (let at = 0; at < 9; at += 1) {
      await log.record(requestEntry(`m${at}`));
      heads.push(await log.head());
    }
    for (const earlier of heads) {
      const growth = carried(await log.proveGrowth(earlier.size));
      expect((await verifyGrowth(growth, earlier, keys, crypto)).size).toBe(9);
    }
    await expect(log.proveGrowth(10)).rejects.toThrow(RangeError);
  });

  test('does not hold for the head of a log that was rewritten', async () => {
    const [honest, rewritten] = [createMemoryStore(), createMemoryStore()];
    const earlier = await openLog(honest);
    const later = await openLog(rewritten);
    for (const id of ['m1', 'm2', 'm3']) await earlier.record(requestEntry(id));
    for (const id of ['m1', 'mX', 'm3', 'm4']) await later.record(requestEntry(id));
    const verdict = verifyGrowth(await later.proveGrowth(3), await earlier.head(), keys, crypto);
    await expect(verdict).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
  });

  test('is for the size of the head that was kept', async () => {
    const log = await openLog(createMemoryStore());
    await exchange(log, 'm1');
    const earlier = await log.head();
    await exchange(log, 'm2');
    const verdict = verifyGrowth(await log.proveGrowth(3), earlier, keys, crypto);
    await expect(verdict).rejects.toMatchObject({ code: 'ENVELOPE_INVALID' });
  });
});
