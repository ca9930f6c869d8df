// Owns receipts: a node's word on what it was asked and what it answered. SPEC.md section 10 (#receipt, #doc-signature).

import { encodeBase64url } from '../codec/base64url.ts';
import type { JsonObject, JsonValue } from '../codec/value.ts';
import type { CryptoProvider } from '../crypto/provider.ts';
import { malformed, requireText, requireTimestamp } from '../envelope/fields.ts';
import { formatTimestamp } from '../envelope/timestamp.ts';
import type { Envelope } from '../envelope/types.ts';
import { SdlError } from '../errors.ts';
import { requireCount, requireMembers } from '../security/identity/document-fields.ts';
import type { SignedDocument } from '../security/identity/document-signature.ts';
import { signDocument, verifyDocument } from '../security/identity/document-signature.ts';
import type { Verdict } from './entry.ts';
import { payloadHash, requireHash, requireVerdict } from './entry.ts';
import type { HeadContext, NodeKeys } from './head.ts';
import { assertNode } from './head.ts';
import type { Frontier, Sha256 } from './merkle.ts';
import { rootOf } from './merkle.ts';

/** What a receipt is for: the words of the reply's entry, and where that stands. */
export interface ReceiptContent {
  readonly req: string;
  readonly res: string;
  readonly verdict: Verdict;
  /** Of the reply's entry. */
  readonly seq: number;
}

/** The log when the receipt was made. The receipt's own signature covers it. */
export interface ReceiptHead extends JsonObject {
  readonly size: number;
  readonly root: string;
  readonly time: string;
}

/** Travels in the reply's `trace.audit`. Who keeps it can show that the log once held this entry. */
export interface Receipt extends SignedDocument {
  readonly req: string;
  readonly res: string;
  readonly verdict: Verdict;
  readonly node: string;
  readonly seq: number;
  readonly head: ReceiptHead;
}

/** The `res` of a reply. Of what is encrypted the ciphertext: a hash of a short answer in clear would tell the answer. */
export function answerHash({ sec, payload }: Envelope, sha256: Sha256): string {
  return payloadHash((sec?.enc as JsonObject | undefined) ?? payload, sha256);
}

export async function signReceipt(
  { req, res, verdict, seq }: ReceiptContent,
  tree: Frontier,
  { node, crypto, signer, now }: HeadContext,
): Promise<Receipt> {
  const root = encodeBase64url(rootOf(tree, crypto.sha256));
  const head = { size: tree.size, root, time: formatTimestamp(now()) };
  const receipt = { req, res, verdict, node, seq, head };
  return (await signDocument('receipt', receipt, signer().secretKey, crypto)) as Receipt;
}

/**
 * Checks a receipt without the log. Throws ENVELOPE_INVALID for what is none, SIGNATURE_INVALID for one that this node
 * has not signed. That `req` and `res` are those of one's own messages is for the caller to compare.
 */
export async function verifyReceipt(
  value: JsonValue | undefined,
  keys: NodeKeys,
  crypto: CryptoProvider,
): Promise<Receipt> {
  return (await signerOfReceipt(value, keys, crypto)).receipt;
}

/** As {@link verifyReceipt}, and which key signed it. A receipt names none, as the reply around it does; a node has few. */
export async function signerOfReceipt(
  value: JsonValue | undefined,
  { node, publicKeys }: NodeKeys,
  crypto: CryptoProvider,
): Promise<{ readonly receipt: Receipt; readonly kid: string }> {
  const receipt = readReceipt(value);
  assertNode(receipt.node, node);
  for (const [kid, key] of publicKeys) {
    if (await verifyDocument('receipt', receipt, key, crypto)) return { receipt, kid };
  }
  throw new SdlError('SIGNATURE_INVALID', 'the signature of the receipt does not hold');
}

const RECEIPT_MEMBERS = ['req', 'res', 'verdict', 'node', 'seq', 'head', 'sig'];
const HEAD_MEMBERS = ['size', 'root', 'time'];

/** Its signature is still to be checked. */
export function readReceipt(value: JsonValue | undefined): Receipt {
  const receipt = requireMembers(value, RECEIPT_MEMBERS, '');
  requireHash(receipt['req'], '/req');
  requireHash(receipt['res'], '/res');
  requireVerdict(receipt['verdict'], '/verdict');
  requireText(receipt['node'], 512, '/node');
  const seq = requireCount(receipt['seq'], '/seq');
  const head = requireMembers(receipt['head'], HEAD_MEMBERS, '/head');
  const size = requireCount(head['size'], '/head/size');
  if (seq >= size) throw malformed('/seq', 'must be below the size of the head');
  requireHash(head['root'], '/head/root');
  requireTimestamp(head['time'], '/head/time');
  requireText(receipt['sig'], 128, '/sig');
  return receipt as Receipt;
}
