// Registry documents: a closed shape, one hash for equal content; and a log that is not as it was written.

import { describe, expect, test } from 'vitest';

import { readJson } from '../../src/codec/json/read.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import type { RegistryContent } from '../../src/security/trust/registry-document.ts';
import {
  EMPTY_REGISTRY,
  MAX_REGISTRY_ENTRIES,
  readRegistryDocument,
  registryHash,
  updateRegistry,
} from '../../src/security/trust/registry-document.ts';
import { createTrustLog } from '../../src/security/trust/log.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { codeOf, errorOf, parse } from '../support/wire/bytes.ts';
import type { Opened } from '../support/trust/trust.ts';
import {
  EMPTY,
  NOW,
  OWN,
  approvers,
  crypto,
  publicText,
  registryAfter,
  single,
  trustStores,
} from '../support/trust/trust.ts';

const contentOf = (content: JsonObject): RegistryContent =>
  readRegistryDocument(registryAfter(EMPTY, content), '').content;

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `k${index}`);
const mapOf = (count: number, value: JsonValue): JsonObject =>
  Object.fromEntries(names(count).map((name) => [name, value]));

describe('#registry a document', () => {
  test('may leave out everything but its place in the chain', () => {
    expect(contentOf({})).toEqual(EMPTY_REGISTRY);
  });

  test.each<[string, JsonObject, string]>([
    ['W7 an unknown member', { payload: {} }, ''],
    ['W53 a time of change', { updated_at: '2026-01-01T00:00:00Z' }, ''],
    ['W12 private keys', { decrypt_private_keys: {} }, '/decrypt_private_keys'],
    ['keys as a list', { trusted_signing_keys: [] }, '/trusted_signing_keys'],
    ['a null', { trusted_signing_keys: null }, '/trusted_signing_keys'],
    ['a key that is short', { trusted_signing_keys: { k: 'AAAA' } }, '/trusted_signing_keys'],
    ['a key that is no text', { trusted_signing_keys: { k: 1 } }, '/trusted_signing_keys'],
    [
      'a key in another spelling',
      { trusted_signing_keys: { k: `${publicText(1)}=` } },
      '/trusted_signing_keys',
    ],
    [
      'a kid without a name',
      { trusted_signing_keys: { '': publicText(1) } },
      '/trusted_signing_keys',
    ],
    [
      'a required kid that is empty',
      { required_kid_by_agent: { a: '' } },
      '/required_kid_by_agent',
    ],
    ['a long kid', { required_kid_by_agent: { a: 'x'.repeat(257) } }, '/required_kid_by_agent'],
    ['kids as text', { allowed_kids_by_agent: { a: 'k' } }, '/allowed_kids_by_agent'],
    ['a kid that is no text', { allowed_kids_by_agent: { a: [1] } }, '/allowed_kids_by_agent'],
    [
      '257 kids of one agent',
      { allowed_kids_by_agent: { a: names(257) } },
      '/allowed_kids_by_agent',
    ],
    ['revoked kids as an object', { revoked_kids: {} }, '/revoked_kids'],
    ['revoked kids that are null', { revoked_kids: null }, '/revoked_kids'],
    ['a revoked kid that is no text', { revoked_kids: [null] }, '/revoked_kids'],
    ['a loose date', { kid_not_after: { k: '2026-W01-1' } }, '/kid_not_after'],
    ['too many entries', { kid_not_after: mapOf(4097, '2027-01-01T00:00:00Z') }, '/kid_not_after'],
    ['a seq below zero', { seq: -1 }, '/seq'],
    ['a seq in another spelling', { seq: new LosslessNumber('1.0') }, '/seq'],
    ['a seq that is no number', { seq: '1' }, '/seq'],
    ['a prev_hash that is none', { prev_hash: 'sha256:00' }, '/prev_hash'],
    ['no audience', { aud: '' }, '/aud'],
    ['no end', { exp: null }, '/exp'],
  ])('with %s is refused, naming the member', (_, change, path) => {
    const error = errorOf(() => readRegistryDocument(registryAfter(EMPTY, change), '/registry'));
    expect(error).toMatchObject({
      code: 'ENVELOPE_INVALID',
      details: { path: `/registry${path}` },
    });
  });

  test.each(['seq', 'prev_hash', 'aud', 'exp'])('without %s is refused', (member) => {
    const { [member]: _, ...rest } = registryAfter(EMPTY);
    expect(errorOf(() => readRegistryDocument(rest, ''))?.details).toEqual({ path: `/${member}` });
  });

  test('W12 private keys are named as what they are, and no value is repeated', () => {
    const secret = 'c2VjcmV0';
    const document = registryAfter(EMPTY, { decrypt_private_keys: { own: secret } });
    const error = errorOf(() => readRegistryDocument(document, '/registry'));
    expect(error?.reason).toContain('private keys');
    expect(JSON.stringify([error?.message, error?.details])).not.toContain(secret);
  });

  test('takes any name as data', () => {
    const text = `{"trusted_signing_keys":{"__proto__":"${publicText(1)}","constructor":"${publicText(2)}"}}`;
    const { trusted_signing_keys: keys } = contentOf(parse(text) as JsonObject);
    expect(Object.keys(keys)).toEqual(['__proto__', 'constructor']);
    expect(
      Object.keys(contentOf({ trusted_signing_keys: keys }).trusted_signing_keys),
    ).toHaveLength(2);
  });
});

describe('#registry W53 the hash of a registry', () => {
  const content = {
    trusted_signing_keys: { a: publicText(1), b: publicText(2) },
    allowed_kids_by_agent: { x: ['a', 'b'] },
    revoked_kids: ['r', 's'],
    kid_not_after: { a: '2027-01-01T00:00:00Z' },
  };

  test('is equal for equal content, however and whenever it was written', () => {
    const other = {
      kid_not_after: { a: '2027-01-01T00:00:00.000Z' },
      revoked_kids: ['s', 'r', 's'],
      allowed_kids_by_agent: { x: ['b', 'a', 'a'] },
      trusted_signing_keys: { b: publicText(2), a: publicText(1) },
      required_kid_by_agent: {},
      seq: 9,
      exp: '2030-01-01T00:00:00Z',
    };
    expect(registryHash(contentOf(other))).toBe(registryHash(contentOf(content)));
    const inSteps = updateRegistry(
      updateRegistry(EMPTY_REGISTRY, contentOf({ revoked_kids: ['s'] }), true),
      contentOf(content),
      true,
    );
    expect(registryHash(inSteps)).toBe(registryHash(contentOf(content)));
  });

  test.each<[string, JsonObject]>([
    ['a key', { trusted_signing_keys: { a: publicText(1) } }],
    ['a kid of an agent', { allowed_kids_by_agent: { x: ['a'] } }],
    ['a revoked kid', { revoked_kids: ['r'] }],
    ['a time', { kid_not_after: { a: '2027-01-01T00:00:01Z' } }],
    ['a required kid', { required_kid_by_agent: { x: 'a' } }],
  ])('changes with %s', (_, change) => {
    expect(registryHash(contentOf({ ...content, ...change }))).not.toBe(
      registryHash(contentOf(content)),
    );
  });
});

describe('#registry an update', () => {
  const before = contentOf({
    trusted_signing_keys: { a: publicText(1) },
    allowed_kids_by_agent: { x: ['a'] },
    revoked_kids: ['r'],
  });

  test('adds kids of an agent and keeps what it does not name', () => {
    const after = updateRegistry(before, contentOf({ allowed_kids_by_agent: { x: ['b'] } }), true);
    expect(after).toEqual({ ...before, allowed_kids_by_agent: { x: ['a', 'b'] } });
  });

  test('that replaces keeps nothing but what is revoked', () => {
    expect(updateRegistry(before, EMPTY_REGISTRY, false)).toEqual({
      ...EMPTY_REGISTRY,
      revoked_kids: ['r'],
    });
  });

  test('cannot make the registry grow without end', () => {
    const full = contentOf({ revoked_kids: names(MAX_REGISTRY_ENTRIES) });
    expect(updateRegistry(full, contentOf({ revoked_kids: ['k0'] }), true)).toEqual(full);
    const one = contentOf({ revoked_kids: ['one more'] });
    expect(codeOf(() => updateRegistry(full, one, false))).toBe('LIMIT_MEMBERS');
    const kids = contentOf({ allowed_kids_by_agent: { x: names(256) } });
    expect(codeOf(() => updateRegistry(kids, before, true))).toBe('LIMIT_MEMBERS');
  });
});

describe('#registry a log that is not as it was written', () => {
  const [, open] = trustStores()[0]!;
  const LOG = `trust:${OWN}`;

  async function twoRecords(): Promise<[Opened, JsonObject[]]> {
    const opened = await open();
    const content = { trusted_signing_keys: { a: publicText(1) } };
    const first = await opened.log.propose(await single(registryAfter(EMPTY, content)));
    if (first.status === 'rejected') throw new Error(first.message);
    await opened.log.propose(await single(registryAfter(first.head, { revoked_kids: ['a'] })));
    const records = await opened.store.read(LOG, 0);
    return [opened, records.map(({ value }) => readJson(value) as JsonObject)];
  }
  const reopen = (store: Store): Promise<unknown> =>
    createTrustLog({ store, crypto, ownAgentId: OWN, approvers, now: () => NOW });
  const storeOf = async (records: readonly JsonValue[]): Promise<Store> => {
    const store = createMemoryStore();
    await store.append(LOG, records.map(writeJson));
    return store;
  };

  test('is read again when nothing was changed', async () => {
    const [, records] = await twoRecords();
    expect(records).toHaveLength(2);
    await expect(reopen(await storeOf(records))).resolves.toBeDefined();
  });

  test.each<[string, (records: JsonObject[]) => JsonValue[]]>([
    ['in another order', (records) => records.toReversed()],
    ['with a gap', (records) => records.slice(1)],
    ['with a record twice', (records) => [...records, records[1]!]],
    ['with another registry', ([one, two]) => [{ ...one!, registry: registryAfter(EMPTY) }, two!]],
    ['with another meaning', ([one, two]) => [{ ...one!, merge: false }, two!]],
    ['with something else', (records) => [...records, 'x']],
    ['without approvals', ([one, two]) => [one!, { ...two!, approvals: null }]],
  ])('%s is never guessed at', async (_, change) => {
    const [, records] = await twoRecords();
    const store = await storeOf(change(records));
    await expect(reopen(store)).rejects.toMatchObject({
      code: 'INTERNAL',
      reason: expect.stringMatching(/^the trust log is damaged at record \d/) as string,
    });
  });

  test('that was cut while it was in use takes no more proposals', async () => {
    const [opened] = await twoRecords();
    const { head } = await opened.log.discover();
    await opened.store.transact([{ type: 'drop', log: LOG }]);
    const proposal = opened.log.propose(await single(registryAfter(head)));
    await expect(proposal).rejects.toMatchObject({ code: 'INTERNAL' });
  });
});
