// The bundles that an agent has had, kept where others may write.

import { describe, expect, test } from 'vitest';

import { rotateIdentity } from '../../src/security/identity/identity.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import { formerSigningKeys, rememberBundle } from '../../src/security/identity/bundle-history.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { NOW, crypto, newIdentity } from '../support/agents/agents.ts';

describe('#key-bundle keys that were rotated out', () => {
  test('are known by the bundles that listed them, and by no others', async () => {
    const store = createMemoryStore();
    const first = await newIdentity();
    const second = await rotateIdentity(first, { crypto, nowMs: NOW, overlapMs: 0 });
    const stranger = await newIdentity();
    for (const { bundle } of [first, second, second, stranger]) await rememberBundle(store, bundle);
    // Somebody who can write to the store claims keys of their own.
    const forged = { ...stranger.bundle.document, agent_id: first.agentId };
    const index = { agent: first.agentId };
    await store.add('own-bundle', 'forged', { value: writeJson(forged), index });
    await store.add('own-bundle', 'no bundle', { value: new Uint8Array(3), index });
    const keys = await formerSigningKeys(store, first.agentId, crypto);
    const kidOf = ({ keys: own }: typeof first): string =>
      own.find(({ use }) => use === 'sig')!.kid;
    expect([...keys.keys()].sort()).toEqual([kidOf(first), kidOf(second)].sort());
    expect(kidOf(first)).not.toBe(kidOf(second));
  });
});
