// Owns who a message is from: the peer behind `from`, and the one key that may have signed it. SPEC.md section 6 (#sec-kid-bound).

import type { JsonValue } from '../../codec/value.ts';
import { isJsonObject } from '../../codec/value.ts';
import type { CryptoProvider } from '../../crypto/provider.ts';
import type { Envelope } from '../../envelope/types.ts';
import { SdlError } from '../../errors.ts';
import { publicKeyFromDidKey } from '../identity/did-key.ts';
import type { KeyBundle, KeyUse } from '../identity/key-bundle-shape.ts';
import { bundleKeys, verifyKeyBundle } from '../identity/key-bundle.ts';
import { isSigned, modeOf } from '../message/mode.ts';
import type { PeerParts } from './new-peer.ts';
import { newPeer } from './new-peer.ts';
import { isValidAt, mergeKeys, signingKeysOf } from './keys.ts';
import type { Peer, PeerDirectory, PeerKey } from './peer.ts';
import type { SwitchCheck } from '../policy/policy.ts';
import { thumbprint } from '../identity/thumbprint.ts';

export interface ResolveSenderOptions {
  /** One snapshot for the whole message (W52). */
  readonly peers: PeerDirectory;
  readonly nowMs: number;
  /** Accept senders without an entry that prove a did:key of their own. */
  readonly open: boolean;
  /** The policy's. */
  readonly allows: SwitchCheck;
  readonly crypto: CryptoProvider;
  /** How far the clocks of two agents may differ. @default 120000 */
  readonly skewMs?: number;
  /** The message answers a request of ours: an unsigned one then needs another switch. @default false */
  readonly isReply?: boolean;
  /** The newest bundle that was verified of this agent, ended or not. @default none is known */
  readonly knownBundle?: (agentId: string) => Promise<KeyBundle | undefined>;
  /** What a stranger may send. @default everything */
  readonly strangerContentTypes?: readonly string[];
}

export interface ResolvedSender {
  /** With the keys of its bundle. */
  readonly peer: Peer;
  /** The key that has to have signed; `undefined` for an unsigned message, whose sender nothing proves. */
  readonly key: PeerKey | undefined;
  /** It has no entry. */
  readonly isStranger: boolean;
  /** A bundle newer than the known one. To be remembered once the message's own signature holds. */
  readonly newBundle: KeyBundle | undefined;
}

/** Throws SENDER_REFUSED unless this kid may speak for this agent now; the reason is for the local log. */
export async function resolveSender(
  envelope: Envelope,
  options: ResolveSenderOptions,
): Promise<ResolvedSender> {
  const agentId = envelope.from.agent_id;
  const rootKey = publicKeyFromDidKey(agentId);
  const entry = options.peers.find(agentId);
  if (entry !== undefined) {
    // What the sender owns is kept under the id of its entry.
    if (entry.agentId !== agentId) throw refusal('the entry of the sender is of another agent');
    assertInForce(entry, rootKey, options);
  }
  if (!isSigned(modeOf(envelope))) return resolveUnsigned(entry, options);
  if (entry === undefined && !(options.open && rootKey !== undefined)) {
    throw refusal('the sender is not known here');
  }
  const { strangerContentTypes: contentTypes } = options;
  const base = entry ?? strangerIn(options.peers, agentId, contentTypes && { contentTypes });
  const mayHaveBundle = rootKey !== undefined && isTrustedRoot(base, rootKey, options.nowMs);
  const proven = mayHaveBundle ? await bundleInForce(envelope, options) : undefined;
  const peer = withOwnKeys(base, proven?.bundle, options.nowMs);
  return {
    peer,
    key: signingKeyOf(peer, envelope.sec?.kid, options.nowMs),
    isStranger: entry === undefined,
    newBundle: proven?.isNew === true ? proven.bundle : undefined,
  };
}

/** An agent without an entry, as the trust registry leaves it. */
export function strangerIn(peers: PeerDirectory, agentId: string, parts?: PeerParts): Peer {
  const stranger = newPeer(agentId, parts);
  return peers.restrict?.(stranger) ?? stranger;
}

function assertInForce(
  entry: Peer,
  rootKey: Uint8Array | undefined,
  { nowMs, allows }: ResolveSenderOptions,
): void {
  if (entry.revoked) throw refusal('the sender is revoked');
  if (!isValidAt(entry, nowMs)) throw refusal('the entry of the sender is not valid now');
  if (rootKey === undefined && !allows(entry, 'label-id')) {
    throw refusal('the sender has a label for an id, and its entry does not allow that');
  }
}

function resolveUnsigned(entry: Peer | undefined, options: ResolveSenderOptions): ResolvedSender {
  if (entry === undefined) throw refusal('an unsigned message of nobody that is known here');
  const needed = options.isReply === true ? 'unsigned-replies' : 'unsigned-requests';
  if (!options.allows(entry, needed)) {
    throw new SdlError('MODE_REFUSED', 'the message is not signed');
  }
  return { peer: entry, key: undefined, isStranger: false, newBundle: undefined };
}

interface BundleInForce {
  readonly bundle: KeyBundle;
  readonly isNew: boolean;
}

/**
 * The newest bundle, sent or known. One that is not newer than the known is not looked at: messages under way may
 * still carry it, and none of its keys count.
 */
async function bundleInForce(
  envelope: Envelope,
  { crypto, nowMs, skewMs, knownBundle }: ResolveSenderOptions,
): Promise<BundleInForce | undefined> {
  const agentId = envelope.from.agent_id;
  const known = await knownBundle?.(agentId);
  const sent = sentBundle(envelope);
  if (sent === undefined || (known !== undefined && !isNewer(sent, known))) {
    return known && { bundle: known, isNew: false };
  }
  try {
    const bundle = await verifyKeyBundle(sent, {
      crypto,
      nowMs,
      agentId,
      path: '/cap/a2a_sdl/bundle',
      ...(skewMs !== undefined && { skewMs }),
    });
    return { bundle, isNew: true };
  } catch (cause) {
    if (!(cause instanceof SdlError)) throw cause;
    throw refusal('the key bundle in the message does not hold', cause);
  }
}

function sentBundle(envelope: Envelope): JsonValue | undefined {
  const own = envelope.cap['a2a_sdl'];
  return isJsonObject(own) ? own['bundle'] : undefined;
}

/** Not yet verified; one whose `seq` is no number goes on to be refused. */
function isNewer(sent: JsonValue, known: KeyBundle): boolean {
  const seq = isJsonObject(sent) ? sent['seq'] : undefined;
  return typeof seq !== 'number' || seq > known.seq;
}

/** Who stole a root key that is revoked can sign any bundle with it: then none counts, however well it is known. */
function isTrustedRoot({ rootKeyRule }: Peer, rootKey: Uint8Array, nowMs: number): boolean {
  const root = rootPeerKey(rootKey);
  const left = rootKeyRule === undefined ? root : rootKeyRule(root);
  return left !== undefined && isValidAt(left, nowMs);
}

function rootPeerKey(rootKey: Uint8Array): PeerKey {
  return { kid: thumbprint('ed25519', rootKey), key: rootKey };
}

/** The peer with the keys that it has by itself: a did:key agent speaks with its root key and those of its bundle. */
export function withOwnKeys(peer: Peer, bundle: KeyBundle | undefined, nowMs: number): Peer {
  const rootKey = publicKeyFromDidKey(peer.agentId);
  if (rootKey === undefined) return peer;
  const isTrusted = isTrustedRoot(peer, rootKey, nowMs);
  const listed = (use: KeyUse): PeerKey[] =>
    bundle === undefined || !isTrusted
      ? []
      : bundleKeys(bundle, use, nowMs).map(({ kid, publicKey, notAfterMs }) => ({
          kid,
          key: publicKey,
          notAfter: Math.min(notAfterMs, bundle.notAfterMs),
        }));
  // The root first: no other key can take its thumbprint for a kid.
  const signing = [rootPeerKey(rootKey), ...listed('sig')];
  return {
    ...peer,
    signingKeys: mergeKeys(peer.signingKeys, signing, nowMs),
    encryptionKeys: mergeKeys(peer.encryptionKeys, listed('enc'), nowMs),
  };
}

/** Under this key something verifies that the peer has signed now. Throws SENDER_REFUSED. @param bundle the newest of it. */
export function verificationKeyOf(
  peer: Peer,
  kid: string | undefined,
  bundle: KeyBundle | undefined,
  nowMs: number,
): PeerKey {
  if (peer.revoked) throw refusal('the sender is revoked');
  return signingKeyOf(withOwnKeys(peer, bundle, nowMs), kid, nowMs);
}

function signingKeyOf(peer: Peer, kid: string | undefined, nowMs: number): PeerKey {
  const key = signingKeysOf(peer).find((candidate) => candidate.kid === kid);
  if (key === undefined) throw refusal('no key of this id is bound to the sender');
  if (!isValidAt(key, nowMs)) throw refusal('the key of the sender is not valid now');
  return key;
}

function refusal(reason: string, cause?: unknown): SdlError {
  return new SdlError('SENDER_REFUSED', reason, { cause });
}
