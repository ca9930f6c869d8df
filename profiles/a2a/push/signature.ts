// Owns the signature that a notice to a web hook may carry: the agent's word on what it told, to whom and when.
// SPEC.md section 20 (#a2a-push-signed).

import type { JsonObject } from '../../../src/codec/index.ts';
import { encodeBase64url } from '../../../src/security/index.ts';
import type { JwsSigner } from '../../../src/transport.ts';
import { writeJson } from '../../../src/transport.ts';

export const SIGNATURE_HEADER = 'A2A-Sdl-Signature';
/** Of the JSON Web Signature: it passes as nothing else that the agent signs. */
export const DELIVERY_TYPE = 'a2a-delivery';

/** One notice as it goes out. */
export interface SignedNotice {
  readonly agentId: string;
  /** Its keys, for who does not have them yet. Absent where its id is a label. */
  readonly bundle: JsonObject | undefined;
  readonly url: string;
  readonly deliveryId: string;
  /** Of the protocol. */
  readonly version: string;
  readonly isLast: boolean;
  readonly body: Uint8Array;
  readonly nowMs: number;
}

export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** The value of the header: a JSON Web Signature in its compact form. */
export async function signDelivery(
  { agentId, bundle, url, deliveryId, version, isLast, body, nowMs }: SignedNotice,
  signer: JwsSigner,
  sha256: Sha256,
): Promise<string> {
  const claims: JsonObject = {
    agent_id: agentId,
    url,
    delivery: deliveryId,
    version,
    body: encodeBase64url(sha256(body)),
    at: nowMs,
    ...(isLast && { last: true }),
    ...(bundle && { bundle }),
  };
  const payload = writeJson(claims);
  const signed = await signer.sign({ typ: DELIVERY_TYPE }, payload);
  return `${signed.protected}.${encodeBase64url(payload)}.${signed.signature}`;
}
