// Owns proposals to change the trust registry: what is signed, by whom, in which form. SPEC.md section 10 (#registry).

import { decodeBase64url } from '../../codec/base64url.ts';
import { writePythonJson } from '../../codec/canonical-python.ts';
import type { JsonObject, JsonValue } from '../../codec/value.ts';
import type { CryptoProvider } from '../../crypto/provider.ts';
import { malformed, requireObject, requireText } from '../../envelope/fields.ts';
import { SdlError } from '../../errors.ts';
import type { ContentHash } from '../../schema/content-hash.ts';
import { contentHash } from '../../schema/content-hash.ts';
import { signDocument, verifyDocument } from '../identity/document-signature.ts';
import type { RegistryDocument } from './registry-document.ts';
import { readRegistryDocument } from './registry-document.ts';

/** A change of the registry, read. */
export interface Proposal {
  /** The hash of `merge` and `registry`: nobody can take an id before its content is there (W11). */
  readonly id: ContentHash;
  readonly merge: boolean;
  readonly registry: RegistryDocument;
}

export interface Approval {
  readonly approver: string;
  readonly signature: string;
}

/** A proposal as it came, with the signatures that it claims. */
export interface SignedProposal extends Proposal {
  /** One signature without a name, or any number with names. */
  readonly claims: string | readonly Approval[];
}

const MAX_APPROVALS = 64;

/** Reads the payload of a `trustsync.v1` with `op` propose. Nothing of it is verified yet. */
export function readProposal(value: JsonValue): SignedProposal {
  const payload = requireObject(value, '');
  if (payload['op'] !== 'propose') throw malformed('/op', 'must be "propose"');
  const merge = payload['merge'] ?? true;
  if (typeof merge !== 'boolean') throw malformed('/merge', 'must be true or false');
  const registry = readRegistryDocument(payload['registry'], '/registry');
  const id = proposalId(merge, registry.document);
  if (Object.hasOwn(payload, 'proposal_id') && payload['proposal_id'] !== id) {
    throw malformed('/proposal_id', 'must be the hash of merge and registry');
  }
  return { id, merge, registry, claims: readClaims(payload) };
}

/** Signs a registry document for a proposal: the `signature` of the payload, or of one entry in `approvals`. */
export async function signProposal(
  merge: boolean,
  registry: JsonObject,
  secretKey: Uint8Array,
  crypto: CryptoProvider,
): Promise<string> {
  const statement = statementOf(proposalId(merge, registry), merge, registry);
  return (await signDocument('registry', statement, secretKey, crypto)).sig;
}

export function proposalId(merge: boolean, registry: JsonObject): ContentHash {
  return contentHash({ merge, registry });
}

export interface ApprovalOptions {
  readonly approvers: ReadonlyMap<string, Uint8Array>;
  readonly crypto: CryptoProvider;
  /** Are the signatures of v1 accepted too, which do not say what they are for? */
  readonly v1Forms: boolean;
}

/** The approvals that hold, one an approver at most. Claims of strangers and false ones are left out. */
export async function approvalsThatHold(
  proposal: SignedProposal,
  options: ApprovalOptions,
): Promise<Approval[]> {
  const { claims } = proposal;
  const isSingle = typeof claims === 'string';
  const candidates = isSingle
    ? Array.from(options.approvers.keys(), (approver) => ({ approver, signature: claims }))
    : claims;
  const held = new Map<string, Approval>();
  for (const { approver, signature } of candidates) {
    const key = options.approvers.get(approver);
    if (key === undefined || held.has(approver)) continue;
    if (await holds(signature, key, proposal, options)) held.set(approver, { approver, signature });
    if (isSingle && held.size > 0) break;
  }
  return [...held.values()];
}

async function holds(
  signature: string,
  key: Uint8Array,
  { id, merge, registry, claims }: SignedProposal,
  { crypto, v1Forms }: ApprovalOptions,
): Promise<boolean> {
  const statement = statementOf(id, merge, registry.document);
  if (await verifyDocument('registry', { ...statement, sig: signature }, key, crypto)) return true;
  const bytes = v1Forms ? decodeBase64url(signature) : undefined;
  if (bytes === undefined) return false;
  const signed = typeof claims === 'string' ? registry.document : statement;
  return crypto.verify(bytes, writePythonJson(signed), key);
}

function statementOf(id: ContentHash, merge: boolean, registry: JsonObject): JsonObject {
  return { merge, op: 'propose', proposal_id: id, registry };
}

function readClaims(payload: JsonObject): string | readonly Approval[] {
  const isSingle = Object.hasOwn(payload, 'signature');
  if (isSingle === Object.hasOwn(payload, 'approvals')) {
    throw new SdlError('NOT_AUTHORIZED', 'a proposal has either a signature or approvals');
  }
  if (isSingle) return requireText(payload['signature'], 128, '/signature');
  const approvals = payload['approvals'];
  if (!Array.isArray(approvals) || approvals.length > MAX_APPROVALS) {
    throw malformed('/approvals', `must be an array of at most ${MAX_APPROVALS} approvals`);
  }
  return approvals.map((value: JsonValue, index) => {
    const path = `/approvals/${index}`;
    const approval = requireObject(value, path);
    return {
      approver: requireText(approval['approver'], 512, `${path}/approver`),
      signature: requireText(approval['signature'], 128, `${path}/signature`),
    };
  });
}
