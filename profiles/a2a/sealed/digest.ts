// Owns what is hashed: the part of a message or an artifact that no wire of A2A loses, and the chain over everything that
// an exchange said. SPEC.md section 22 (#sealed-detached, #sealed-end).

import type { JsonObject, JsonValue } from '../../../src/codec/index.ts';
import { writeJcs } from '../../../src/codec/index.ts';
import { encodeBase64url } from '../../../src/security/index.ts';
import { SdlError } from '../../../src/transport.ts';
import type { NeutralArtifact, NeutralMessage, NeutralPart } from './shapes/neutral.ts';
import { isObjectData } from './shapes/write.ts';

export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** Of a message that stays in clear. */
export const MESSAGE_COVERS: readonly string[] = ['messageId', 'role', 'parts', 'referenceTaskIds'];
export const ARTIFACT_COVERS: readonly string[] = ['artifactId', 'parts'];

/** What is covered of a message that stays in clear. */
export function coveredMessage({
  messageId,
  role,
  parts,
  referenceTaskIds,
}: NeutralMessage): NeutralMessage {
  return {
    messageId,
    role,
    parts: parts.map(coveredPart),
    ...(referenceTaskIds && { referenceTaskIds }),
  };
}

export function coveredArtifact({ artifactId, parts }: NeutralArtifact): NeutralArtifact {
  return { artifactId, parts: parts.map(coveredPart) };
}

/** The names, types and metadata of parts are lost on some wires, and so cannot be covered. */
function coveredPart({ text, raw, url, data }: NeutralPart): NeutralPart {
  if (text !== undefined) return { text };
  if (raw !== undefined) return { raw };
  return url !== undefined ? { url } : { data: data ?? null };
}

/** A message of ours is a JSON value; its type only has no room for other members. */
export function messageValue(message: NeutralMessage): JsonObject {
  return message as unknown as JsonObject;
}

/** `a2a.digest.v1` of a message. */
export function messageDigest(message: NeutralMessage, sha256: Sha256): JsonObject {
  return digestPayload(digestOfMessage(message, sha256), MESSAGE_COVERS);
}

/** Throws NUMBER_INEXACT and PAYLOAD_INVALID for what some wires change. */
export function digestOfMessage(message: NeutralMessage, sha256: Sha256): string {
  const covered = coveredMessage(message);
  const role = covered.role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT';
  return digestOf({ ...covered, role }, sha256);
}

export function digestOfArtifact(artifact: NeutralArtifact, sha256: Sha256): string {
  return digestOf(coveredArtifact(artifact), sha256);
}

interface Covered {
  readonly parts: readonly NeutralPart[];
  readonly role?: string;
}

function digestOf(covered: Covered, sha256: Sha256): string {
  if (!covered.parts.every(isObjectData)) {
    throw new SdlError('PAYLOAD_INVALID', 'data in clear must be an object: 0.3 carries no other');
  }
  return encodeBase64url(sha256(writeJcs(covered as unknown as JsonValue)));
}

/** `a2a.digest.v1`. */
export function digestPayload(
  digest: string,
  covers: readonly string[],
  more: JsonObject = {},
): JsonObject {
  return { kind: 'a2a.digest.v1', alg: 'sha-256', digest, covers: [...covers], ...more };
}

/** The digest in such a payload, where it covers just this. */
export function digestIn(
  { ct, payload }: { readonly ct: string; readonly payload: JsonValue },
  covers: readonly string[],
): string | undefined {
  if (ct !== 'a2a.digest.v1') return undefined;
  const said = payload as { readonly digest: string; readonly covers: readonly string[] };
  const isSame = JSON.stringify(said.covers) === JSON.stringify(covers);
  return isSame ? said.digest : undefined;
}

const CHAIN_BYTES = 32;

/** The chain over nothing. */
export function chainStart(): Uint8Array {
  return new Uint8Array(CHAIN_BYTES);
}

/** @param digest of the payload that follows. */
export function chainNext(chain: Uint8Array, digest: Uint8Array, sha256: Sha256): Uint8Array {
  const both = new Uint8Array(CHAIN_BYTES * 2);
  both.set(chain);
  both.set(digest, CHAIN_BYTES);
  return sha256(both);
}
