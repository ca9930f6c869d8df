// Holes that were found in how the audit log is believed: each test is what went wrong, by its number.

import { describe, expect, test } from 'vitest';

import type { AuditLog } from '../../src/audit/index.ts';
import { createAuditLog, logNames } from '../../src/audit/index.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import { rotateIdentity } from '../../src/security/identity/identity.ts';
import type { OwnIdentity, OwnKey } from '../../src/security/identity/own-identity.ts';
import { SecretKey } from '../../src/security/identity/secret-key.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { NOW, newIdentity } from '../support/agents/agents.ts';
import { NODE, crypto, exchange, keys, openLog, requestEntry } from '../support/trust/audit.ts';

const secretKey = new Uint8Array(32).fill(6);

const openWith = (store: Store, publicKeys?: ReadonlyMap<string, Uint8Array>): Promise<AuditLog> =>
  createAuditLog({
    store,
    node: NODE,
    crypto,
    signer: () => ({ kid: 'k2', secretKey }),
    ...(publicKeys && { publicKeys }),
  });

/** A runtime of this agent starts on the store, writes an entry, and stops. */
async function work(store: Store, identity: OwnIdentity | (() => OwnIdentity)): Promise<void> {
  const runtime = createRuntime({ identity, store, now: () => NOW });
  try {
    const audit = await runtime.audit();
    await audit!.record(requestEntry(`m${await audit!.head().then(({ size }) => size)}`));
  } finally {
    await runtime.close({ graceMs: 0 });
  }
}

/** Somebody who can write to the store has put a log of their own there, whole, under a key of their own. */
async function planted(agentId: string, kid = 'k9'): Promise<Store> {
  const store = createMemoryStore();
  const log = await createAuditLog({
    store,
    node: agentId,
    crypto,
    signer: () => ({ kid, secretKey: new Uint8Array(32).fill(9) }),
  });
  await exchange(log, 'never happened');
  await log.close();
  return store;
}

const UNKNOWN = {
  code: 'INTERNAL',
  reason: expect.stringMatching(
    /signed by the key "k9", which is no key that this agent.*audit verify.*--store/,
  ),
};

describe('A16 the last head of the audit log is of a key of its own #audit-start', () => {
  test('A16 a head of an unknown key stops the start, with words, and nothing is signed', async () => {
    const store = await planted(NODE);
    const { heads } = logNames(NODE, crypto.sha256);
    await expect(openLog(store)).rejects.toMatchObject(UNKNOWN);
    await expect(openWith(store, keys.publicKeys)).rejects.toMatchObject(UNKNOWN);
    expect(await store.length(heads)).toBe(1);
  });

  test('A16 a head that only names a known key stops it too', async () => {
    await expect(openLog(await planted(NODE, 'k1'))).rejects.toMatchObject({
      code: 'INTERNAL',
      reason: expect.stringContaining('its last head is none'),
    });
  });

  test('A16 a head of a former key is taken, where that is named', async () => {
    const store = createMemoryStore();
    const first = await openLog(store);
    await exchange(first, 'm1');
    await first.close();
    await expect(openWith(store)).rejects.toMatchObject({ code: 'INTERNAL' });
    const again = await openWith(store, keys.publicKeys);
    expect(await again.verify()).toMatchObject({ ok: true, size: 2 });
  });

  test('A16 an agent knows every key that it has had, and nobody adds one', async () => {
    const store = createMemoryStore();
    let identity = await newIdentity();
    for (let round = 0; round < 3; round += 1) {
      await work(store, identity);
      identity = await rotateIdentity(identity, { crypto, nowMs: NOW, overlapMs: 0 });
    }
    await work(store, identity);

    const stranger = await newIdentity();
    const other = await planted(identity.agentId);
    const claimed = { value: new TextEncoder().encode(JSON.stringify(stranger.bundle.document)) };
    const index = { agent: identity.agentId };
    await other.add('own-bundle', `${identity.agentId} 9`, { ...claimed, index });
    await expect(work(other, identity)).rejects.toMatchObject(UNKNOWN);
  });

  test('A16 a key is kept before it signs a head, so that a crash leaves none that is unknown', async () => {
    const memory = createMemoryStore();
    const first = await newIdentity();
    const second = await rotateIdentity(first, { crypto, nowMs: NOW, overlapMs: 0 });
    let isFull = false;
    const store = new Proxy(memory, {
      get: (target, name) => {
        const method = Reflect.get(target, name, target) as (...given: unknown[]) => unknown;
        if (name !== 'add') return method.bind(target);
        return (...given: unknown[]): unknown =>
          isFull && given[0] === 'own-bundle'
            ? Promise.reject(new Error('the disk is full'))
            : Reflect.apply(method, target, given);
      },
    });
    let identity = first;
    const errors: unknown[] = [];
    const runtime = createRuntime({
      identity: () => identity,
      store,
      now: () => NOW,
      on: { error: (error) => errors.push(error) },
    });
    const audit = (await runtime.audit())!;
    identity = second;
    isFull = true;
    await audit.record(requestEntry('m1'));
    await expect(audit.head()).rejects.toThrow('the disk is full');
    const { heads } = logNames(first.agentId, crypto.sha256);
    expect(await memory.length(heads)).toBe(0);
    isFull = false;
    expect((await audit.head()).kid).toBe(second.keys.find(({ use }) => use === 'sig')!.kid);
    await runtime.close({ graceMs: 0 });
    await work(memory, await rotateIdentity(second, { crypto, nowMs: NOW, overlapMs: 0 }));
  });

  test('A16 an agent whose id is a label is told its former keys', async () => {
    const store = createMemoryStore();
    const labelKey = (kid: string): OwnKey => ({
      kid,
      use: 'sig',
      notAfterMs: NOW + 1_000,
      key: SecretKey.generate('ed25519', crypto),
    });
    const [old, fresh] = [labelKey('old'), labelKey('fresh')];
    const agentId = 'did:key:label';
    await work(store, { agentId, keys: [old] });
    await expect(work(store, { agentId, keys: [fresh] })).rejects.toMatchObject({
      reason: expect.stringContaining('identity.formerKeys'),
    });
    const formerKeys = [{ kid: 'old', publicKey: old.key.publicKey }];
    await work(store, { agentId, keys: [fresh], formerKeys });
    // The key of the day signed since.
    await work(store, { agentId, keys: [fresh] });
  });
});
