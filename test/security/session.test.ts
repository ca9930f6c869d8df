// Sessions: the binding document of v1 peers, its signature, and the book of those that are live.

import { describe, expect, test } from 'vitest';

import { encodeBase64url } from '../../src/codec/base64url.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { documentSigningInput } from '../../src/security/identity/document-signature.ts';
import type { BindingDocument, NewSession, SessionBook } from '../../src/security/session.ts';
import {
  createSessionBook,
  sessionBindingId,
  signSessionBinding,
  verifySessionBinding,
} from '../../src/security/session.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { openStore, range } from '../compliance/store/setup.ts';
import { parse, utf8 } from '../support/wire/bytes.ts';
import { MINUTE, failureCode, sharedRows, storeRows } from '../support/trust/replay.ts';

const crypto = chooseProvider('noble');
const secretKey = new Uint8Array(32).fill(7); // TEST ONLY
const publicKey = crypto.ed25519PublicKey(secretKey);
const otherKey = crypto.ed25519PublicKey(new Uint8Array(32).fill(8)); // TEST ONLY

const V1_TEXT =
  '{"expires":"2026-01-01T00:05:00Z","from_agent":"did:key:opener","nonce":"nonce-12345678","profile":{"größe":[1,2],"mode":"enc+sig","ratio":1.0},"to_agent":"did:key:keeper"}';
const document = parse(V1_TEXT) as unknown as BindingDocument;

describe('#session the binding of v1 peers', () => {
  test('has the id that they compute', () => {
    // From Python's json and hashlib.
    expect(sessionBindingId(document)).toBe(
      'sha256:fdb59c8a7ad3dc39ec8845888bf97ea625217622fa876ff3353e72f029594f04',
    );
  });

  test('has its id from five members, whatever else is there', () => {
    const more = { ...document, sig: 'AA' } as BindingDocument;
    expect(sessionBindingId(more)).toBe(sessionBindingId(document));
  });

  test('is signed for this purpose and no other (W7)', async () => {
    const sig = await signSessionBinding(document, secretKey, crypto);
    expect(await verifySessionBinding(document, sig, { publicKey, crypto })).toBe(true);
    expect(await verifySessionBinding(document, sig, { publicKey: otherKey, crypto })).toBe(false);
    const grant = documentSigningInput('grant', document as unknown as JsonObject);
    const grantSig = encodeBase64url(await crypto.sign(grant, secretKey));
    expect(await verifySessionBinding(document, grantSig, { publicKey, crypto })).toBe(false);
  });

  test.each(['from_agent', 'to_agent', 'nonce', 'expires', 'profile'])(
    'does not hold with another %s',
    async (name) => {
      const sig = await signSessionBinding(document, secretKey, crypto);
      const changed = { ...document, [name]: name === 'profile' ? {} : 'other' };
      const options = { publicKey, crypto, v1Session: true };
      expect(await verifySessionBinding(changed, sig, options)).toBe(false);
      expect(sessionBindingId(changed)).not.toBe(sessionBindingId(document));
    },
  );

  test('holds in the bare form of v1 only under the switch v1-session', async () => {
    const sig = encodeBase64url(await crypto.sign(utf8(V1_TEXT), secretKey));
    expect(await verifySessionBinding(document, sig, { publicKey, crypto })).toBe(false);
    const options = { publicKey, crypto, v1Session: true };
    expect(await verifySessionBinding(document, sig, options)).toBe(true);
    const ours = await signSessionBinding(document, secretKey, crypto);
    expect(await verifySessionBinding(document, ours, options)).toBe(true);
    const other = { ...options, publicKey: otherKey };
    expect(await verifySessionBinding(document, sig, other)).toBe(false);
  });

  test.each([true, false])(
    'does not hold for text that is no signature (%s)',
    async (v1Session) => {
      for (const sig of ['', 'AA', 'not base64url!', 'A'.repeat(86)]) {
        const options = { publicKey, crypto, v1Session };
        expect(await verifySessionBinding(document, sig, options)).toBe(false);
      }
    },
  );
});

const DAY = 86_400_000;
const KEY = 'thumbprint-1';

function session(nowMs: number, changes: Partial<NewSession> = {}): NewSession {
  return {
    agentId: 'did:key:opener',
    peerAgentId: 'did:key:keeper',
    keyThumbprint: KEY,
    nonce: 'nonce-12345678',
    profile: { mode: 'enc+sig' },
    expiresMs: nowMs + 5 * MINUTE,
    ...changes,
  };
}

describe.each(storeRows)('#session the book of sessions in $label (W18)', (row) => {
  async function setUp(options: { maxTtlMs?: number; maxPerAgent?: number } = {}) {
    const { store, clock, again } = await openStore(row);
    const now = (): number => clock.now;
    const book: SessionBook = createSessionBook({ store, now, ...options });
    const open = (changes?: Partial<NewSession>): ReturnType<SessionBook['open']> =>
      book.open(session(clock.now, changes));
    const check = (id: JsonValue | undefined, agent = 'did:key:opener', key = KEY) =>
      failureCode(book.check(id, agent, key));
    return { store, clock, again, book, open, check, now };
  }

  test('a session is live for its agent and key', async () => {
    const { open, check } = await setUp();
    const { id, document: opened } = await open();
    expect(opened).toEqual({
      from_agent: 'did:key:opener',
      to_agent: 'did:key:keeper',
      profile: { mode: 'enc+sig' },
      nonce: 'nonce-12345678',
      expires: '2026-01-01T00:05:00Z',
    });
    expect(id).toBe(sessionBindingId(opened));
    expect(await check(id)).toBeUndefined();
  });

  test('a session is of no use to another agent or another key', async () => {
    const { open, check } = await setUp();
    const { id } = await open();
    expect(await check(id, 'did:key:mallory')).toBe('SESSION_INVALID');
    expect(await check(id, 'did:key:opener', 'thumbprint-2')).toBe('SESSION_INVALID');
    expect(await check(id, 'did:key:openert', 'humbprint-1')).toBe('SESSION_INVALID');
  });

  test('what is no binding id is no session', async () => {
    const { open, check, store } = await setUp();
    const { id } = await open();
    await store.put('session', 'foreign', utf8('x'));
    for (const other of [undefined, null, '', 'foreign', [id], `${id} `, 'x'.repeat(9_999), 1]) {
      expect(await check(other)).toBe('SESSION_INVALID');
    }
    expect(await check(id.replace(/.$/, (last) => (last === '0' ? '1' : '0')))).toBe(
      'SESSION_INVALID',
    );
  });

  test('a session ends at its expiry', async () => {
    const { open, check, clock } = await setUp();
    const { id, expiresMs } = await open();
    clock.now = expiresMs - 1;
    expect(await check(id)).toBeUndefined();
    clock.now = expiresMs;
    expect(await check(id)).toBe('SESSION_INVALID');
  });

  test('a session ends by the book’s clock too, when that of the store is behind', async () => {
    const { store, clock } = await setUp();
    let now = clock.now;
    const book = createSessionBook({ store, now: () => now });
    const { id, expiresMs } = await book.open(session(now));
    now = expiresMs;
    expect(await failureCode(book.check(id, 'did:key:opener', KEY))).toBe('SESSION_INVALID');
  });

  test('an expiry in the year 2999 is cut to the longest time, and the binding says so', async () => {
    const { open, check, clock } = await setUp();
    const asked = Date.UTC(2999, 0, 1);
    const { id, expiresMs, document: opened } = await open({ expiresMs: asked });
    expect(expiresMs).toBe(clock.now + DAY);
    expect(opened.expires).toBe('2026-01-02T00:00:00Z');
    expect(id).toBe(sessionBindingId(opened));
    clock.now += DAY;
    expect(await check(id)).toBe('SESSION_INVALID');
  });

  test('without an expiry it is ten minutes, or less where less is allowed', async () => {
    const { open, clock } = await setUp();
    expect((await open({ expiresMs: undefined })).expiresMs).toBe(clock.now + 10 * MINUTE);
    const short = await setUp({ maxTtlMs: MINUTE });
    expect((await short.open({ expiresMs: undefined })).expiresMs).toBe(clock.now + MINUTE);
  });

  test('an expiry that has passed opens nothing', async () => {
    const { open, clock, store } = await setUp();
    for (const expiresMs of [clock.now, clock.now - 1, NaN]) {
      expect(await failureCode(open({ expiresMs }))).toBe('SESSION_INVALID');
    }
    expect(await store.count('session')).toBe(0);
  });

  test('opening the same once more changes nothing, also when the agent is full', async () => {
    const { open, store } = await setUp({ maxPerAgent: 1 });
    const first = await open();
    const entry = await store.get('session', first.id);
    expect(await open()).toEqual(first);
    expect(await store.get('session', first.id)).toEqual(entry);
  });

  test('another key cannot take over a session', async () => {
    const { open, check } = await setUp();
    const { id } = await open();
    expect(await failureCode(open({ keyThumbprint: 'thumbprint-2' }))).toBe('SESSION_INVALID');
    expect(await check(id)).toBeUndefined();
    expect(await check(id, 'did:key:opener', 'thumbprint-2')).toBe('SESSION_INVALID');
  });

  test('an agent that has as many as it may is refused, and nobody else loses one', async () => {
    const { open, check } = await setUp({ maxPerAgent: 3 });
    const victim = await open({ agentId: 'did:key:victim' });
    const own = await Promise.all(range(3).map((n) => open({ nonce: `nonce-1234-${n}` })));
    const beyond = range(20).map((n) => failureCode(open({ nonce: `beyond-1234-${n}` })));
    expect(new Set(await Promise.all(beyond))).toEqual(new Set(['LIMIT_RATE']));
    expect(await check(victim.id, 'did:key:victim')).toBeUndefined();
    for (const { id } of own) expect(await check(id)).toBeUndefined();
    expect(await failureCode(open({ agentId: 'did:key:third' }))).toBeUndefined();
  });

  test('many opened at once are exactly as many as the agent may have', async () => {
    const { open, store } = await setUp({ maxPerAgent: 5 });
    const codes = await Promise.all(
      range(40).map((n) => failureCode(open({ nonce: `nonce-${n}` }))),
    );
    expect(codes.filter((code) => code === undefined)).toHaveLength(5);
    expect(await store.count('session')).toBe(5);
  });

  test('sessions that have ended make room', async () => {
    const { open, clock } = await setUp({ maxPerAgent: 1 });
    await open();
    expect(await failureCode(open({ nonce: 'another-nonce' }))).toBe('LIMIT_RATE');
    clock.now += 5 * MINUTE;
    expect(await failureCode(open({ nonce: 'another-nonce' }))).toBeUndefined();
  });

  test('an ack registers nothing: only opening does', async () => {
    const { check, store, clock } = await setUp();
    const acked: BindingDocument = { ...document, expires: '2026-01-01T00:05:00Z' };
    const sig = await signSessionBinding(acked, secretKey, crypto);
    expect(await verifySessionBinding(acked, sig, { publicKey, crypto })).toBe(true);
    expect(clock.now).toBeLessThan(Date.parse(acked.expires));
    expect(await check(sessionBindingId(acked))).toBe('SESSION_INVALID');
    expect(await store.count('session')).toBe(0);
  });
});

describe.each(sharedRows)('#session after a restart, in $label', (row) => {
  test('sessions are live still, and the quota is used still', async () => {
    const { store, clock, again } = await openStore(row);
    const options = { now: () => clock.now, maxPerAgent: 1 };
    const { id } = await createSessionBook({ store, ...options }).open(session(clock.now));
    await store.close();
    const book = createSessionBook({ store: await again(), ...options });
    expect(await failureCode(book.check(id, 'did:key:opener', KEY))).toBeUndefined();
    const more = book.open(session(clock.now, { nonce: 'another-nonce' }));
    expect(await failureCode(more)).toBe('LIMIT_RATE');
  });
});

describe('#session a book with options that make no sense', () => {
  test.each(['maxTtlMs', 'maxPerAgent'])('names %s', (name) => {
    for (const value of [0, -1, 1.5, NaN]) {
      const make = (): unknown => createSessionBook({ store: createMemoryStore(), [name]: value });
      expect(make).toThrow(new RegExp(`"${name}"`));
    }
  });
});
