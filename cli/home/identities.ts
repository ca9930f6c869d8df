// Owns how commands get at the identities and the peer books of a home.

import type { PeerEntry, StoredIdentity } from '../../keys/index.ts';
import { KeyDirectory, PeerBook } from '../../keys/index.ts';
import type { PeerDirectory } from '../../src/security/index.ts';
import { SdlError } from '../../src/errors.ts';
import type { CommandContext } from '../kit/command.ts';
import { failure, usageError } from '../kit/exit.ts';
import { isPrefix, onlyId } from '../kit/prefix.ts';
import type { Home, Role } from './home.ts';
import { readPassphrase } from './passphrase-file.ts';

const NAME = /^[a-z][a-z0-9-]{0,62}$/;

/** The home has no identities yet. */
export function notInitialised(home: Home): Error {
  return failure(`there are no identities in ${home.root}`, {
    code: 'NO_HOME',
    next: 'run "a2a-sdl init", or name another home with --home',
  });
}

export function openDirectory({ home, crypto, now }: CommandContext): KeyDirectory {
  return new KeyDirectory(home.keys, { crypto, now });
}

/** The identity of this name, opened with the passphrase that the command was given. */
export async function openIdentity(context: CommandContext, name: string): Promise<StoredIdentity> {
  assertIdentityName(name);
  const directory = openDirectory(context);
  const names = await directory.list();
  if (names.length === 0) throw notInitialised(context.home);
  if (!names.includes(name)) {
    throw failure(`there is no identity "${name}"`, { next: `there are: ${names.join(', ')}` });
  }
  return loadIdentity(directory, name, await readPassphrase(context));
}

/** Loads an identity that is there. */
export async function loadIdentity(
  directory: KeyDirectory,
  name: string,
  passphrase: string | undefined,
): Promise<StoredIdentity> {
  try {
    return await directory.load(name, passphrase === undefined ? {} : { passphrase });
  } catch (thrown) {
    const isLocked =
      passphrase === undefined &&
      thrown instanceof SdlError &&
      thrown.reason.startsWith('this identity is protected');
    if (!isLocked) throw thrown;
    throw failure(`the identity "${name}" is protected by a passphrase`, {
      code: 'PASSPHRASE_NEEDED',
      next: 'give it with --passphrase-file FILE, or in $A2A_SDL_PASSPHRASE_FILE',
      cause: thrown,
    });
  }
}

function assertIdentityName(name: string): void {
  if (NAME.test(name)) return;
  throw usageError('a name of an identity is up to 63 of a-z, 0-9 and "-", a letter first');
}

export function openBook(home: Home, role: Role): Promise<PeerBook> {
  return PeerBook.open(home.peers[role]);
}

/** Whom an identity knows, at one moment. A runtime takes it as it is. */
export interface KnownPeers {
  snapshot(): PeerDirectory;
  get(idOrName: string): PeerEntry | undefined;
  list(): readonly PeerEntry[];
}

/**
 * Whom an identity may speak to. The operator knows its own agent and, through it, everybody that the agent knows; the
 * agent knows only its own book, which decides who may speak to it.
 */
export async function peersOf(home: Home, role: Role): Promise<KnownPeers> {
  const own = await openBook(home, role);
  if (role === 'agent') return own;
  const shared = await openBook(home, 'agent');
  const list = (): readonly PeerEntry[] => [
    ...own.list(),
    ...shared.list().filter(({ agentId }) => own.get(agentId) === undefined),
  ];
  return {
    snapshot() {
      const [first, second] = [own.snapshot(), shared.snapshot()];
      return { find: (agentId) => first.find(agentId) ?? second.find(agentId) };
    },
    get: (idOrName) => own.get(idOrName) ?? shared.get(idOrName) ?? peerLike(idOrName, list()),
    list,
  };
}

const DID_KEY = 'did:key:';

/** The peer whose agent id begins so, with or without `did:key:`. Throws where there are several. */
export function peerLike(prefix: string, peers: readonly PeerEntry[]): PeerEntry | undefined {
  const start = prefix.startsWith(DID_KEY) ? prefix : DID_KEY + prefix;
  if (!isPrefix(start.slice(DID_KEY.length))) return undefined;
  const id = onlyId(
    start,
    peers.map(({ agentId }) => agentId),
    'peers',
  );
  return peers.find(({ agentId }) => agentId === id);
}
