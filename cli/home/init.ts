// Owns bringing a home into being: its folders, the identities `agent` and `operator`, and that the two know each other.
// SPEC.md section 10 (#key-bundle, #key-files).

import type { PeerDraft, StoredIdentity } from '../../keys/index.ts';
import { KeyDirectory, PeerBook } from '../../keys/index.ts';
import type { CryptoProvider, KeyUse, LocalIdentity, PeerKey } from '../../src/security/index.ts';
import { bundleKeys, equalBytes } from '../../src/security/index.ts';
import { formatIpcUrl } from '../../transports/ipc/options.ts';
import type { Home, Role } from './home.ts';
import { ROLES } from './home.ts';
import { loadIdentity } from './identities.ts';
import { preparePrivateFolder } from './private-folder.ts';

export interface EnsureHomeOptions {
  readonly crypto: CryptoProvider;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** Protects the identities that are made, and opens those that are there. @default none */
  readonly passphrase?: string;
}

/** A home that can be used. */
export interface ReadyHome {
  readonly identities: Readonly<Record<Role, StoredIdentity>>;
  /** Whom each identity knows. */
  readonly books: Readonly<Record<Role, PeerBook>>;
  /** What this call made; empty when all was there. */
  readonly created: readonly Role[];
}

/**
 * Makes what is missing and leaves what is there. The entry of each identity in the other's book always has the
 * identity's present keys; everything else in it is its owner's to change.
 */
export async function ensureHome(home: Home, options: EnsureHomeOptions): Promise<ReadyHome> {
  const { crypto, now = Date.now, passphrase } = options;
  for (const folder of [home.root, home.data, home.run]) await preparePrivateFolder(folder);
  const directory = new KeyDirectory(home.keys, { crypto, now });
  const unlock = passphrase === undefined ? {} : { passphrase };
  const names = new Set(await directory.list());
  const created = ROLES.filter((role) => !names.has(role));
  for (const role of created) await directory.create(role, unlock);
  const identities = {
    agent: await loadIdentity(directory, 'agent', passphrase),
    operator: await loadIdentity(directory, 'operator', passphrase),
  };
  const books = {
    agent: await PeerBook.open(home.peers.agent),
    operator: await PeerBook.open(home.peers.operator),
  };
  await introduce(books, identities, home, now());
  return { identities, books, created };
}

/** Puts the present keys of both identities into each other's book. */
async function introduce(
  books: ReadyHome['books'],
  identities: Readonly<Record<Role, LocalIdentity>>,
  home: Home,
  nowMs: number,
): Promise<void> {
  await putEntry(books.agent, {
    agentId: identities.operator.agentId,
    name: 'operator',
    // The home's own user: what the agent may do, it may hand on.
    mayGrant: true,
    ...keysOf(identities.operator, nowMs),
  });
  await putEntry(books.operator, {
    agentId: identities.agent.agentId,
    name: 'agent',
    endpoints: [socketUrl(home)],
    ...keysOf(identities.agent, nowMs),
  });
}

/** The address of the daemon's socket. */
export function socketUrl({ socket }: Pick<Home, 'socket'>): string {
  return formatIpcUrl({ path: socket });
}

/** The keys of an identity as its peers write them down; they end there when they end in the bundle. */
export function keysOf(
  { bundle }: Pick<LocalIdentity, 'bundle'>,
  nowMs: number,
): Required<Pick<PeerDraft, 'signingKeys' | 'encryptionKeys'>> {
  const keysFor = (use: KeyUse): PeerKey[] =>
    bundleKeys(bundle, use, nowMs).map(({ kid, publicKey, notAfterMs }) => ({
      kid,
      key: publicKey,
      notAfter: Math.min(notAfterMs, bundle.notAfterMs),
    }));
  return { signingKeys: keysFor('sig'), encryptionKeys: keysFor('enc') };
}

/** Adds the entry, or brings the keys and the address of the one that is there up to date. */
async function putEntry(book: PeerBook, draft: PeerDraft): Promise<void> {
  const { agentId, signingKeys = [], encryptionKeys = [] } = draft;
  const entry = book.get(agentId);
  if (entry === undefined) {
    // An identity that was lost and made anew: the lost one must not go on speaking for this home.
    const replaced = book.get(draft.name!);
    if (replaced !== undefined) await book.remove(replaced.agentId);
    await book.add(draft);
    return;
  }
  const endpoints = [
    ...(draft.endpoints ?? []),
    // A home that was moved has another socket.
    ...entry.endpoints.filter((url) => draft.endpoints === undefined || !url.startsWith('ipc:')),
  ];
  const isCurrent =
    isSameKeys(entry.signingKeys, signingKeys) &&
    isSameKeys(entry.encryptionKeys, encryptionKeys) &&
    endpoints.join(' ') === entry.endpoints.join(' ');
  if (!isCurrent) await book.update(agentId, { signingKeys, encryptionKeys, endpoints });
}

function isSameKeys(some: readonly PeerKey[], others: readonly PeerKey[]): boolean {
  if (some.length !== others.length) return false;
  return some.every((key, at) => {
    const other = others[at]!;
    return (
      key.kid === other.kid && key.notAfter === other.notAfter && equalBytes(key.key, other.key)
    );
  });
}
