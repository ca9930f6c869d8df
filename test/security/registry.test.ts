// The trust registry: which proposals are applied, once, in order, for good.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { encodeBase64url } from '../../src/codec/base64url.ts';
import { writeJcs } from '../../src/codec/canonical-jcs.ts';
import { writePythonJson } from '../../src/codec/canonical-python.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import {
  DOCUMENT_PURPOSES,
  documentSigningInput,
} from '../../src/security/identity/document-signature.ts';
import { proposalId } from '../../src/security/trust/registry-proposal.ts';
import { signingInput } from '../../src/security/message/signing-input.ts';
import { switchesOf } from '../../src/security/policy/switches.ts';
import type { AcceptedProposal, RejectedProposal } from '../../src/security/trust/log.ts';
import { createTrustLog } from '../../src/security/trust/log.ts';
import { textOf } from '../support/wire/bytes.ts';
import { request } from '../support/wire/envelopes.ts';
import { mutantsOf } from '../support/wire/mutations.ts';
import type { Approver, Opened } from '../support/trust/trust.ts';
import {
  APPROVERS,
  EMPTY,
  NOW,
  OWN,
  approved,
  approvers,
  crypto,
  publicText,
  registryAfter,
  seed,
  single,
  trustStores,
} from '../support/trust/trust.ts';

const ALICE = { trusted_signing_keys: { 'alice-1': publicText(1) } };
const BOTH: readonly Approver[] = ['ann', 'ben'];
const QUORUM = { quorum: 2 };

async function accept({ log }: Pick<Opened, 'log'>, payload: JsonValue): Promise<AcceptedProposal> {
  const answer = await log.propose(payload);
  if (answer.status === 'rejected') throw new Error(answer.message);
  return answer;
}

async function reject({ log }: Opened, payload: JsonValue): Promise<RejectedProposal> {
  const before = await log.discover();
  const answer = await log.propose(payload);
  if (answer.status === 'accepted') throw new Error('the proposal was accepted');
  expect(await log.discover()).toEqual(before);
  return answer;
}

function unsigned(payload: JsonObject): JsonObject {
  const { signature: _, ...rest } = payload;
  return rest;
}

/** Nothing of the registry is told to whoever did not show enough approvals. */
const TELLS_NOTHING = ['code', 'message', 'op', 'status'];

describe.each(trustStores())('#registry the trust log %s', (_, open) => {
  test('starts with nothing trusted', async () => {
    const { log } = await open();
    expect(await log.discover()).toEqual({
      op: 'discover',
      status: 'snapshot',
      snapshot: {
        trusted_signing_keys: {},
        required_kid_by_agent: {},
        allowed_kids_by_agent: {},
        revoked_kids: [],
        kid_not_after: {},
      },
      registry_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
      head: {
        seq: 0,
        hash: 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      },
    });
  });

  test('applies one proposal after another, and is the same after a restart', async () => {
    const opened = await open();
    const first = await accept(opened, await single(registryAfter(EMPTY, ALICE)));
    const second = await accept(
      opened,
      await approved(
        registryAfter(first.head, {
          seq: 7,
          trusted_signing_keys: { __proto__: null, 'bob-1': publicText(2) },
          required_kid_by_agent: { 'did:key:bob': 'bob-1' },
          allowed_kids_by_agent: { 'did:key:alice': ['alice-2', 'alice-1'] },
          revoked_kids: ['old'],
          kid_not_after: { 'bob-1': '2027-01-01T00:00:00Z' },
        }),
        ['cem', 'ann'],
      ),
    );
    expect(second).toMatchObject({
      head: { seq: 7, hash: second.proposal_id },
      approved_by: ['ann', 'cem'],
    });
    const snapshot = await opened.log.discover();
    expect(snapshot.registry_hash).toBe(second.registry_hash);
    expect(snapshot.snapshot).toEqual({
      trusted_signing_keys: { 'alice-1': publicText(1), 'bob-1': publicText(2) },
      required_kid_by_agent: { 'did:key:bob': 'bob-1' },
      allowed_kids_by_agent: { 'did:key:alice': ['alice-1', 'alice-2'] },
      revoked_kids: ['old'],
      kid_not_after: { 'bob-1': '2027-01-01T00:00:00Z' },
    });
    const reopened = await opened.reopen();
    expect(reopened.log.registry).toEqual(snapshot.snapshot);
    expect(await reopened.log.discover()).toEqual(snapshot);
  });

  test('W52 a snapshot stays what it was while proposals are applied', async () => {
    const opened = await open();
    const before = opened.log.registry;
    await accept(opened, await single(registryAfter(EMPTY, ALICE)));
    expect(before.trusted_signing_keys).toEqual({});
    expect(opened.log.registry).not.toBe(before);
    const write = (): unknown =>
      Object.assign(opened.log.registry.trusted_signing_keys, { 'alice-1': 'other' });
    expect(write).toThrow(TypeError);
  });

  test('W11 an applied proposal gets the same answer again, also later and after a restart', async () => {
    const opened = await open();
    const payload = await single(registryAfter(EMPTY, ALICE));
    const answer = await accept(opened, payload);
    const next = await accept(opened, await single(registryAfter(answer.head), 'ben'));
    expect(await accept(opened, payload)).toEqual(answer);
    const reopened = await opened.reopen();
    reopened.clock.now = NOW + 365 * 86_400_000;
    expect(await accept(reopened, payload)).toEqual(answer);
    expect((await reopened.log.discover()).head).toEqual(next.head);
    expect(await reopened.store.length(`trust:${OWN}`)).toBe(2);
  });

  test('of two proposals at once one wins, and the other learns the head', async () => {
    const opened = await open();
    const other = await createTrustLog({
      store: opened.store,
      crypto,
      ownAgentId: OWN,
      approvers,
      now: () => NOW,
    });
    const payloads = await Promise.all([
      single(registryAfter(EMPTY, ALICE)),
      single(registryAfter(EMPTY, { revoked_kids: ['alice-1'] })),
    ]);
    const answers = await Promise.all([
      opened.log.propose(payloads[0]),
      other.propose(payloads[1]),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['accepted', 'rejected']);
    const won = answers.find(({ status }) => status === 'accepted') as AcceptedProposal;
    const lost = answers.find(({ status }) => status === 'rejected') as RejectedProposal;
    expect(lost).toMatchObject({
      code: 'STATE_BASE',
      head: won.head,
      registry_hash: won.registry_hash,
    });
    expect((await opened.log.discover()).head).toEqual(won.head);
    expect((await other.discover()).head).toEqual(won.head);
    expect(await opened.store.length(`trust:${OWN}`)).toBe(1);
  });

  test('one proposal sent many times at once is applied once', async () => {
    const opened = await open();
    const payload = await single(registryAfter(EMPTY, ALICE));
    const answers = await Promise.all(Array.from({ length: 8 }, () => opened.log.propose(payload)));
    expect(
      new Set(answers.map((answer) => textOf(writeJson(answer as unknown as JsonObject)))).size,
    ).toBe(1);
    expect(answers[0]).toMatchObject({ status: 'accepted' });
    expect(await opened.store.length(`trust:${OWN}`)).toBe(1);
  });

  test('W12 a kid keeps its key, and revoked stays revoked, across merges, replacements and restarts', async () => {
    const opened = await open();
    const first = await accept(
      opened,
      await single(registryAfter(EMPTY, { ...ALICE, revoked_kids: ['r'] })),
    );
    const rebound = { trusted_signing_keys: { 'alice-1': publicText(9) } };
    expect(await reject(opened, await single(registryAfter(first.head, rebound)))).toMatchObject({
      code: 'NOT_AUTHORIZED',
      message: 'a kid would be bound to another key',
    });
    const renamed = { trusted_signing_keys: { 'alice-2': publicText(1) } };
    expect((await reject(opened, await single(registryAfter(first.head, renamed)))).message).toBe(
      'a key would be bound to another kid',
    );
    const emptied = await accept(opened, await approved(registryAfter(first.head), BOTH, false));
    const reopened = await opened.reopen();
    expect(reopened.log.registry).toMatchObject({ trusted_signing_keys: {}, revoked_kids: ['r'] });
    await reject(reopened, await single(registryAfter(emptied.head, rebound)));
    await reject(reopened, await single(registryAfter(emptied.head, renamed)));
    await accept(reopened, await single(registryAfter(emptied.head, ALICE)));
    expect(reopened.log.registry).toMatchObject(ALICE);
  });
});

const [, openMemory] = trustStores()[0]!;

describe('#registry who may change it', () => {
  test('W10 a single signature only adds: with merge false it is refused', async () => {
    const opened = await openMemory();
    const { head } = await accept(opened, await single(registryAfter(EMPTY, ALICE)));
    const payload = await single(registryAfter(head));
    const wipe: JsonObject = { ...payload, merge: false };
    expect((await reject(opened, wipe)).message).toContain('can only add');
    const asApproval = { approver: 'ann', signature: payload['signature']! };
    expect((await reject(opened, { ...unsigned(wipe), approvals: [asApproval] })).code).toBe(
      'NOT_AUTHORIZED',
    );
    expect(opened.log.registry).toMatchObject(ALICE);
  });

  test('W10 approvals cover merge: those for adding do not replace', async () => {
    const opened = await openMemory(QUORUM);
    const { head } = await accept(opened, await approved(registryAfter(EMPTY, ALICE), BOTH));
    const payload = await approved(registryAfter(head), BOTH);
    expect((await reject(opened, { ...payload, merge: false })).message).toContain('2 approvals');
    await accept(opened, await approved(registryAfter(head), BOTH, false));
    expect(opened.log.registry.trusted_signing_keys).toEqual({});
  });

  test.each<[string, JsonObject, RegExp]>([
    ['an older seq', { seq: 1 }, /does not follow/],
    ['another prev_hash', { prev_hash: EMPTY.hash }, /does not follow/],
    ['an end that has passed', { exp: '2026-01-10T00:00:00Z' }, /expired/],
    ['a weak key', { trusted_signing_keys: { w: encodeBase64url(new Uint8Array(32)) } }, /weak/],
    ['W7 the key of an approver', { trusted_signing_keys: { a: publicText(102) } }, /approver/],
  ])('W10 W11 approved, but with %s: refused, and the head is told', async (_, change, reason) => {
    const opened = await openMemory();
    const { head } = await accept(opened, await single(registryAfter(EMPTY, ALICE)));
    const refused = await reject(opened, await single(registryAfter(head, change)));
    expect(refused.message).toMatch(reason);
    expect(refused.head).toEqual(head);
  });

  test('W11 for another audience it is refused', async () => {
    const opened = await openMemory();
    const refused = await reject(opened, await single(registryAfter(EMPTY, { aud: 'did:key:x' })));
    expect(refused.message).toContain('another agent');
  });

  test('W11 an id is the hash of its content, so that none can be taken beforehand', async () => {
    const opened = await openMemory();
    const payload = await single(registryAfter(EMPTY, ALICE));
    const id = proposalId(true, payload['registry'] as JsonObject);
    const other = await single(registryAfter(EMPTY, { revoked_kids: ['x'] }));
    expect((await reject(opened, { ...other, proposal_id: id })).message).toContain('/proposal_id');
    expect((await accept(opened, { ...payload, proposal_id: id })).proposal_id).toBe(id);
  });

  test.each<[string, (payload: JsonObject) => JsonObject]>([
    ['without a signature', unsigned],
    ['with no approvals', (payload) => ({ ...unsigned(payload), approvals: [] })],
    ['with a signature of another key', (payload) => ({ ...payload, signature: 'A'.repeat(86) })],
    ['with both kinds of signature', (payload) => ({ ...payload, approvals: [] })],
  ])('W11 a known proposal %s tells nothing', async (_, change) => {
    const opened = await openMemory();
    const payload = await single(registryAfter(EMPTY, ALICE));
    const { proposal_id: id } = await accept(opened, payload);
    const refused = await reject(opened, { ...change(payload), proposal_id: id });
    expect(refused.code).toBe('NOT_AUTHORIZED');
    expect(Object.keys(refused).sort()).toEqual(TELLS_NOTHING);
  });

  test('a quorum is of distinct, known approvers, each with its own key', async () => {
    const opened = await openMemory(QUORUM);
    const registry = registryAfter(EMPTY, ALICE);
    const { approvals, ...rest } = await approved(registry, ['ann', 'ben']);
    const [ann, ben] = approvals as [JsonObject, JsonObject];
    const lacking: JsonValue[][] = [
      [ann],
      [ann, ann],
      [ann, { ...ben, approver: 'cem' }],
      [ann, { ...ann, approver: 'ben' }],
      [ann, { ...ben, approver: 'stranger' }],
    ];
    for (const claims of lacking) {
      const refused = await reject(opened, { ...rest, approvals: claims });
      expect(Object.keys(refused).sort()).toEqual(TELLS_NOTHING);
    }
    expect((await reject(opened, await single(registry))).message).toContain('2 approvals');
    const noise = { approver: 'stranger', signature: 'x' };
    const answer = await accept(opened, { ...rest, approvals: [noise, ann, ann, ben] });
    expect(answer.approved_by).toEqual(['ann', 'ben']);
  });

  test.each([
    ['one key twice', { approvers: new Map([...approvers, ['dup', approvers.get('ann')!]]) }],
    ['a weak key', { approvers: new Map([['weak', new Uint8Array(32)]]) }],
    ['a quorum of none', { quorum: 0 }],
    ['a quorum beyond the approvers', { quorum: 4 }],
  ])('%s is a mistake of the caller', async (_, options) => {
    await expect(openMemory(options)).rejects.toThrow(/^"(approvers|quorum)"/);
  });

  test('without approvers nothing can be changed', async () => {
    const opened = await openMemory({ approvers: new Map() });
    await reject(opened, await single(registryAfter(EMPTY, ALICE)));
  });
});

describe('#registry signatures', () => {
  const registry = registryAfter(EMPTY, ALICE);
  const statement = {
    merge: true,
    op: 'propose',
    proposal_id: proposalId(true, registry),
    registry,
  };
  const signatureOver = async (bytes: Uint8Array): Promise<JsonObject> => ({
    op: 'propose',
    registry,
    signature: encodeBase64url(await crypto.sign(bytes, seed(APPROVERS.ann))),
  });

  test.each(DOCUMENT_PURPOSES)('W7 of the purpose %s', async (purpose) => {
    const opened = await openMemory();
    const payload = await signatureOver(documentSigningInput(purpose, statement));
    expect((await opened.log.propose(payload)).status).toBe(
      purpose === 'registry' ? 'accepted' : 'rejected',
    );
  });

  test('W7 of an envelope are none for a registry, not even under the switch', async () => {
    const opened = await openMemory();
    const sec = { mode: 'sig', kid: 'k', sig: { alg: 'ed25519', value: '' } };
    const envelope = { ...request, sec, payload: registry };
    for (const form of ['jcs', 'python'] as const) {
      const payload = await signatureOver(signingInput(envelope, form));
      const blank = { ...payload, registry: envelope };
      for (const one of [payload, blank]) {
        expect((await opened.log.propose(one, switchesOf('compat'))).status).toBe('rejected');
      }
    }
  });

  test('in the forms of v1 are accepted only under the switch v1-trustsync', async () => {
    const approval = await signatureOver(writePythonJson(statement));
    const payloads: JsonObject[] = [
      await signatureOver(writePythonJson(registry)),
      {
        op: 'propose',
        merge: true,
        registry,
        approvals: [{ approver: 'ann', signature: approval['signature']! }],
      },
    ];
    for (const payload of payloads) {
      const opened = await openMemory();
      expect((await reject(opened, payload)).code).toBe('NOT_AUTHORIZED');
      const answer = await opened.log.propose(payload, new Set(['v1-trustsync'] as const));
      expect(answer.status).toBe('accepted');
    }
    const opened = await openMemory();
    const wipe = { ...payloads[0]!, merge: false };
    expect((await opened.log.propose(wipe, switchesOf('compat'))).status).toBe('rejected');
    const bare = await signatureOver(writeJcs(ALICE));
    expect(
      await opened.log.propose({ ...bare, registry: ALICE }, switchesOf('compat')),
    ).toMatchObject({
      status: 'rejected',
      message: expect.stringContaining('/registry/prev_hash') as string,
    });
  });

  test('a document changed in any one place is refused', async () => {
    const opened = await openMemory();
    const full = registryAfter(EMPTY, {
      ...ALICE,
      required_kid_by_agent: { a: 'alice-1' },
      allowed_kids_by_agent: { a: ['alice-1', 'alice-2'] },
      revoked_kids: ['old'],
      kid_not_after: { 'alice-1': '2027-01-01T00:00:00Z' },
    });
    const payload = await single(full);
    await fc.assert(
      fc.asyncProperty(mutantsOf(full), async (mutant) => {
        const { status } = await opened.log.propose({ ...payload, registry: mutant });
        expect(status).toBe('rejected');
      }),
      { numRuns: 200 },
    );
    await accept(opened, payload);
  });
});
