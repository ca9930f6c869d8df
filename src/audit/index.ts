// The public surface of the audit log, `a2a-sdl/audit`: to keep one, and to check what others say of theirs.

export type { AuditLog, AuditLogOptions, AuditVerifyOptions } from './log.ts';
export { createAuditLog } from './log.ts';
export type {
  AuditEntry,
  NewAuditEntry,
  OperationEntry,
  ReceivedEntry,
  ReplyEntry,
  Verdict,
} from './entry.ts';
export { auditHash, payloadHash } from './entry.ts';
export type { Evidence, EvidenceKind, EvidenceParts, VerifiedEvidence } from './evidence.ts';
export { keysOfEvidence, readEvidence, verifyEvidence, writeEvidence } from './evidence.ts';
export type { AuditSigner, NodeKeys, SignedHead } from './head.ts';
export { verifyHead } from './head.ts';
export type { GrowthDocument, ProofDocument, ProvenEntry, VerifiedProof } from './proof.ts';
export { verifyGrowth, verifyProof } from './proof.ts';
export type { Receipt, ReceiptContent, ReceiptHead } from './receipt.ts';
export { answerHash, verifyReceipt } from './receipt.ts';
export type {
  KeptReceipt,
  ListReceipts,
  ReceiptBook,
  ReceiptBookOptions,
  ReceiptPage,
} from './receipt-book.ts';
export { createReceiptBook } from './receipt-book.ts';
export type { ReceivedAnswer } from './receipt-check.ts';
export type { AuditProblem, AuditReport, AuditWitnesses, VerifyAuditLogOptions } from './verify.ts';
export { verifyAuditLog } from './verify.ts';
export type { LogNames } from './stored-tree.ts';
export { logNames } from './stored-tree.ts';
