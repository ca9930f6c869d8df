// Owns what makes a receipt worth keeping: it is of the agent that answered, for this very request and this very
// answer, and can be checked by itself later. SPEC.md section 10 (#receipt-kept).

import type { CryptoProvider } from '../crypto/provider.ts';
import { parseTimestamp } from '../envelope/timestamp.ts';
import type { Envelope } from '../envelope/types.ts';
import { SdlError } from '../errors.ts';
import type { KeyBundle } from '../security/identity/key-bundle-shape.ts';
import type { PeerKey } from '../security/peers/peer.ts';
import type { Receipt } from './receipt.ts';
import { answerHash, signerOfReceipt } from './receipt.ts';

/** An answer whose signature holds, with the receipt in its `trace.audit`. */
export interface ReceivedAnswer {
  /** The request's `id`. */
  readonly id: string;
  /** The request's content type. */
  readonly ct: string;
  /** The `req` that the request has in a log. */
  readonly req: string;
  readonly reply: Envelope;
  /** The keys that speak for the agent that answered. */
  readonly keys: readonly PeerKey[];
  /** Its newest bundle, verified. */
  readonly bundle: KeyBundle | undefined;
}

/** A receipt that holds. */
export interface SignedReceipt {
  readonly receipt: Receipt;
  readonly kid: string;
}

/** Throws where it does not hold; the reason is for the local log. */
export async function checkReceipt(
  { req, reply, keys, bundle }: ReceivedAnswer,
  crypto: CryptoProvider,
): Promise<SignedReceipt> {
  const publicKeys = new Map(keys.map(({ kid, key }) => [kid, key]));
  const node = reply.from.agent_id;
  const { receipt, kid } = await signerOfReceipt(reply.trace?.audit, { node, publicKeys }, crypto);
  if (receipt.req !== req) throw mismatch('request');
  if (receipt.res !== answerHash(reply, crypto.sha256)) throw mismatch('answer');
  const listed = bundle?.keys.find((key) => key.kid === kid);
  const timeMs = parseTimestamp(receipt.head.time)!;
  // Who checks it later has only the times in it to go by.
  if (listed !== undefined && !(timeMs <= Math.min(listed.notAfterMs, bundle!.notAfterMs))) {
    throw new SdlError('SENDER_REFUSED', 'the key under the receipt had ended by its time');
  }
  return { receipt, kid };
}

function mismatch(what: string): SdlError {
  return new SdlError('BINDING_INVALID', `the receipt is for another ${what}`);
}
