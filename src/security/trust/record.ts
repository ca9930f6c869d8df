// Owns a record of the trust log: what was applied, who approved it, and this agent's own word that it did. Nothing is
// believed because it was found in the store. SPEC.md section 10 (#registry-record).

import { readJson } from '../../codec/json/read.ts';
import { writeJson } from '../../codec/json/write.ts';
import type { JsonObject } from '../../codec/value.ts';
import type { CryptoProvider } from '../../crypto/provider.ts';
import { SdlError } from '../../errors.ts';
import type { ContentHash } from '../../schema/content-hash.ts';
import { STORE_LIMITS } from '../../stores/store.ts';
import { signDocument, verifyDocument } from '../identity/document-signature.ts';
import type { OwnSecret } from '../identity/own-identity.ts';
import { readRegistryDocument } from './registry-document.ts';
import type { Approval, Proposal } from './registry-proposal.ts';
import { approvalsThatHold, proposalId } from './registry-proposal.ts';

export interface ApprovedProposal {
  readonly proposal: Proposal;
  /** They stay with it as evidence. */
  readonly approvals: readonly Approval[];
}

/** Where a record stands: it holds nowhere else. */
export interface RecordPlace {
  readonly log: string;
  readonly position: number;
}

export interface RecordTrust {
  readonly crypto: CryptoProvider;
  /** The key that speaks for this agent for ever; without it a record is judged by the approvers of now. */
  readonly root: OwnSecret | undefined;
  readonly approvers: ReadonlyMap<string, Uint8Array>;
  readonly quorum: number;
}

interface Stored {
  readonly id: ContentHash;
  readonly merge: boolean;
  readonly registry: JsonObject;
  readonly approvals: readonly Approval[];
  readonly at: string;
  readonly sig?: string;
}

/** @param at when it was applied. */
export async function writeRecord(
  { proposal: { id, merge, registry }, approvals }: ApprovedProposal,
  at: string,
  place: RecordPlace,
  { root, crypto }: RecordTrust,
): Promise<Uint8Array> {
  const claims = approvals.map(({ approver, signature }) => ({ approver, signature }));
  const record = { id, merge, registry: registry.document, approvals: claims, at };
  if (root === undefined) return writeJson(record);
  const document = statementOf(record, place);
  const { sig } = await signDocument('registry-record', document, root.reveal(), crypto);
  return writeJson({ ...record, sig });
}

/** Throws for what this agent did not write and the approvers of now did not approve. */
export async function readRecord(
  value: Uint8Array,
  place: RecordPlace,
  trust: RecordTrust,
): Promise<ApprovedProposal> {
  const stored = readJson(value, { maxBytes: STORE_LIMITS.valueBytes }) as unknown as Stored;
  const { id, merge, approvals } = stored;
  if (id !== proposalId(merge, stored.registry)) throw refusal('the id names other content');
  const registry = readRegistryDocument(stored.registry, '');
  const proposal: Proposal = { id, merge, registry };
  if (!(await isOwn(stored, place, trust))) await assertApproved(proposal, approvals, trust);
  return { proposal, approvals };
}

async function isOwn(stored: Stored, place: RecordPlace, trust: RecordTrust): Promise<boolean> {
  const { sig } = stored;
  const { root, crypto } = trust;
  if (sig === undefined || root === undefined) return false;
  const document = { ...statementOf(stored, place), sig };
  return verifyDocument('registry-record', document, root.publicKey, crypto);
}

async function assertApproved(
  proposal: Proposal,
  approvals: readonly Approval[],
  { approvers, quorum, crypto }: RecordTrust,
): Promise<void> {
  // Which form was allowed when it came is not known any more: the approver has signed it in either.
  const options = { approvers, crypto, v1Forms: true };
  const held = await approvalsThatHold({ ...proposal, claims: approvals }, options);
  const [only] = approvals;
  const isSingle = held.length === 0 && approvals.length === 1 && proposal.merge;
  const single = isSingle
    ? await approvalsThatHold({ ...proposal, claims: only!.signature }, options)
    : [];
  const count = held.length + single.length;
  if (count >= quorum) return;
  throw refusal(`it has ${count} of the ${quorum} approvals that it needs`);
}

function statementOf(
  { id, merge, registry, approvals, at }: Stored,
  place: RecordPlace,
): JsonObject {
  const { log, position } = place;
  return {
    id,
    merge,
    registry,
    approvals: approvals as unknown as JsonObject[],
    at,
    log,
    position,
  };
}

function refusal(reason: string): SdlError {
  return new SdlError('NOT_AUTHORIZED', reason);
}
