// Owns how the check `authorize` finds out what a sender may do: its entry, else the grant that came along.
// SPEC.md sections 10 and 13 (#grant, #checks).

import type { JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import { authorize } from '../security/policy/authorize.ts';
import { publicKeyFromDidKey } from '../security/identity/did-key.ts';
import type { GrantedScope } from '../security/policy/grant-shape.ts';
import { verifyGrant } from '../security/policy/grant.ts';
import type { KeyBundle } from '../security/identity/key-bundle-shape.ts';
import { ownVerificationKeys } from '../security/identity/own-identity.ts';
import { isValidAt, signingKeysOf, usableKeys } from '../security/peers/keys.ts';
import type { Peer } from '../security/peers/peer.ts';
import { strangerIn, withOwnKeys } from '../security/peers/resolve-sender.ts';
import type { Passage } from './passage.ts';

/** An answer needs no leave: it was asked for. */
export async function authorizeSender(passage: Passage): Promise<void> {
  if (passage.answers !== undefined) return;
  const { envelope, payload, sender, isProven, services } = passage;
  const request = { ct: services.rightFor?.(envelope.ct) ?? envelope.ct, payload };
  const grant = grantIn(payload);
  if (grant === undefined || !isProven) {
    authorize(request, sender.peer);
    return;
  }
  try {
    authorize(request, sender.peer);
  } catch (refusal) {
    if (!(refusal instanceof SdlError)) throw refusal;
    // Only now that the entry does not allow it: a grant costs a signature for each of its links.
    passage.granted = await verifiedScope(grant, passage);
    authorize(request, sender.peer, passage.granted);
  }
}

function grantIn(payload: JsonValue): JsonValue | undefined {
  const authz = isJsonObject(payload) ? payload['authz'] : undefined;
  return isJsonObject(authz) ? authz['grant'] : undefined;
}

async function verifiedScope(
  grant: JsonValue,
  { envelope, services, snapshot }: Passage,
): Promise<GrantedScope> {
  const { identity, peers, nowMs } = snapshot;
  const isInForce = (entry: Peer): boolean => !entry.revoked && isValidAt(entry, nowMs);
  const usable = (peer: Peer, bundle?: KeyBundle): Uint8Array[] =>
    usableKeys(signingKeysOf(withOwnKeys(peer, bundle, nowMs)), nowMs).map(({ key }) => key);
  const keysOf = async (agentId: string): Promise<readonly Uint8Array[]> => {
    if (agentId === identity.agentId) return ownVerificationKeys(identity, nowMs);
    const entry = peers.find(agentId);
    // Who is not known here may still stand in the middle of a chain, with the key that is its id.
    if (entry === undefined) {
      const isKey = publicKeyFromDidKey(agentId) !== undefined;
      return isKey ? usable(strangerIn(peers, agentId)) : [];
    }
    // Not the key that is its id either: a peer whose time is over vouches for nobody.
    if (!isInForce(entry)) return [];
    return usable(entry, (await services.contacts.get(agentId))?.bundle);
  };
  const { allow, notAfterMs } = await verifyGrant(grant, {
    crypto: services.crypto,
    holder: envelope.from.agent_id,
    audience: identity.agentId,
    nowMs,
    hops: envelope.trace?.hops ?? 0,
    keysOf,
    mayGrant: (agentId) => {
      const entry = peers.find(agentId);
      return entry?.mayGrant === true && isInForce(entry);
    },
    path: '/payload/authz/grant',
  });
  return { ...allow, notAfterMs };
}
