// The peer book: strict entries, kids that stay bound, keys in and out.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { describe, expect, test } from 'vitest';

import { exportSecretKey } from '../../keys/format.ts';
import type { PeerChanges } from '../../keys/peer-book.ts';
import { PeerBook } from '../../keys/peer-book.ts';
import type { PeerDraft } from '../../keys/peer-document.ts';
import { writePeerBook } from '../../keys/peer-document.ts';
import { exportPeerKey, importPeerKey } from '../../keys/peer-key.ts';
import { SecretKey } from '../../src/security/identity/secret-key.ts';
import { encodeBase64url } from '../../src/codec/base64url.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { chooseProvider } from '../../src/crypto/provider.ts';
import { thumbprint } from '../../src/security/identity/thumbprint.ts';
import { applyPatch } from '../../src/state/apply-patch.ts';
import { textOf } from '../support/wire/bytes.ts';
import { NOW } from '../support/trust/key-home.ts';
import { bob, bookWith, encKey, newPath, sigKey, whole } from '../support/trust/peer-books.ts';

const crypto = chooseProvider('noble');

describe('#sec-kid-bound the peer book', () => {
  test('gives back every member of an entry, also from its file', async () => {
    const book = await bookWith(whole);
    expect(book.list()).toEqual([whole]);
    expect((await PeerBook.open(book.path)).list()).toEqual([whole]);
  });

  test('completes what an entry leaves out', async () => {
    const entry = await (await bookWith()).add({ agentId: 'x', tools: undefined });
    expect(entry).toEqual({
      agentId: 'x',
      signingKeys: [],
      encryptionKeys: [],
      endpoints: [],
      revoked: false,
      switches: new Set(),
      mayGrant: false,
    });
    expect(Object.keys(entry)).not.toContain('tools');
    expect(Object.isFrozen(entry)).toBe(true);
  });

  test('finds by id and by name; a snapshot finds by id alone', async () => {
    const book = await bookWith(whole, bob);
    expect(book.get('bob')).toBe(book.get('did:key:bob'));
    expect(book.get('carol')).toBeUndefined();
    expect(book.snapshot().find('did:key:bob')).toBe(book.get('bob'));
    expect(book.snapshot().find('bob')).toBeUndefined();
  });

  test('takes an agent only once', async () => {
    const book = await bookWith(bob);
    await expect(book.add({ ...bob, name: 'other' })).rejects.toThrow('already; update it');
    expect(book.list()).toEqual([book.get('bob')]);
  });

  test('changes what is named and keeps the rest', async () => {
    const book = await bookWith(whole, bob);
    const changed = await book.update('alice', { name: 'al', tools: undefined, minMode: 'sig' });
    const { tools: _, ...kept } = whole;
    expect(changed).toEqual({ ...kept, name: 'al', minMode: 'sig' });
    expect(book.get('alice')).toBeUndefined();
    expect(book.list().map(({ name }) => name)).toEqual(['al', 'bob']);
  });

  test('an update never moves an entry to another agent', async () => {
    const book = await bookWith(bob);
    const changes = { agentId: 'did:key:mallory', endpoints: [] } as PeerChanges;
    expect((await book.update('bob', changes)).agentId).toBe('did:key:bob');
  });

  test('revokes and forgets', async () => {
    const book = await bookWith(whole, bob);
    expect((await book.revoke('bob')).revoked).toBe(true);
    expect(book.get('alice')?.revoked).toBe(false);
    await book.remove('did:key:alice');
    expect((await PeerBook.open(book.path)).list()).toEqual([{ ...book.get('bob') }]);
    for (const run of [
      () => book.remove('alice'),
      () => book.revoke('alice'),
      () => book.update('alice', {}),
    ]) {
      await expect(run()).rejects.toThrow('no peer of this id or name');
    }
  });
});

describe('#sec-kid-bound W12 W17 a kid in the peer book', () => {
  test.each<[string, PeerChanges]>([
    ['another signing key', { signingKeys: [sigKey('a-1', 99), sigKey('a-2', 2)] }],
    ['another encryption key', { encryptionKeys: [encKey('a-e', 99)] }],
    ['a key of another use', { encryptionKeys: [encKey('a-2', 3)], signingKeys: [] }],
  ])('is not bound to %s by an update', async (_name, changes) => {
    const book = await bookWith(whole);
    await expect(book.update('alice', changes)).rejects.toThrow(/the kid "a-\w" is bound/);
    expect((await PeerBook.open(book.path)).list()).toEqual([whole]);
  });

  test('can be taken out, and bound anew then', async () => {
    const book = await bookWith(bob);
    await book.update('bob', { signingKeys: [sigKey('b-2', 12)] });
    const entry = await book.update('bob', { signingKeys: [sigKey('b-1', 13)] });
    expect(entry.signingKeys).toEqual([sigKey('b-1', 13)]);
  });

  test('may get another end with the same key', async () => {
    const book = await bookWith(bob);
    const ended = [{ ...sigKey('b-1', 11), notAfter: NOW }];
    expect((await book.update('bob', { signingKeys: ended })).signingKeys).toEqual(ended);
  });

  test('is the agent’s own: two agents may use one kid', async () => {
    const book = await bookWith(bob, { agentId: 'carol', signingKeys: [sigKey('b-1', 14)] });
    expect(book.get('carol')?.signingKeys[0]?.key).not.toEqual(
      book.get('bob')?.signingKeys[0]?.key,
    );
  });

  test('W3 cannot make one key speak for two agents', async () => {
    const book = await bookWith(bob);
    const carol = { agentId: 'carol', signingKeys: [sigKey('c-1', 11)] };
    await expect(book.add(carol)).rejects.toThrow('bound to another agent');
    expect(book.list()).toHaveLength(1);
  });
});

describe('a peer book that does not hold is refused by the path of what is wrong', () => {
  const put = (path: string, value: JsonValue): JsonObject => ({ op: 'add', path, value });
  const first = '/peers/0';
  const cases: [string, JsonObject][] = [
    ['', put('/version', 1)],
    ['/format', put('/format', 'a2a-sdl/peers/v2')],
    ['/peers', put('/peers', {})],
    [first, put(first, 'alice')],
    [first, put(`${first}/trusted`, true)],
    [`${first}/agent_id`, put(`${first}/agent_id`, '')],
    ['/peers/1/agent_id', put('/peers/1/agent_id', 'did:key:alice')],
    [`${first}/name`, put(`${first}/name`, 7)],
    ['/peers/1/name', put('/peers/1/name', 'alice')],
    ['/peers/1/name', put('/peers/1/name', 'did:key:alice')],
    [`${first}/keys`, put(`${first}/keys`, {})],
    [`${first}/keys/0`, put(`${first}/keys/0/revoked`, true)],
    [`${first}/keys/0/kid`, put(`${first}/keys/0/kid`, '')],
    [`${first}/keys/1/kid`, put(`${first}/keys/1/kid`, 'a-1')],
    [`${first}/keys/2/kid`, put(`${first}/keys/2/kid`, 'a-1')],
    [`${first}/keys/0/use`, put(`${first}/keys/0/use`, 'both')],
    [`${first}/keys/0/key`, put(`${first}/keys/0/key`, 'AAAA')],
    [`${first}/keys/0/key`, put(`${first}/keys/0/key`, encodeBase64url(new Uint8Array(32)))],
    [
      `${first}/keys/1/key`,
      { op: 'copy', from: `${first}/keys/0/key`, path: `${first}/keys/1/key` },
    ],
    [`${first}/keys/0/not_after`, put(`${first}/keys/0/not_after`, '2026-01-01')],
    [`${first}/keys/0/not_after`, put(`${first}/keys/0/not_after`, '2020-01-01T00:00:00Z')],
    [`${first}/endpoints/0`, put(`${first}/endpoints/0`, 'alice.example')],
    [`${first}/endpoints/0`, put(`${first}/endpoints/0`, 'file:///etc/passwd')],
    [`${first}/endpoints/1`, put(`${first}/endpoints/1`, 'https://user:pw@alice.example')],
    [`${first}/content_types`, put(`${first}/content_types`, 'task.v1')],
    [`${first}/content_types/0`, put(`${first}/content_types/0`, '')],
    [`${first}/tools/0`, put(`${first}/tools/0`, 'math.*')],
    [`${first}/not_before`, put(`${first}/not_before`, 1)],
    [`${first}/not_after`, put(`${first}/not_after`, '2020-01-01T00:00:00Z')],
    [`${first}/revoked`, put(`${first}/revoked`, 'false')],
    [`${first}/canon`, put(`${first}/canon`, 'json')],
    [`${first}/min_mode`, put(`${first}/min_mode`, 'strong')],
    [`${first}/switches/0`, put(`${first}/switches/0`, 'trust-me')],
    [`${first}/may_grant`, put(`${first}/may_grant`, 1)],
    ['/peers/1/keys', put('/peers/1/keys/0/key', encodeBase64url(sigKey('x', 1).key))],
  ];

  const text = textOf(writePeerBook([whole, bob]));
  function pathWith(content: string): string {
    const path = newPath();
    mkdirSync(dirname(path), { mode: 0o700 });
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  }

  test('and the one that they start from holds', async () => {
    expect((await PeerBook.open(pathWith(text))).list()).toHaveLength(2);
  });

  test.each(cases)('%s after %j', async (path, operation) => {
    const document = applyPatch(JSON.parse(text) as JsonObject, [operation]);
    const opening = PeerBook.open(pathWith(JSON.stringify(document)));
    const where = path === '' ? 'must have no members' : path;
    await expect(opening).rejects.toThrow(`the peer book does not hold: ${where} `);
  });

  test('and is not written over by a change', async () => {
    const book = await bookWith(bob);
    const damaged = readFileSync(book.path, 'utf8').replace('"revoked":false', '"revoked":0');
    writeFileSync(book.path, damaged);
    await expect(book.remove('bob')).rejects.toThrow('does not hold');
    expect(book.get('bob')).toBeDefined();
    expect(readFileSync(book.path, 'utf8')).toBe(damaged);
  });

  test.each(['', '[]', '{', '{"format":"a2a-sdl/peers/v1","peers":[],"peers":[]}'])(
    'with the text %j',
    async (content) => {
      const opening = PeerBook.open(pathWith(content));
      await expect(opening).rejects.toThrow('the peer book does not hold');
    },
  );

  test('and such an entry is not written in the first place', async () => {
    const book = await bookWith(bob);
    const before = readFileSync(book.path, 'utf8');
    const bad: PeerDraft[] = [
      { agentId: '' },
      { agentId: 'x', name: 'bob' },
      { agentId: 'x', endpoints: ['nowhere'] },
      { agentId: 'x', signingKeys: [{ kid: 'k', key: new Uint8Array(32) }] },
      { agentId: 'x', switches: new Set(['all' as 'label-id']) },
    ];
    for (const draft of bad)
      await expect(book.add(draft)).rejects.toThrow('does not hold: /peers/1');
    await expect(book.add({ agentId: 'x', notAfter: Number.NaN })).rejects.toThrow(RangeError);
    expect(readFileSync(book.path, 'utf8')).toBe(before);
    expect(book.list()).toHaveLength(1);
  });
});

describe('#kid keys of peers', () => {
  const signing = SecretKey.generate('ed25519', crypto);
  const sealing = SecretKey.generate('x25519', crypto);

  test.each(['raw', 'pem', 'jwk'] as const)('come and go as %s text', (format) => {
    for (const [use, { alg, publicKey }] of [
      ['sig', signing],
      ['enc', sealing],
    ] as const) {
      const kid = thumbprint(alg, publicKey);
      const text = exportPeerKey({ kid, key: publicKey }, use, format);
      expect(importPeerKey(text, use)).toEqual({ kid, key: publicKey });
      const named = { kid: 'mine', notBefore: 1, notAfter: 2 };
      expect(importPeerKey(text, use, named)).toEqual({ ...named, key: publicKey });
    }
  });

  test('are refused for the wrong use, and secrets altogether', () => {
    const text = exportPeerKey({ kid: 'k', key: signing.publicKey }, 'sig', 'pem');
    expect(() => importPeerKey(text, 'enc')).toThrow('an x25519 key is needed');
    expect(() => importPeerKey(exportSecretKey(signing, 'pem'), 'sig')).toThrow('a secret key');
  });
});
