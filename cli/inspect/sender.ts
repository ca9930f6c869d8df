// Owns whose key may have signed a message that is judged by itself, without the rules of a receiver.
// SPEC.md section 6 (#sec-kid-bound).

import { isJsonObject } from '../../src/codec/index.ts';
import type { Envelope } from '../../src/envelope/index.ts';
import { SdlError } from '../../src/errors.ts';
import type { KeyBundle, Peer, PeerKey, ResolvedSender } from '../../src/security/index.ts';
import {
  createContacts,
  newPeer,
  publicKeyFromDidKey,
  resolveSender,
  verifyKeyBundle,
  withOwnKeys,
} from '../../src/security/index.ts';
import type { Store } from '../../src/stores/index.ts';
import type { CommandContext } from '../kit/command.ts';
import type { Role } from '../home/home.ts';
import { peersOf } from '../home/identities.ts';

type Means = Pick<CommandContext, 'crypto' | 'now'>;

/** Whose key it is; `isMissing` where none is known, so that nothing can be said of the signature. */
export interface FoundSender {
  readonly sender: ResolvedSender;
  readonly isMissing: boolean;
}

/** By the keys of the command line; where there are none, by those that the sender proves to be its own. */
export async function senderByGivenKeys(
  envelope: Envelope,
  keys: readonly PeerKey[],
  means: Means,
): Promise<FoundSender> {
  const agentId = envelope.from.agent_id;
  const kid = envelope.sec?.kid;
  if (kid === undefined) return { sender: senderOf(newPeer(agentId), undefined), isMissing: false };
  try {
    const peer =
      keys.length > 0
        ? newPeer(agentId, { signingKeys: keys })
        : await provenByItself(newPeer(agentId), envelope, means);
    const key = peer.signingKeys.find((candidate) => candidate.kid === kid);
    if (key !== undefined) return { sender: senderOf(peer, key), isMissing: false };
    return { sender: withoutKey(peer, missingKey(kid, peer, keys.length > 0)), isMissing: true };
  } catch (thrown) {
    return {
      sender: withoutKey(newPeer(agentId, { signingKeys: keys }), thrown),
      isMissing: false,
    };
  }
}

/** By what the home knows: its peer book, what it has learned of peers, and what senders prove themselves. */
export async function senderByHome(
  envelope: Envelope,
  role: Role,
  store: Store,
  context: CommandContext,
): Promise<FoundSender> {
  const { home, crypto, now } = context;
  const contacts = createContacts(store, { crypto, now });
  const peers = (await peersOf(home, role)).snapshot();
  try {
    const sender = await resolveSender(envelope, {
      peers,
      nowMs: now(),
      crypto,
      // Whether such a sender would be served is not the question here.
      open: true,
      allows: () => true,
      knownBundle: async (agentId) => (await contacts.get(agentId))?.bundle,
    });
    return { sender, isMissing: false };
  } catch (thrown) {
    const peer = peers.find(envelope.from.agent_id) ?? newPeer(envelope.from.agent_id);
    return { sender: withoutKey(peer, thrown), isMissing: false };
  }
}

/** A did:key agent speaks with its root key and with those of the bundle that this signs. */
async function provenByItself(peer: Peer, envelope: Envelope, means: Means): Promise<Peer> {
  if (publicKeyFromDidKey(peer.agentId) === undefined) return peer;
  return withOwnKeys(peer, await sentBundle(envelope, means), means.now());
}

/** The keys that came along, under the root key of the sender. Throws for a bundle that does not hold. */
async function sentBundle(
  { cap, from }: Envelope,
  { crypto, now }: Means,
): Promise<KeyBundle | undefined> {
  const own = cap['a2a_sdl'];
  const sent = isJsonObject(own) ? own['bundle'] : undefined;
  if (sent === undefined) return undefined;
  const path = '/cap/a2a_sdl/bundle';
  return verifyKeyBundle(sent, { crypto, nowMs: now(), agentId: from.agent_id, path });
}

function missingKey(kid: string, { agentId, signingKeys }: Peer, isGiven: boolean): SdlError {
  const known = signingKeys.map((key) => JSON.stringify(key.kid)).join(', ');
  const why = isGiven
    ? `and the given are ${known}`
    : publicKeyFromDidKey(agentId) === undefined
      ? 'and the id of the sender is a label, which proves no key'
      : 'and the message proves only the root key and those of the bundle in it';
  return new SdlError(
    'SIGNATURE_INVALID',
    `the key ${JSON.stringify(kid)} is wanted, ${why}: give it with --sign-key KID=KEY`,
  );
}

function senderOf(peer: Peer, key: PeerKey | undefined): ResolvedSender {
  return { peer, key, isStranger: true, newBundle: undefined };
}

/** The check that asks for the key fails with what is wrong with it. */
function withoutKey(peer: Peer, refusal: unknown): ResolvedSender {
  return {
    peer,
    get key(): PeerKey {
      throw refusal;
    },
    isStranger: true,
    newBundle: undefined,
  };
}
