// Owns what a client has beside what it speaks with: where the receipts of others are kept, and how it waits.
// SPEC.md section 10 (#receipt-kept).

import type { ReceiptBookOptions } from '../audit/receipt-book.ts';
import { createReceiptBook } from '../audit/receipt-book.ts';
import type { Speaker } from '../message/speaker.ts';
import type { ReceiptEvent, ReceiptServices } from './keep-receipt.ts';

/** How many receipts of others are kept, and how long. */
export type ReceiptSettings = Pick<ReceiptBookOptions, 'keepMs' | 'max'>;

/** What keeps the receipts that come with answers; nothing where there is no store to keep them in. */
export function makeReceiptServices(
  { store, crypto, now }: Speaker,
  receipts: ReceiptSettings | false,
  onReceipt: (event: ReceiptEvent) => void,
): ReceiptServices {
  return {
    ...(receipts !== false && { receipts: createReceiptBook({ ...receipts, store, crypto, now }) }),
    onReceipt,
  };
}

/** Ends early, without an error, when the signal aborts. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}
