// session.v1: sessions that are opened by a key and for that key.

import { describe, expect, test } from 'vitest';

import { chooseProvider } from '../../src/crypto/provider.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import type { ContentHandler } from '../../src/content.ts';
import { createSessionHandler } from '../../src/handlers/session.ts';
import { createPolicy } from '../../src/security/policy/policy.ts';
import type { BindingDocument, SessionBook } from '../../src/security/session.ts';
import {
  createSessionBook,
  sessionBindingId,
  signSessionBinding,
  verifySessionBinding,
} from '../../src/security/session.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { EPOCH_MS, alice, bob } from '../support/wire/envelopes.ts';
import { payloadOf, refusalOf, requestContext } from '../support/agents/handler-context.ts';
import { makePeer } from '../support/trust/peers.ts';

const crypto = chooseProvider('noble');
const secretKey = new Uint8Array(32).fill(9); // TEST ONLY
const publicKey = crypto.ed25519PublicKey(secretKey);
const { allows } = createPolicy({ agentIds: [bob.agent_id] });
const context = requestContext();
const open = { op: 'open', profile: { mode: 'sig' }, nonce: 'nonce-1234' };

function sessions(maxPerAgent = 100): ContentHandler & { readonly book: SessionBook } {
  const now = (): number => EPOCH_MS;
  const book = createSessionBook({ store: createMemoryStore({ now }), now, maxPerAgent });
  const sign = (document: BindingDocument): Promise<string> =>
    signSessionBinding(document, secretKey, crypto);
  return { ...createSessionHandler({ book, sign, allows }), book };
}

describe('#session session.v1', () => {
  test('open is answered with a signed binding, and the session is live for that key', async () => {
    const { handle, book } = sessions();
    const payload = await payloadOf(handle(open, context));
    expect(payload).toMatchObject({
      op: 'ack',
      accepted: true,
      profile: open.profile,
      nonce: open.nonce,
      expires: '2026-01-01T00:10:00Z',
      binding_alg: 'ed25519',
    });
    const document = {
      from_agent: alice.agent_id,
      to_agent: bob.agent_id,
      profile: open.profile,
      nonce: open.nonce,
      expires: payload['expires'] as string,
    };
    const signature = payload['binding_sig'] as string;
    expect(payload['binding_id']).toBe(sessionBindingId(document));
    expect(await verifySessionBinding(document, signature, { publicKey, crypto })).toBe(true);
    await book.check(payload['binding_id'], alice.agent_id, 'thumbprint-of-alice');
    await expect(book.check(payload['binding_id'], alice.agent_id, 'another')).rejects.toThrow();
  });

  test('open lasts as long as was asked for, within a bound (W18)', async () => {
    const { handle } = sessions();
    const expiry = async (expires: string): Promise<unknown> =>
      (await payloadOf(handle({ ...open, expires }, context)))['expires'];
    expect(await expiry('2026-01-01T01:00:00Z')).toBe('2026-01-01T01:00:00Z');
    expect(await expiry('2999-01-01T00:00:00Z')).toBe('2026-01-02T00:00:00Z');
  });

  test('ack registers nothing (W18)', async () => {
    const { handle, book } = sessions();
    const document = {
      from_agent: alice.agent_id,
      to_agent: bob.agent_id,
      profile: open.profile,
      nonce: open.nonce,
      expires: '2026-01-01T00:10:00Z',
    };
    const binding_id = sessionBindingId(document);
    const { accepted, ...rest } = await payloadOf(
      handle({ ...open, op: 'ack', expires: document.expires, binding_id }, context),
    );
    expect(accepted).toBe(false);
    expect(Object.keys(rest).sort()).toEqual(['message', 'nonce', 'op', 'profile']);
    await expect(book.check(binding_id, alice.agent_id, 'thumbprint-of-alice')).rejects.toThrow();
  });

  test('ack tells whether a session is live for the key that asks', async () => {
    const { handle } = sessions();
    const { binding_id } = await payloadOf(handle(open, context));
    const ack = { ...open, op: 'ack', binding_id: binding_id! };
    const acceptedBy = async (keyThumbprint: string): Promise<unknown> =>
      (await payloadOf(handle(ack, requestContext({ keyThumbprint }))))['accepted'];
    expect(await acceptedBy('thumbprint-of-alice')).toBe(true);
    expect(await acceptedBy('another')).toBe(false);
  });

  test('is refused without a signature, for there is no key to bind to', async () => {
    const { keyThumbprint: _, ...unsigned } = requestContext({ mode: 'none' });
    const { handle } = sessions();
    expect((await refusalOf(() => handle(open, unsigned))).code).toBe('SESSION_INVALID');
  });

  test.each([
    ['PAYLOAD_INVALID', '2026-01-01T02:00:00+01:00'],
    ['PAYLOAD_INVALID', 'tomorrow'],
    ['SESSION_INVALID', '2025-12-31T23:59:59Z'],
  ])('is refused with %s for the expiry %s', async (code, expires) => {
    const { handle } = sessions();
    expect((await refusalOf(() => handle({ ...open, expires }, context))).code).toBe(code);
  });

  test('takes looser dates from peers whose entry allows them', async () => {
    const peer = makePeer(alice.agent_id, { switches: ['lax-dates'] });
    const payload: JsonObject = { ...open, expires: '2026-01-01T02:00:00+01:00' };
    const answer = await payloadOf(sessions().handle(payload, requestContext({ peer })));
    expect(answer['expires']).toBe('2026-01-01T01:00:00Z');
  });

  test('stops at the number of sessions that an agent may have', async () => {
    const { handle } = sessions(1);
    await payloadOf(handle(open, context));
    const second = { ...open, nonce: 'nonce-5678' };
    expect((await refusalOf(() => handle(second, context))).code).toBe('LIMIT_RATE');
  });

  test('passes on a store that fails', async () => {
    const broken = { open: sessions().book.open, check: () => Promise.reject(new Error('disk')) };
    const { handle } = createSessionHandler({ book: broken, sign: () => '', allows });
    await expect(payloadOf(handle({ ...open, op: 'ack' }, context))).rejects.toThrow('disk');
  });
});
