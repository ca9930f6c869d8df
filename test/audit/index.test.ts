// The entries of calls in other dialects: their form in the log, and how they are found by ids that were made for them.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { NewAuditEntry } from '../../src/audit/entry.ts';
import { verifyProof } from '../../src/audit/index.ts';
import { logNames } from '../../src/audit/stored-tree.ts';
import { writeJcs } from '../../src/codec/canonical-jcs.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { uuidV7 } from '../../src/envelope/uuid.ts';
import type { Store } from '../../src/stores/store.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { NODE, crypto, keys, openLog, requestEntry } from '../support/trust/audit.ts';
import { utf8 } from '../support/wire/bytes.ts';

const names = logNames(NODE, crypto.sha256);
const START = Date.UTC(2026, 0, 31, 12);

/** @param ms after the start. */
function callId(ms: number): string {
  return uuidV7(START + ms, crypto.randomBytes);
}

function callEntry(id: string, facts: Partial<NewAuditEntry> = {}): NewAuditEntry {
  const entry = { kind: 'operation', from: '~none:a2a', face: 'a2a', operation: 'start' } as const;
  return { ...entry, id, verdict: 'ok', ...facts } as NewAuditEntry;
}

async function lengthOf(store: Store, prefix: string): Promise<number> {
  const logs = (await store.inventory!('logs')).filter((name) => name.startsWith(prefix));
  const lengths = await Promise.all(logs.map((name) => store.length(name)));
  return lengths.reduce((sum, length) => sum + length, 0);
}

describe('#audit the entry of a call', () => {
  test('is in its JCS form, whatever its texts hold', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
    const facts = fc.record({ from: text, task: text }, { requiredKeys: ['from'] });
    await fc.assert(
      fc.asyncProperty(fc.array(facts, { minLength: 1, maxLength: 9 }), async (given) => {
        const store = createMemoryStore();
        const log = await openLog(store);
        await Promise.all(given.map((some, at) => log.record(callEntry(callId(at), some))));
        const records = await store.read(names.entries, 0);
        expect(records).toHaveLength(given.length);
        for (const [at, { value }] of records.entries()) {
          const entry = JSON.parse(new TextDecoder().decode(value)) as JsonObject;
          expect(entry).toMatchObject(given[at]!);
          expect(value).toEqual(writeJcs(entry));
        }
        expect(await log.verify()).toMatchObject({ ok: true, problems: [] });
      }),
      { numRuns: 50 },
    );
  });

  test('is refused with text that no UTF-8 can say, and those beside it are written', async () => {
    const log = await openLog(createMemoryStore());
    const [odd, sound] = await Promise.allSettled([
      log.record(callEntry(callId(0), { from: '\ud800' })),
      log.record(callEntry(callId(0), { from: String.raw`\ud800` })),
    ]);
    expect([odd.status, sound]).toEqual(['rejected', { status: 'fulfilled', value: 0 }]);
  });
});

describe('#audit calls are found by their ids', () => {
  test('those of one moment together, beside messages of others', async () => {
    const store = createMemoryStore();
    const log = await openLog(store);
    const ids = Array.from({ length: 300 }, (_, at) => callId(at));
    await Promise.all(ids.slice(0, 150).map((id) => log.record(callEntry(id))));
    await log.record(requestEntry('m0'));
    await Promise.all([
      ...ids.slice(150, 160).map((id) => log.record(callEntry(id))),
      log.record(requestEntry('m1')),
      ...ids.slice(160).map((id) => log.record(callEntry(id))),
    ]);
    for (const at of [0, 149, 150, 159, 160, 299]) {
      const seq = at + (at < 150 ? 0 : at < 160 ? 1 : 2);
      const id = ids[at]!;
      const proof = await verifyProof(await log.prove(id), keys, crypto);
      expect(proof.entries).toMatchObject([{ seq, entry: { kind: 'operation', id } }]);
    }
    expect(await log.prove('m1')).toMatchObject({ entries: [{ seq: 161 }] });
    expect(await log.prove(callId(0))).toBeUndefined();
    expect(await lengthOf(store, 'audit-time:')).toBeLessThan(10);
    expect(await log.verify()).toMatchObject({ ok: true, size: 302, problems: [] });
  });

  test('an index that was removed or changed is noticed', async () => {
    const store = createMemoryStore();
    const log = await openLog(store);
    const [first, second] = [callId(0), callId(1)];
    await Promise.all([first, second].map((id) => log.record(callEntry(id))));
    const index = names.byTime(first.slice(0, 11));
    for (const wrong of ['5', '0-7', 'x', '1-0']) {
      await store.transact([
        { type: 'drop', log: index },
        { type: 'append', log: index, values: [utf8(wrong)] },
      ]);
      await expect(log.prove(second)).rejects.toThrow('damaged');
    }
    await store.transact([{ type: 'drop', log: index }]);
    expect(await log.prove(second)).toBeUndefined();
    const { problems } = await log.verify();
    expect(problems.map(({ what }) => what)).toEqual([
      'the index does not lead to this entry',
      'the index does not lead to this entry',
    ]);
  });

  test('one of each id, as earlier logs have it, leads to them too', async () => {
    const store = createMemoryStore();
    const log = await openLog(store);
    const id = callId(0);
    await log.record(callEntry(id));
    await store.transact([
      { type: 'drop', log: names.byTime(id.slice(0, 11)) },
      { type: 'append', log: names.byId(id), values: [utf8('0')] },
    ]);
    expect(await log.prove(id)).toMatchObject({ entries: [{ seq: 0, entry: { id } }] });
    expect(await log.verify()).toMatchObject({ ok: true });
  });
});
