// Peer books on the real file system, and what tests put into them.

import { join } from 'node:path';

import { PeerBook } from '../../../keys/peer-book.ts';
import type { PeerDraft } from '../../../keys/peer-document.ts';
import { chooseProvider } from '../../../src/crypto/provider.ts';
import type { PeerKey } from '../../../src/security/peers/peer.ts';
import { NOW, newHome } from './key-home.ts';

const crypto = chooseProvider('noble');
const seed = (fill: number): Uint8Array => new Uint8Array(32).fill(fill); // TEST ONLY
export const sigKey = (kid: string, fill: number): PeerKey => ({
  kid,
  key: crypto.ed25519PublicKey(seed(fill)),
});
export const encKey = (kid: string, fill: number): PeerKey => ({
  kid,
  key: crypto.x25519PublicKey(seed(fill)),
});

/** The path of a book that is not there yet. */
export const newPath = (): string => join(newHome(), 'peers.json');

export const whole: PeerDraft = {
  agentId: 'did:key:alice',
  name: 'alice',
  signingKeys: [{ ...sigKey('a-1', 1), notBefore: NOW, notAfter: NOW + 500 }, sigKey('a-2', 2)],
  encryptionKeys: [encKey('a-e', 3)],
  endpoints: ['https://alice.example/a2a', 'ipc:/run/alice.sock'],
  contentTypes: ['task.v1', 'toolcall.v1'],
  tools: ['math.add'],
  notBefore: NOW,
  notAfter: NOW + 1_000,
  revoked: false,
  canon: 'python',
  minMode: 'enc+sig',
  switches: new Set(['label-id', 'no-replay'] as const),
  mayGrant: true,
};
export const bob: PeerDraft = {
  agentId: 'did:key:bob',
  name: 'bob',
  signingKeys: [sigKey('b-1', 11)],
};

export async function bookWith(...drafts: readonly PeerDraft[]): Promise<PeerBook> {
  const book = await PeerBook.open(newPath());
  for (const draft of drafts) await book.add(draft);
  return book;
}
