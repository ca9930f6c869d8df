// Owns how the check `authorize` finds out what a sender may do: its entry, else the grant that came along.
// SPEC.md sections 10 and 13 (#grant, #checks).

import type { JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import { authorize } from '../security/policy/authorize.ts';
import { issuerIn, isRootIssuer } from '../security/policy/grant-issuers.ts';
import type { GrantedScope } from '../security/policy/grant-shape.ts';
import { verifyGrant } from '../security/policy/grant.ts';
import { ownVerificationKeys } from '../security/identity/own-identity.ts';
import { signingKeysOf, usableKeys } from '../security/peers/keys.ts';
import type { PeerKey } from '../security/peers/peer.ts';
import { withOwnKeys } from '../security/peers/resolve-sender.ts';
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
  const kids = new Map<Uint8Array, string>();
  const remembered = (keys: readonly PeerKey[]): Uint8Array[] =>
    keys.map(({ kid, key }) => {
      kids.set(key, kid);
      return key;
    });
  const keysOf = async (agentId: string): Promise<readonly Uint8Array[]> => {
    if (agentId === identity.agentId) return ownVerificationKeys(identity, nowMs);
    const issuer = issuerIn(peers, agentId, nowMs);
    if (issuer === undefined) return [];
    const isKnown = peers.find(agentId) !== undefined;
    const bundle = isKnown ? (await services.contacts.get(agentId))?.bundle : undefined;
    return remembered(usableKeys(signingKeysOf(withOwnKeys(issuer, bundle, nowMs)), nowMs));
  };
  const { allow, notAfterMs, chain } = await verifyGrant(grant, {
    crypto: services.crypto,
    holder: envelope.from.agent_id,
    audience: identity.agentId,
    nowMs,
    hops: envelope.trace?.hops ?? 0,
    keysOf,
    mayGrant: (agentId) => isRootIssuer(peers, agentId, nowMs),
    path: '/payload/authz/grant',
  });
  // Our own keys have no entry, and nobody takes back what they signed.
  const grantedBy = chain.map(({ iss, key }) => ({ agentId: iss, kid: kids.get(key) ?? '' }));
  return { ...allow, notAfterMs, grantedBy };
}
