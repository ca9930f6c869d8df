// What every message of ours chooses for its receiver, whether it asks, answers or is made by hand: key, form, bundles
// and nonce.

import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import { createEnvelopeBuilder } from '../../src/envelope/build.ts';
import { defaultCapabilities } from '../../src/envelope/capabilities.ts';
import type { MessagePlan, PreparedMessage } from '../../src/pipeline/prepare-message.ts';
import { newNonce, prepareMessage } from '../../src/pipeline/prepare-message.ts';
import { NOW, crypto, entryFor, newIdentity } from '../support/agents/agents.ts';
import { bob, registry, taskPayload } from '../support/wire/envelopes.ts';

const identity = await newIdentity();
const peer = entryFor(await newIdentity());
const [key] = peer.encryptionKeys;
const envelope = createEnvelopeBuilder({
  identity: { agent_id: identity.agentId, name: 'agent', instance: '1', role: 'agent' },
  cap: defaultCapabilities(),
  schemaFor: registry.descriptorFor,
  now: () => NOW,
}).request(bob, { ct: 'task.v1', payload: taskPayload });

function prepared(plan: Partial<MessagePlan>): Promise<PreparedMessage> {
  const own = { encoding: 'json', identity, nowMs: NOW } as const;
  return prepareMessage(envelope, { ...own, ...plan }, { crypto, registry });
}

const announcedBy = ({ envelope: { cap } }: PreparedMessage): JsonObject =>
  cap['a2a_sdl'] as JsonObject;

describe('#sec-order a message of ours', () => {
  test.each([
    ['the first that is known', { readsAll: false, known: [undefined, 'cbor', 'python'] }, 'cbor'],
    ['ours, where nothing is known', { readsAll: false, known: [] }, 'jcs'],
    ['another, where that is surer', { readsAll: false, known: [], otherwise: 'python' }, 'python'],
    ['ours, to who reads all', { readsAll: true, known: ['python'] }, 'jcs'],
    ['the one that is asked for', 'python', 'python'],
  ] as const)('is signed in %s', async (_which, form, canon) => {
    expect((await prepared({ form })).envelope.sec?.sig?.canon).toBe(canon);
  });

  test('is encrypted to the first key that counts now, and to no other', async () => {
    const ended = { ...key!, kid: 'ended', notAfter: NOW - 1 };
    const later = { ...key!, kid: 'later' };
    const encryptTo = { ...peer, encryptionKeys: [ended, key!, later] };
    const { envelope: sealed } = await prepared({ form: 'jcs', encryptTo });
    expect(sealed.sec?.enc?.recipients.map(({ kid }) => kid)).toEqual([key!.kid]);
    const without = { ...peer, encryptionKeys: [ended] };
    await expect(prepared({ form: 'jcs', encryptTo: without })).rejects.toMatchObject({
      code: 'MODE_REFUSED',
    });
  });

  test('brings our bundle until the other end has it, and says which of its bundles we have', async () => {
    const { seq } = identity.bundle;
    for (const [oursSeq, brings] of [
      [undefined, true],
      [seq - 1, true],
      [seq, false],
    ] as const) {
      const message = await prepared({ bundles: { theirs: identity.bundle, oursSeq } });
      expect(message.bringsBundle).toBe(brings);
      expect('bundle' in announcedBy(message)).toBe(brings);
      expect(announcedBy(message)['knows']).toBe(seq);
    }
    expect(announcedBy(await prepared({}))).toEqual(envelope.cap['a2a_sdl']);
  });

  test('has a nonce that lives as long as it is told, where it needs one', async () => {
    const nonce = { value: newNonce({ crypto }), lifetimeMs: 90_000 };
    const { sec } = (await prepared({ form: 'jcs', nonce })).envelope;
    expect(sec?.replay).toEqual({ nonce: nonce.value, exp: '2026-11-16T00:29:59Z' });
    expect((await prepared({ form: 'jcs' })).envelope.sec).not.toHaveProperty('replay');
    expect(newNonce({ crypto })).not.toBe(nonce.value);
  });
});
