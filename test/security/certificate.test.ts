// Client certificates: which connection may speak for whom.

import { describe, expect, test } from 'vitest';

import { PeerBook } from '../../keys/peer-book.ts';
import { checkCertificate } from '../../src/security/peers/certificate.ts';
import type { Peer, PeerDirectory } from '../../src/security/peers/peer.ts';
import { codeOf, errorOf } from '../support/wire/bytes.ts';
import { bob, bookWith } from '../support/trust/peer-books.ts';
import { directoryOf, makePeer } from '../support/trust/peers.ts';

const ALICES = 'a1'.repeat(32);
const ALICES_NEXT = 'a2'.repeat(32);
const BOBS = 'b0'.repeat(32);
const UNLISTED = 'c0'.repeat(32);

const alice = { agentId: 'did:key:alice', certificates: [ALICES, ALICES_NEXT] };
const bobWithCertificate = { ...bob, certificates: [BOBS] };
const carol = { agentId: 'did:key:carol' };

async function directory(): Promise<PeerDirectory> {
  return (await bookWith(alice, bobWithCertificate, carol)).snapshot();
}

async function verdict(
  agentId: string,
  presented: string | undefined,
): Promise<string | undefined> {
  const peers = await directory();
  return codeOf(() => checkCertificate(peers.find(agentId)!, presented, peers));
}

describe('#client-certificates W54 a connection', () => {
  test.each([
    ['its own certificate', 'did:key:alice', ALICES],
    ['another of its certificates', 'did:key:alice', ALICES_NEXT],
    ['no certificate, where the entry lists none', 'did:key:carol', undefined],
    ['a certificate of nobody, where the entry lists none', 'did:key:carol', UNLISTED],
  ])('with %s speaks for the agent', async (_name, agentId, presented) => {
    expect(await verdict(agentId, presented)).toBeUndefined();
  });

  test.each([
    ['no certificate, where the entry lists one', 'did:key:alice', undefined],
    ['a certificate of nobody', 'did:key:alice', UNLISTED],
    ['a certificate of another agent', 'did:key:alice', BOBS],
    ['a certificate of another agent, though the entry lists none', 'did:key:carol', ALICES],
    ['the same in other letters', 'did:key:alice', ALICES.toUpperCase()],
  ])('with %s does not speak for the agent', async (_name, agentId, presented) => {
    expect(await verdict(agentId, presented)).toBe('SENDER_REFUSED');
  });

  test('does not speak for a stranger with the certificate of a peer', async () => {
    const peers = await directory();
    const stranger = makePeer('did:key:zStranger');
    expect(codeOf(() => checkCertificate(stranger, BOBS, peers))).toBe('SENDER_REFUSED');
    expect(codeOf(() => checkCertificate(stranger, UNLISTED, peers))).toBeUndefined();
  });

  test('does not speak for another with the certificate of a peer that is revoked', async () => {
    const book = await bookWith(alice, carol);
    await book.revoke('did:key:alice');
    const peers = book.snapshot();
    const peer = peers.find('did:key:carol')!;
    expect(codeOf(() => checkCertificate(peer, ALICES, peers))).toBe('SENDER_REFUSED');
  });

  test('is judged by the entry alone where the directory knows of no certificates', () => {
    const entry: Peer = makePeer('did:key:alice', { certificates: [ALICES] });
    const peers = directoryOf(entry);
    expect(codeOf(() => checkCertificate(entry, ALICES, peers))).toBeUndefined();
    expect(codeOf(() => checkCertificate(entry, BOBS, peers))).toBe('SENDER_REFUSED');
    // Nothing fits a list with nothing in it.
    const closed = makePeer('did:key:alice', { certificates: [] });
    expect(codeOf(() => checkCertificate(closed, ALICES, peers))).toBe('SENDER_REFUSED');
  });

  test('is refused without telling the peer which certificate was wrong', () => {
    const entry = makePeer('did:key:alice', { certificates: [ALICES] });
    const error = errorOf(() => checkCertificate(entry, BOBS, directoryOf(entry)))!;
    expect(error.details).toEqual({});
    expect(error.message).not.toContain(BOBS);
  });
});

describe('#client-certificates W54 the peer book', () => {
  test('keeps certificates in its file', async () => {
    const book = await bookWith(alice, carol);
    const again = await PeerBook.open(book.path);
    expect(again.get('did:key:alice')?.certificates).toEqual(alice.certificates);
    expect(again.get('did:key:carol')).not.toHaveProperty('certificates');
    const removed = await again.update('did:key:alice', { certificates: undefined });
    expect(removed).not.toHaveProperty('certificates');
  });

  test('finds the agent of a certificate, and a snapshot goes on finding it', async () => {
    const book = await bookWith(alice, bobWithCertificate);
    const before = book.snapshot();
    await book.update('did:key:alice', { certificates: [ALICES_NEXT] });
    expect(before.findByCertificate?.(ALICES)?.agentId).toBe('did:key:alice');
    expect(book.snapshot().findByCertificate?.(ALICES)).toBeUndefined();
    expect(book.snapshot().findByCertificate?.(ALICES_NEXT)?.agentId).toBe('did:key:alice');
    expect(book.snapshot().findByCertificate?.(BOBS)?.agentId).toBe('did:key:bob');
  });

  test('gives no certificate to two agents', async () => {
    const book = await bookWith(alice, bob);
    await expect(book.update('did:key:bob', { certificates: [BOBS, ALICES] })).rejects.toThrow(
      '/peers/1/certificates/1 stands in the book already',
    );
    expect(book.get('did:key:bob')).not.toHaveProperty('certificates');
  });

  test.each([
    ['upper-case letters', ['A1'.repeat(32)], '/certificates/0'],
    ['colons', [`${'a1:'.repeat(31)}a1`], '/certificates/0'],
    ['a digit too few', ['a1'.repeat(32).slice(1)], '/certificates/0'],
    ['a line feed', [`${ALICES}\n`], '/certificates/0'],
    ['the same twice', [ALICES, ALICES], '/certificates/1'],
    ['none', [], '/certificates'],
  ])('refuses a list with %s', async (_name, certificates, path) => {
    const adding = (await bookWith()).add({ agentId: 'x', certificates });
    await expect(adding).rejects.toThrow(`does not hold: /peers/0${path} `);
  });
});
