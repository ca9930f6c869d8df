// Owns how the check `authorize` finds out what a sender may do: its entry, else the grant that came along.
// SPEC.md sections 10 and 13 (#grant, #checks).

import type { JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import { authorize } from '../security/authorize.ts';
import { publicKeyFromDidKey } from '../security/did-key.ts';
import { verifyGrant } from '../security/grant.ts';
import { ownVerificationKeys } from '../security/own-identity.ts';
import { signingKeysOf, usableKeys } from '../security/peer-keys.ts';
import { withOwnKeys } from '../security/resolve-sender.ts';
import type { Passage } from './passage.ts';

/** An answer needs no leave: it was asked for. */
export async function authorizeSender(passage: Passage): Promise<void> {
  if (passage.answers !== undefined) return;
  const { envelope, payload, sender, isProven } = passage;
  const request = { ct: envelope.ct, payload };
  const grant = grantIn(payload);
  if (grant === undefined || !isProven) {
    authorize(request, sender.peer);
    return;
  }
  try {
    authorize(request, sender.peer);
  } catch (refusal) {
    if (!(refusal instanceof SdlError)) throw refusal;
    // Only now, as the entry is not enough: a grant costs a signature for each of its links.
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
): Promise<Awaited<ReturnType<typeof verifyGrant>>['allow']> {
  const { identity, peers, nowMs } = snapshot;
  const keysOf = async (agentId: string): Promise<readonly Uint8Array[]> => {
    if (agentId === identity.agentId) return ownVerificationKeys(identity, nowMs);
    const entry = peers.find(agentId);
    // Who is not known here may still stand in the middle of a chain, with the key that is its id.
    if (entry === undefined) return rootOnly(agentId);
    if (entry.revoked) return [];
    const bundle = (await services.contacts.get(agentId))?.bundle;
    const keys = usableKeys(signingKeysOf(withOwnKeys(entry, bundle, nowMs)), nowMs);
    return keys.map(({ key }) => key);
  };
  const verified = await verifyGrant(grant, {
    crypto: services.crypto,
    holder: envelope.from.agent_id,
    audience: identity.agentId,
    nowMs,
    hops: envelope.trace?.hops ?? 0,
    keysOf,
    mayGrant: (agentId) => peers.find(agentId)?.mayGrant === true,
    path: '/payload/authz/grant',
  });
  return verified.allow;
}

function rootOnly(agentId: string): Uint8Array[] {
  const root = publicKeyFromDidKey(agentId);
  return root === undefined ? [] : [root];
}
