// Owns what the asking side does with the receipt that comes with an answer. SPEC.md section 10 (#receipt-kept).

import type { ReceiptBook } from '../audit/receipt-book.ts';
import { encodeBase64url } from '../codec/base64url.ts';
import type { Envelope } from '../envelope/types.ts';
import type { SdlError } from '../errors.ts';
import type { Passage } from '../pipeline/passage.ts';
import { signingKeysOf, usableKeys } from '../security/peers/keys.ts';

/** What became of the receipt that came with an answer. */
export interface ReceiptEvent {
  /** Of the request. */
  readonly id: string;
  /** The agent that answered. */
  readonly peer: string;
  /** Why it does not hold and is not kept; the answer counts all the same. It may hold what peers are not told. */
  readonly refusal?: SdlError;
}

export interface ReceiptServices {
  /** Absent where none are kept. */
  readonly receipts?: ReceiptBook;
  readonly onReceipt: (event: ReceiptEvent) => void;
}

/**
 * The answer counts by its own signature: a receipt that does not hold takes nothing from it. Throws only where the
 * store fails.
 * @param bytes the request as it was sent.
 */
export async function keepReceipt(
  { envelope: reply, sender, contact, isProven, answers, services, snapshot }: Passage,
  { id, ct }: Envelope,
  bytes: Uint8Array,
  { receipts, onReceipt }: ReceiptServices,
): Promise<void> {
  if (receipts === undefined || !isProven || reply.trace?.audit === undefined) return;
  const refusal = await receipts.keep({
    id,
    ct,
    req: encodeBase64url(answers?.inputHash ?? services.crypto.sha256(bytes)),
    reply,
    keys: usableKeys(signingKeysOf(sender.peer), snapshot.nowMs),
    bundle: sender.newBundle ?? contact?.bundle,
  });
  onReceipt({ id, peer: reply.from.agent_id, ...(refusal && { refusal }) });
}
