// Holes that were found in how the trust log is believed: each test is what went wrong, by its number.

import { describe, expect, test } from 'vitest';

import { readJson } from '../../src/codec/json/read.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import { createIdentity } from '../../src/security/identity/identity.ts';
import type { TrustLogOptions } from '../../src/security/trust/log.ts';
import { createTrustLog } from '../../src/security/trust/log.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import {
  EMPTY,
  NOW,
  OWN,
  approved,
  approvers,
  crypto,
  publicText,
  registryAfter,
} from '../support/trust/trust.ts';

const LOG = `trust:${OWN}`;
const ALICE = { trusted_signing_keys: { 'alice-1': publicText(1) } };
const { root } = await createIdentity();

const open = (store: Store, options: Partial<TrustLogOptions>): Promise<unknown> =>
  createTrustLog({ store, crypto, ownAgentId: OWN, approvers, now: () => NOW, ...options });

/** A log with one record, which two approvers of two approved. */
async function oneRecord(options: Partial<TrustLogOptions>): Promise<[Store, JsonObject]> {
  const store = createMemoryStore();
  const log = await createTrustLog({
    store,
    crypto,
    ownAgentId: OWN,
    approvers,
    quorum: 2,
    now: () => NOW,
    ...options,
  });
  const proposal = await approved(registryAfter(EMPTY, ALICE), ['ann', 'ben']);
  expect(await log.propose(proposal)).toMatchObject({ status: 'accepted' });
  const [record] = await store.read(LOG, 0);
  return [store, readJson(record!.value) as JsonObject];
}

async function storeWith(record: JsonObject): Promise<Store> {
  const store = createMemoryStore();
  await store.append(LOG, [writeJson(record)]);
  return store;
}

describe('A8 the trust log is verified when it is read #registry-record', () => {
  test.each([
    ['nobody approved', 0],
    ['one of two approved', 1],
  ])('a record that %s stops the start, with words', async (_who, count) => {
    for (const own of [{}, { root }]) {
      const [, record] = await oneRecord(own);
      const approvals = (record['approvals'] as JsonObject[]).slice(0, count);
      const store = await storeWith({ ...record, approvals });
      await expect(open(store, { quorum: 2, ...own })).rejects.toMatchObject({
        code: 'INTERNAL',
        reason: `the trust log is damaged at record 0: it has ${count} of the 2 approvals that it needs`,
      });
    }
  });

  test('approvals of somebody else, or of one approver twice, count for nothing', async () => {
    const [, record] = await oneRecord({});
    const [ann, ben] = record['approvals'] as [JsonObject, JsonObject];
    const forged = { ...ben, approver: 'ann' };
    for (const approvals of [
      [ann, ann],
      [ann, forged],
      [ann, { ...ben, approver: 'eve' }],
    ]) {
      const store = await storeWith({ ...record, approvals });
      await expect(open(store, { quorum: 2 })).rejects.toMatchObject({ code: 'INTERNAL' });
    }
  });

  test('what this agent applied counts also when the approvers are others by then', async () => {
    const [store] = await oneRecord({ root });
    const ann = new Map([['ann', approvers.get('ann')!]]);
    await expect(open(store, { root, approvers: ann, quorum: 1 })).resolves.toBeDefined();
    const other = await createIdentity();
    const noLonger = new Map([['ben', other.root.publicKey]]);
    await expect(open(store, { root, approvers: noLonger })).resolves.toBeDefined();
    await expect(open(store, { root: other.root, approvers: noLonger })).rejects.toMatchObject({
      code: 'INTERNAL',
    });
  });
});
