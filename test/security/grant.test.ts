// Grants: who may hand on what, and that nobody gains by handing on.

import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';

import { encodeBase64url } from '../../src/codec/base64url.ts';
import { writeJcs } from '../../src/codec/canonical-jcs.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { SdlError } from '../../src/errors.ts';
import { didKeyFromPublicKey, publicKeyFromDidKey } from '../../src/security/identity/did-key.ts';
import type { SignedDocument } from '../../src/security/identity/document-signature.ts';
import { DOCUMENT_PURPOSES, signDocument } from '../../src/security/identity/document-signature.ts';
import type { GrantScope } from '../../src/security/policy/grant-shape.ts';
import type {
  Attenuation,
  VerifiedGrant,
  VerifyGrantOptions,
} from '../../src/security/policy/grant.ts';
import {
  attenuateGrant,
  isNameAllowed,
  issueGrant,
  verifyGrant,
} from '../../src/security/policy/grant.ts';
import { signingInput } from '../../src/security/message/signing-input.ts';
import { parse, textOf } from '../support/wire/bytes.ts';
import { request } from '../support/wire/envelopes.ts';
import { mutantsOf } from '../support/wire/mutations.ts';

const crypto = chooseProvider();
const NOW = Date.UTC(2026, 0, 10);
const END = NOW + 86_400_000;

interface Agent {
  readonly id: string;
  readonly secret: Uint8Array;
}
const agent = (fill: number): Agent => {
  const secret = new Uint8Array(32).fill(fill); // TEST ONLY
  return { id: didKeyFromPublicKey(crypto.ed25519PublicKey(secret)), secret };
};
const [bank, alice, bob, carol, mallory] = [1, 2, 3, 4, 5].map(agent) as [
  Agent,
  Agent,
  Agent,
  Agent,
  Agent,
];

const ROOT = {
  id: 'g-1',
  iss: bank.id,
  sub: alice.id,
  aud: bank.id,
  allow: { ct: ['toolcall.v1', 'task.v1'], tools: ['math.add', 'sys.ping'] },
  maxHops: 3,
  notAfterMs: END,
};

const keysOf = (agentId: string): Uint8Array[] => {
  const key = publicKeyFromDidKey(agentId);
  return key === undefined ? [] : [key];
};
const atBank = (options: Partial<VerifyGrantOptions> = {}): VerifyGrantOptions => ({
  crypto,
  holder: alice.id,
  audience: bank.id,
  nowMs: NOW,
  hops: 0,
  keysOf,
  mayGrant: () => false,
  ...options,
});

function verify(
  value: JsonValue | undefined,
  options?: Partial<VerifyGrantOptions>,
): Promise<VerifiedGrant> {
  return verifyGrant(value, atBank(options));
}

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (thrown) {
    if (!(thrown instanceof SdlError)) throw thrown;
    expect(thrown.code).toBe('NOT_AUTHORIZED');
    return thrown.reason;
  }
  throw new Error('it was accepted');
}

/** Signed by its issuer, whatever it says. */
const forge = (content: JsonObject, { secret }: Agent): Promise<SignedDocument> =>
  signDocument('grant', content, secret, crypto);

let root: SignedDocument;
let child: SignedDocument;
beforeAll(async () => {
  const issued = await issueGrant(ROOT, bank.secret, crypto);
  root = parse(textOf(writeJson(issued))) as SignedDocument;
  const narrower = { id: 'g-2', sub: bob.id, allow: { ct: ['toolcall.v1'], tools: ['math.add'] } };
  child = await attenuateGrant(root, narrower, alice.secret, crypto);
});

describe('#grant a grant', () => {
  test('has the members of the wire', () => {
    expect({ ...root }).toEqual({
      id: 'g-1',
      iss: bank.id,
      sub: alice.id,
      aud: bank.id,
      allow: { ct: ['toolcall.v1', 'task.v1'], tools: ['math.add', 'sys.ping'] },
      max_hops: 3,
      not_after: '2026-01-11T00:00:00Z',
      sig: expect.stringMatching(/^[\w-]{86}$/) as string,
    });
  });

  test('of the audience itself holds for its holder', async () => {
    expect(await verify(root)).toEqual({
      allow: ROOT.allow,
      notAfterMs: END,
      chain: [{ id: 'g-1', iss: bank.id, sub: alice.id }],
    });
  });

  test('of a peer holds only where that peer is trusted to grant', async () => {
    const content = { ...ROOT, iss: carol.id };
    const grant = await issueGrant(content, carol.secret, crypto);
    expect(await refusal(verify(grant))).toContain('not trusted to grant');
    const mayGrant = (agentId: string): boolean => agentId === carol.id;
    expect((await verify(grant, { mayGrant })).allow).toEqual(ROOT.allow);
  });

  test('is handed on by its holder alone, offline, and names everyone on the way', async () => {
    const third = await attenuateGrant(child, { id: 'g-3', sub: carol.id }, bob.secret, crypto);
    expect(third['max_hops']).toBe(1);
    const verified = await verify(third, { holder: carol.id });
    expect(verified.allow).toEqual({ ct: ['toolcall.v1'], tools: ['math.add'] });
    expect(verified.chain.map(({ id }) => id)).toEqual(['g-1', 'g-2', 'g-3']);
    expect(isNameAllowed(verified.allow.tools, 'math.add')).toBe(true);
    expect(isNameAllowed(verified.allow.tools, 'sys.ping')).toBe(false);
  });

  test('is verified with any key of its issuer, and with no other', async () => {
    const operational = agent(20);
    const signed = await issueGrant(ROOT, operational.secret, crypto);
    expect(await refusal(verify(signed))).toContain('not signed by its issuer');
    const keys = [...keysOf(bank.id), crypto.ed25519PublicKey(operational.secret)];
    expect((await verify(signed, { keysOf: () => keys })).allow).toEqual(ROOT.allow);
    expect(await refusal(verify(root, { keysOf: () => [] }))).toContain('not signed');
  });

  test('holds to its last moment, and a clock that is no number refuses it', async () => {
    expect(await verify(root, { nowMs: END })).toBeDefined();
    expect(await refusal(verify(root, { nowMs: END + 1 }))).toBe('the grant has ended');
    expect(await refusal(verify(root, { nowMs: NaN }))).toBe('the grant has ended');
  });

  test('counts a delegation as a hop: what is left is for messages', async () => {
    expect(await verify(root, { hops: 3 })).toBeDefined();
    expect(await refusal(verify(root, { hops: 4 }))).toContain('further than');
    expect(await verify(child, { holder: bob.id, hops: 3 })).toBeDefined();
    expect(await refusal(verify(child, { holder: bob.id, hops: 4 }))).toContain('further than');
    expect(await refusal(verify(root, { hops: NaN }))).toContain('further than');
  });

  test('is nothing to another agent or to another audience', async () => {
    expect(await refusal(verify(root, { holder: mallory.id }))).toContain('held by another');
    expect(await refusal(verify(child, { holder: alice.id }))).toContain('held by another');
    const mayGrant = (): boolean => true;
    expect(await refusal(verify(root, { audience: carol.id, mayGrant }))).toContain(
      'another audience',
    );
  });

  test('made up by a stranger costs one signature, however long its chain', async () => {
    let made = await forge({ ...root, iss: bank.id, sub: mallory.id, max_hops: 9 }, mallory);
    for (let depth = 1; depth < 8; depth += 1) {
      made = await attenuateGrant(made, { id: 'm', sub: mallory.id }, mallory.secret, crypto);
    }
    let verified = 0;
    const counting: VerifyGrantOptions['crypto'] = {
      ...crypto,
      verify: (...input) => {
        verified += 1;
        return crypto.verify(...input);
      },
    };
    expect(await refusal(verify(made, { holder: mallory.id, crypto: counting }))).toContain(
      'not signed by its issuer',
    );
    expect(verified).toBe(1);
  });
});

describe('#grant narrowing', () => {
  const widenings: [string, Partial<Attenuation>, RegExp][] = [
    ['another content type', { allow: { ct: ['state.v1'], tools: [] } }, /allows more/],
    ['another tool', { allow: { ct: [], tools: ['sys.exec'] } }, /allows more/],
    ['every tool', { allow: { ct: [], tools: ['*'] } }, /allows more/],
    ['a later end', { notAfterMs: END + 1 }, /outlives/],
    ['as many hops', { maxHops: 3 }, /reaches as far/],
  ];

  test.each(widenings)('%s is refused when handing on', async (_, wider, reason) => {
    const narrower = { id: 'g-2', sub: bob.id, ...wider };
    expect(await refusal(attenuateGrant(root, narrower, alice.secret, crypto))).toMatch(reason);
  });

  test.each<[string, JsonObject, RegExp]>([
    ['another tool', { allow: { ct: [], tools: ['sys.exec'] } }, /allows more/],
    ['every content type', { allow: { ct: ['*'], tools: [] } }, /allows more/],
    ['a later end', { not_after: '2027-01-01T00:00:00Z' }, /outlives/],
    ['as many hops', { max_hops: 3 }, /reaches as far/],
    ['another audience', { aud: carol.id }, /another audience/],
  ])('%s is refused in a child that its issuer signed all the same', async (_, change, reason) => {
    const forged = await forge({ ...child, ...change }, alice);
    expect(await refusal(verify(forged, { holder: bob.id }))).toMatch(reason);
  });

  test('a child of somebody who does not hold the parent is refused', async () => {
    const stolen = { ...child, iss: mallory.id, sub: mallory.id };
    const asThief = await forge(stolen, mallory);
    expect(await refusal(verify(asThief, { holder: mallory.id }))).toContain('not issued by');
    const asAlice = await forge({ ...stolen, iss: alice.id }, mallory);
    expect(await refusal(verify(asAlice, { holder: mallory.id }))).toContain('not signed by');
  });

  test('a grant without hops left is not handed on, and everything can be granted once', async () => {
    const all = { ...ROOT, allow: { ct: ['*'], tools: ['*'] }, maxHops: 1 };
    const wide = await issueGrant(all, bank.secret, crypto);
    const allow = { ct: ['weather.v1'], tools: ['*'] };
    const given = { id: 'g-2', sub: bob.id, allow };
    const last = await attenuateGrant(wide, given, alice.secret, crypto);
    expect((await verify(last, { holder: bob.id })).allow).toEqual(allow);
    const more = attenuateGrant(last, { id: 'g-3', sub: carol.id }, bob.secret, crypto);
    expect(await refusal(more)).toContain('may not be handed on');
  });

  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', '*'), { maxLength: 3 });
  const step = fc.record({
    allow: fc.record({ ct: names, tools: names }),
    max_hops: fc.nat(9),
    not_after: fc.constantFrom('2026-01-10T00:00:00Z', '2026-01-11T00:00:00Z'),
  });

  test('never allows more than any ancestor, whatever the holders sign', async () => {
    let accepted = 0;
    const chainOf = fc.tuple(step, fc.array(step, { minLength: 1, maxLength: 3 }));
    await fc.assert(
      fc.asyncProperty(chainOf, async ([first, steps]) => {
        const holders = [alice, bob, carol, mallory];
        const base = { id: 'g', aud: bank.id };
        let grant = await forge({ ...base, ...first, iss: bank.id, sub: alice.id }, bank);
        for (const [index, next] of steps.entries()) {
          const [from, to] = [holders[index]!, holders[index + 1]!];
          grant = await forge({ ...base, ...next, iss: from.id, sub: to.id, parent: grant }, from);
        }
        const ancestors = [first, ...steps];
        const holder = holders[steps.length]!.id;
        const result = await verify(grant, { holder }).catch(() => undefined);
        if (result === undefined) return;
        accepted += 1;
        for (const [index, { allow, max_hops: hops }] of ancestors.entries()) {
          expect(hops).toBeGreaterThanOrEqual(steps.length - index);
          for (const kind of ['ct', 'tools'] as const satisfies (keyof GrantScope)[]) {
            for (const name of ['a', 'b', 'c', 'z']) {
              if (isNameAllowed(result.allow[kind], name)) {
                expect(isNameAllowed(allow[kind], name)).toBe(true);
              }
            }
          }
        }
      }),
      { numRuns: 400 },
    );
    expect(accepted).toBeGreaterThan(0);
  });
});

describe('#grant its shape', () => {
  test.each<[string, JsonObject, string]>([
    ['no id', { id: '' }, '/id'],
    ['a long id', { id: 'x'.repeat(257) }, '/id'],
    ['hops below zero', { max_hops: -1 }, '/max_hops'],
    ['hops in another spelling', { max_hops: new LosslessNumber('3.0') }, '/max_hops'],
    ['a local time', { not_after: '2026-01-11T00:00:00+01:00' }, '/not_after'],
    ['names that are no list', { allow: { ct: '*', tools: [] } }, '/allow/ct'],
    ['a pattern', { allow: { ct: [], tools: ['math.*'] } }, '/allow/tools/0'],
    ['an empty name', { allow: { ct: ['a', ''], tools: [] } }, '/allow/ct/1'],
    ['257 names', { allow: { ct: [], tools: Array(257).fill('a') as string[] } }, '/allow/tools'],
    ['another kind of scope', { allow: { ct: [], tools: [], admin: ['*'] } }, '/allow'],
    ['W13 scopes of its own', { scopes: ['admin'] }, ''],
    ['a parent that is null', { parent: null }, '/parent'],
  ])('with %s is refused, naming the place', async (_, change, path) => {
    const forged = await forge({ ...root, ...change }, bank);
    const error = await verify(forged).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'NOT_AUTHORIZED', details: { path } });
  });

  test('W13 claimed scopes, or no grant at all, give nothing', async () => {
    for (const value of [undefined, null, [], { scopes: ['*'], delegated_by: bank.id }]) {
      await refusal(verify(value));
    }
  });

  test('256 names and 8 nested grants are the most', async () => {
    const tools = Array.from({ length: 256 }, (_, index) => `tool-${index}`);
    const content = { ...ROOT, allow: { ct: [], tools }, maxHops: 20 };
    let grant = await issueGrant(content, bank.secret, crypto);
    for (let depth = 1; depth < 8; depth += 1) {
      grant = await attenuateGrant(grant, { id: 'n', sub: alice.id }, alice.secret, crypto);
    }
    expect((await verify(grant)).chain).toHaveLength(8);
    const ninth = { id: 'n', sub: alice.id };
    expect(await refusal(attenuateGrant(grant, ninth, alice.secret, crypto))).toContain('nested');
    expect(await refusal(verify(await forge({ ...child, parent: grant }, alice)))).toContain(
      'nested',
    );
  });

  test.each(DOCUMENT_PURPOSES.filter((purpose) => purpose !== 'grant'))(
    'W7 a signature for the purpose %s is none for a grant',
    async (purpose) => {
      const signed = await signDocument(purpose, root, bank.secret, crypto);
      expect(await refusal(verify(signed))).toContain('not signed by');
    },
  );

  test("W7 an envelope's signature, or one over the bare document, is none for a grant", async () => {
    const { sig: _, ...bare } = root;
    const envelope = {
      ...request,
      payload: { authz: { grant: bare } },
      sec: { mode: 'sig', kid: 'k', sig: { alg: 'ed25519', value: '' } },
    };
    for (const bytes of [signingInput(envelope, 'jcs'), writeJcs(bare)]) {
      const sig = encodeBase64url(await crypto.sign(bytes, bank.secret));
      expect(await refusal(verify({ ...bare, sig }))).toContain('not signed by');
    }
  });

  test('changed in any one place is refused', async () => {
    await fc.assert(
      fc.asyncProperty(mutantsOf(child), async (mutant) => {
        await refusal(verify(mutant, { holder: bob.id, mayGrant: () => true }));
      }),
      { numRuns: 500 },
    );
    expect(await verify(child, { holder: bob.id })).toBeDefined();
  });
});
