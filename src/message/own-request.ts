// Owns how a request of ours is known again from its envelope alone: what an answer to it must fit.
// SPEC.md section 8 (#re, #x-req).

import type { JsonObject } from '../codec/value.ts';
import type { CryptoProvider } from '../crypto/provider.ts';
import { checkShape } from '../envelope/shape.ts';
import type { Envelope } from '../envelope/types.ts';
import { SdlError } from '../errors.ts';
import type { CheckServices, OpenRequest } from '../pipeline/passage.ts';
import type { OwnIdentity } from '../security/identity/own-identity.ts';
import { verifyEnvelope } from '../security/message/sign.ts';
import { signingInput } from '../security/message/signing-input.ts';
import { readCarried } from './carried-value.ts';

/** Whose word it is that a request is ours. */
export type RequestOrigin = 'given' | 'found';

/** Throws ADDRESS_WRONG for what is no request of ours, and what a signature fails with. */
export async function requestOf(
  bytes: Uint8Array,
  origin: RequestOrigin,
  { limits, registry, crypto }: Pick<CheckServices, 'limits' | 'registry' | 'crypto'>,
  identity: OwnIdentity,
): Promise<OpenRequest> {
  const value = readCarried(bytes, limits) as JsonObject;
  const envelope = checkShape(value, { contentTypes: registry.contentTypes, limits });
  const { id, to, from, type, sec, trace } = envelope;
  if (type !== 'req' || from.agent_id !== identity.agentId || sec?.sig === undefined) {
    throw new SdlError('ADDRESS_WRONG', 'it is no request of ours');
  }
  if (origin === 'found') await verifyOwn(value, envelope, identity, crypto);
  return {
    id,
    spanId: trace?.span_id ?? '',
    agentId: to.agent_id,
    mode: sec.mode,
    inputHash: crypto.sha256(signingInput(value, sec.sig.canon ?? 'jcs')),
  };
}

async function verifyOwn(
  value: JsonObject,
  { sec }: Envelope,
  { keys, root }: OwnIdentity,
  crypto: CryptoProvider,
): Promise<void> {
  // One that has ended too: it signed what is answered now.
  const key = keys.find(({ kid, use }) => use === 'sig' && kid === sec?.kid)?.key ?? root;
  if (key === undefined) throw new SdlError('SENDER_REFUSED', 'no key of ours has signed it');
  await verifyEnvelope(value, { publicKey: key.publicKey, crypto });
}
