// The audit log of a node: what is written, in what order, and what a later start makes of it.

import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import {
  createAuditLog,
  payloadHash,
  verifyAuditLog,
  verifyHead,
  verifyReceipt,
} from '../../src/audit/index.ts';
import type { NewAuditEntry } from '../../src/audit/index.ts';
import { encodeBase64url } from '../../src/codec/base64url.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import { sha256 } from '../../src/crypto/sha256.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { StoreError } from '../../src/stores/store.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import {
  NODE,
  NOW,
  counting,
  crypto,
  exchange,
  keys,
  openLog,
  requestEntry,
  requestHash,
} from '../support/trust/audit.ts';
import { textOf, utf8 } from '../support/wire/bytes.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';

const ENTRIES = `audit:${NODE}`;

function failOnce(store: Store, method: 'transact', after: boolean): Store {
  let isArmed = true;
  return new Proxy(store, {
    get(target, name) {
      const original = Reflect.get(target, name, target) as (...given: unknown[]) => unknown;
      if (name !== method || !isArmed) return original.bind(target);
      return async (...given: unknown[]): Promise<unknown> => {
        isArmed = false;
        if (after) await Reflect.apply(original, target, given);
        throw new StoreError('failed', 'the disk failed');
      };
    },
  });
}

describe('#audit recording', () => {
  test('an entry holds hashes in canonical JSON, and nothing of what was said', async () => {
    const store = createMemoryStore();
    const log = await openLog(store);
    const more = { payload: { secret: 'said' } };
    await log.record({ ...requestEntry('m0'), ...more });
    await exchange(log, 'm1');
    const written = (await store.read(ENTRIES, 1)).map(({ value }) => textOf(value));
    const req = requestHash('m1');
    const res = payloadHash({ answer: 'm1' }, sha256);
    expect(written).toEqual([
      `{"ct":"task.v1","from":"did:key:alice","id":"m1","kid":"alice-1","kind":"request","mode":"sig","req":"${req}","transport":"memory","ts":"2026-01-01T00:00:00Z"}`,
      `{"id":"m1-reply","kind":"reply","of":1,"re":"m1","req":"${req}","res":"${res}","ts":"2026-01-01T00:00:00Z","verdict":"ok"}`,
    ]);
    expect(textOf((await store.read(ENTRIES, 0))[0]!.value)).not.toContain('said');
  });

  test('entries recorded at once stand in the order of the calls and share one transaction', async () => {
    const { store, calls } = counting(createMemoryStore());
    const log = await openLog(store);
    const ids = Array.from({ length: 100 }, (_, at) => `m${at}`);
    const places = await Promise.all(ids.map((id) => log.record(requestEntry(id))));
    expect(places).toEqual(ids.map((_, at) => at));
    expect(calls.get('transact')).toBe(1);
    const written = await store.read(ENTRIES, 0);
    expect(written.map(({ value }) => (JSON.parse(textOf(value)) as NewAuditEntry).id)).toEqual(
      ids,
    );
  });

  test('an entry that its reader would refuse is not written', async () => {
    const store = createMemoryStore();
    const log = await openLog(store);
    const wrong: Partial<Record<string, unknown>>[] = [
      { kind: 'other' },
      { req: 'short' },
      { req: `${requestHash('m').slice(0, -1)}B` },
      { mode: 'plain' },
      { id: '' },
    ];
    for (const member of wrong) {
      const entry = { ...requestEntry('m'), ...member } as unknown as NewAuditEntry;
      await expect(log.record(entry)).rejects.toMatchObject({ code: 'ENVELOPE_INVALID' });
    }
    expect(await store.length(ENTRIES)).toBe(0);
  });

  test('a store that fails fails the records of that batch and no later one', async () => {
    for (const after of [false, true]) {
      const memory = createMemoryStore();
      const log = await openLog(failOnce(memory, 'transact', after));
      await expect(log.record(requestEntry('lost'))).rejects.toMatchObject({ fault: 'failed' });
      // When the failed transaction had gone through all the same, its entry is there and stays.
      expect(await log.record(requestEntry('next'))).toBe(after ? 1 : 0);
      expect(await log.verify()).toMatchObject({ ok: true, size: after ? 2 : 1 });
    }
  });

  test('a payload with a number beyond JCS is hashed in its Python form', () => {
    const big = { n: new LosslessNumber('12345678901234567890') };
    const inPython = encodeBase64url(sha256(utf8('{"n":12345678901234567890}')));
    expect(payloadHash(big, sha256)).toBe(inPython);
    expect(payloadHash({ b: 1, a: [] }, sha256)).toBe(
      encodeBase64url(sha256(utf8('{"a":[],"b":1}'))),
    );
  });

  test('after close nothing is recorded, what came before is durable, and a head speaks for it', async () => {
    const store = createMemoryStore();
    const log = await openLog(store);
    const recorded = log.record(requestEntry('m1'));
    await log.close();
    await log.close();
    await expect(log.record(requestEntry('m2'))).rejects.toThrow('closed');
    expect(await recorded).toBe(0);
    const [head, ...others] = await store.read(`audit-heads:${NODE}`, 0);
    expect(others).toEqual([]);
    expect(JSON.parse(textOf(head!.value))).toMatchObject({ node: NODE, size: 1 });
  });
});

describe('#audit heads and receipts (#doc-signature)', () => {
  test('a head says node, size, root and time, and its signature holds', async () => {
    let now = NOW;
    const log = await openLog(createMemoryStore(), () => now);
    await exchange(log, 'm1');
    const head = await log.head();
    expect(await verifyHead(head, keys, crypto)).toEqual(head);
    expect(head).toMatchObject({ node: NODE, size: 2, time: '2026-01-01T00:00:00Z', kid: 'k1' });
    now += 1_000;
    expect(await log.head()).toMatchObject({ root: head.root, time: '2026-01-01T00:00:01Z' });
  });

  test('the first head of each size is stored, a second one is not', async () => {
    const store = createMemoryStore();
    const log = await openLog(store);
    await exchange(log, 'm1');
    await log.head();
    await log.head();
    await exchange(log, 'm2');
    await log.head();
    expect(await store.length(`audit-heads:${NODE}`)).toBe(2);
  });

  test('a receipt holds without the log, with one signature for the reply and the head', async () => {
    const log = await openLog(createMemoryStore());
    const content = await exchange(log, 'm1');
    const receipt = await log.receipt(content);
    expect(await verifyReceipt(receipt, keys, crypto)).toEqual(receipt);
    const { root } = await log.head();
    expect(receipt).toEqual({
      ...content,
      node: NODE,
      head: { size: 2, root, time: '2026-01-01T00:00:00Z' },
      sig: receipt.sig,
    });
  });

  test('a receipt that was changed anywhere does not hold, nor one of another node or key', async () => {
    const log = await openLog(createMemoryStore());
    const receipt = await log.receipt(await exchange(log, 'm1'));
    const other = requestHash('other');
    const changes: JsonObject[] = [
      { req: other },
      { res: other },
      { verdict: 'INTERNAL' },
      { seq: 0 },
      { head: { ...receipt.head, root: other } },
      { head: { ...receipt.head, size: 3 } },
      { head: { ...receipt.head, time: '2026-01-01T00:00:01Z' } },
      { node: 'did:key:other' },
    ];
    for (const change of changes) {
      const forged = { ...receipt, ...change };
      const verdict = verifyReceipt(forged, keys, crypto);
      await expect(verdict).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
    }
    const stranger = new Map([['k1', crypto.ed25519PublicKey(new Uint8Array(32).fill(9))]]);
    for (const wrong of [
      { node: NODE, publicKeys: stranger },
      { node: 'did:key:other', publicKeys: keys.publicKeys },
    ]) {
      const verdict = verifyReceipt(receipt, wrong, crypto);
      await expect(verdict).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
    }
    for (const shape of [
      { ...receipt, more: 1 },
      { ...receipt, seq: 2 },
      { ...receipt, res: '' },
    ]) {
      const verdict = verifyReceipt(shape, keys, crypto);
      await expect(verdict).rejects.toMatchObject({ code: 'ENVELOPE_INVALID' });
    }
  });

  test('no receipt is given for an entry that is not there', async () => {
    const log = await openLog(createMemoryStore());
    const content = await exchange(log, 'm1');
    await expect(log.receipt({ ...content, seq: 2 })).rejects.toThrow(RangeError);
  });
});

describe('#audit starting again', () => {
  test('goes on where it was, at every size around a full block', async () => {
    const store = createMemoryStore();
    let size = 0;
    for (const records of [1, 254, 1, 1, 255, 300]) {
      const log = await openLog(store);
      const all = Array.from({ length: records }, (_, at) => log.record(requestEntry(`${at}`)));
      size += (await Promise.all(all)).length;
      expect(await log.verify()).toEqual({ ok: true, size, problems: [], unanswered: size });
      await log.close();
    }
  });

  test('on a long log reads a few hundred entries, and so does a proof', async () => {
    const memory = createMemoryStore();
    const log = await openLog(memory);
    const ids = Array.from({ length: 66_000 }, (_, at) => `m${at}`);
    await Promise.all(ids.map((id) => log.record(requestEntry(id))));
    let records = 0;
    const store = new Proxy(memory, {
      get(target, name) {
        const method = Reflect.get(target, name, target) as (...given: unknown[]) => unknown;
        if (name !== 'read') return method.bind(target);
        return async (...given: unknown[]): Promise<unknown> => {
          const read = (await Reflect.apply(method, target, given)) as unknown[];
          records += read.length;
          return read;
        };
      },
    });
    const again = await openLog(store);
    expect(records).toBeLessThan(1_500);
    records = 0;
    const proof = await again.prove('m31999');
    expect(proof?.entries.map(({ seq, path }) => [seq, path.length])).toEqual([[31_999, 17]]);
    expect(records).toBeLessThan(1_500);
  });

  test('what a crash left without a head gets one', async () => {
    const store = createMemoryStore();
    const log = await openLog(store);
    await exchange(log, 'm1');
    expect(await store.length(`audit-heads:${NODE}`)).toBe(0);
    await openLog(store);
    expect(await store.length(`audit-heads:${NODE}`)).toBe(1);
  });

  test('a request that a crash left without its reply is counted, an event is not', async () => {
    const store = createMemoryStore();
    const log = await openLog(store);
    await exchange(log, 'm1');
    await log.record(requestEntry('m2'));
    await log.record({ ...requestEntry('m3'), kind: 'event' });
    const again = await openLog(store);
    expect(await again.verify()).toMatchObject({ ok: true, size: 4, unanswered: 1 });
  });

  test('with another key goes on, and the whole log is checked with both', async () => {
    const store = createMemoryStore();
    const first = await openLog(store);
    await exchange(first, 'm1');
    await first.close();
    const secretKey = new Uint8Array(32).fill(6);
    const second = await createAuditLog({
      store,
      node: NODE,
      crypto,
      signer: () => ({ kid: 'k2', secretKey }),
    });
    await exchange(second, 'm2');
    await second.close();
    expect(await second.verify({ publicKeys: keys.publicKeys })).toMatchObject({ ok: true });
    const { problems } = await second.verify();
    expect(problems.map(({ what }) => what)).toEqual([
      expect.stringContaining('signed by a key that is not known'),
    ]);
  });
});

describe.skipIf(driver === undefined)('#audit two processes on one store', () => {
  const folder = temporaryFolder();

  test('write one log: none forks it, no entry is lost, every reply finds its request', async () => {
    const path = join(folder, 'shared');
    const stores = await Promise.all([openSqliteStore({ path }), openSqliteStore({ path })]);
    const logs = await Promise.all(stores.map((store) => openLog(store)));
    const rounds = Array.from({ length: 40 }, (_, at) => at);
    const contents = await Promise.all(
      rounds.flatMap((at) => logs.map((log, writer) => exchange(log, `w${writer}-${at}`))),
    );
    expect(new Set(contents.map(({ seq }) => seq)).size).toBe(80);
    // Each can speak for what the other wrote.
    for (const [at, content] of contents.entries()) {
      await verifyReceipt(await logs[(at + 1) % 2]!.receipt(content), keys, crypto);
    }
    await Promise.all(logs.map((log) => log.close()));
    const [store] = stores;
    const report = await verifyAuditLog({ store, crypto, ...keys });
    expect(report).toEqual({ ok: true, size: 160, problems: [], unanswered: 0 });
    expect((await logs[0]!.prove('w1-7'))?.entries).toHaveLength(2);
    await Promise.all(stores.map((each) => each.close()));
  });
});
