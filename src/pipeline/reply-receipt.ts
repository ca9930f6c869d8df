// Owns the receipt in a `res`: the entry of the audit log on this answer, and the node's word for it.
// SPEC.md section 10 (#audit, #receipt).

import type { Verdict } from '../audit/entry.ts';
import type { AuditLog } from '../audit/log.ts';
import { answerHash } from '../audit/receipt.ts';
import type { CryptoProvider } from '../crypto/provider.ts';
import type { Envelope } from '../envelope/types.ts';
import type { OwnIdentity } from '../security/identity/own-identity.ts';
import { signingKeyOf } from '../security/identity/own-identity.ts';

/** The request that is answered, as the log has it. */
export interface RecordedRequest {
  readonly id: string;
  /** The SHA-256 of its signing input, in base64url. */
  readonly req: string;
  /** Where its entry stands. */
  readonly auditSeq: number;
  readonly verdict: Verdict;
}

interface ReceiptMeans {
  /** Absent where no log is kept. */
  readonly audit?: AuditLog;
  readonly crypto: CryptoProvider;
  readonly identity: OwnIdentity;
  readonly nowMs: number;
}

/** The reply as it was encrypted, with its receipt in `trace.audit`. */
export async function withReceipt(
  reply: Envelope,
  { id: re, req, auditSeq, verdict }: RecordedRequest,
  { audit, crypto, identity, nowMs }: ReceiptMeans,
): Promise<Envelope> {
  if (audit === undefined || reply.trace === undefined) return reply;
  const told = { req, res: answerHash(reply, crypto.sha256), verdict };
  const seq = await audit.record({ kind: 'reply', id: reply.id, re, ...told, of: auditSeq });
  // By the key of the reply, whose bundle the requester has: it may know nothing of one that came since.
  const { kid, key } = signingKeyOf(identity, nowMs);
  const receipt = await audit.receipt({ ...told, seq }, { kid, secretKey: key.reveal() });
  return { ...reply, trace: { ...reply.trace, audit: receipt } };
}
