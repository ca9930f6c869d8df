// Owns who seals and opens here, and whom it knows: made once for an identity, used by every call. SPEC.md section 22
// (#sealed-policy).

import type {
  KnownPeer,
  KnownPeers,
  MessageKit,
  MessageKitOptions,
} from '../../../src/message/index.ts';
import { createMessageKit, knownBundles, peerSource } from '../../../src/message/index.ts';
import type { KeyBundle, OwnIdentity, PeerDirectory } from '../../../src/security/index.ts';

/** What every function here takes. */
export interface SealedOptions extends Omit<MessageKitOptions, 'identity'> {
  /** Whose keys sign, and open what is for it. */
  readonly identity: OwnIdentity;
  /** Whom it knows: a peer book, or a list of entries, key bundles, identities or {@link SealedPeer}s. @default nobody */
  readonly peers?: KnownPeers | undefined;
}

export interface Session {
  readonly kit: MessageKit;
  readonly peers: PeerDirectory;
}

const KITS = new WeakMap<OwnIdentity, MessageKit[]>();
const SETTINGS = new WeakMap<MessageKit, MessageKitOptions>();
const LEARNED = new WeakMap<MessageKit, WeakSet<KeyBundle>>();
const NOBODY: KnownPeers = [];
/** Who gives other settings with every call makes a new one each time. */
const MOST_KITS = 16;

/** @param to whom a message is for; it need not be among the peers. */
export async function sessionFor(options: SealedOptions, to?: KnownPeer): Promise<Session> {
  const kit = kitFor(options);
  const { peers = NOBODY } = options;
  for (const known of to === undefined ? [peers] : [peers, [to]]) await learn(kit, known);
  const book = directoryOf(peers, kit);
  if (to === undefined) return { kit, peers: book };
  const extra = directoryOf([to], kit);
  return { kit, peers: { find: (agentId) => book.find(agentId) ?? extra.find(agentId) } };
}

/** The id of whom a message is for. */
export function agentIdOf(to: KnownPeer): string {
  return 'agentId' in to ? to.agentId : to.bundle.agentId;
}

function kitFor(options: SealedOptions): MessageKit {
  const { identity, peers: _peers, ...given } = options;
  const settings = pick(given, identity);
  const known = KITS.get(identity) ?? [];
  const same = known.find((kit) => isSame(SETTINGS.get(kit)!, settings));
  if (same !== undefined) return same;
  const kit = createMessageKit(settings);
  SETTINGS.set(kit, settings);
  KITS.set(identity, [...known.slice(1 - MOST_KITS), kit]);
  return kit;
}

/** Only what a kit is made of: callers hand over more. */
function pick(
  options: Omit<MessageKitOptions, 'identity'>,
  identity: OwnIdentity,
): MessageKitOptions {
  const { name, store, open, limits, crypto, now, randomBytes } = options;
  return { identity, name, store, open, limits, crypto, now, randomBytes };
}

function isSame(one: MessageKitOptions, other: MessageKitOptions): boolean {
  const { limits, ...rest } = one;
  const names = Object.keys(rest) as (keyof typeof rest)[];
  return (
    JSON.stringify(limits) === JSON.stringify(other.limits) &&
    names.every((name) => rest[name] === other[name])
  );
}

/** So that no older bundle of an agent counts than the one that is known. */
async function learn(kit: MessageKit, peers: KnownPeers): Promise<void> {
  const learned = LEARNED.get(kit) ?? new WeakSet();
  LEARNED.set(kit, learned);
  for (const bundle of knownBundles(peers)) {
    if (learned.has(bundle)) continue;
    learned.add(bundle);
    await kit.learn(bundle);
  }
}

function directoryOf(peers: KnownPeers, kit: MessageKit): PeerDirectory {
  return peerSource(peers, kit.now()).snapshot();
}
