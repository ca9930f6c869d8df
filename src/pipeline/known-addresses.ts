// Owns from where known senders came lately: before a message is proven, its address is all that speaks for it.
// SPEC.md section 13 (#budget).

import type { ShareClass } from '../budget/index.ts';
import type { PeerFacts } from '../transport.ts';

const MAX_ADDRESSES = 1_024;

/** A Unix socket that only the user of this machine can open. */
export function isOperatorsSocket({ transport, address }: PeerFacts): boolean {
  return transport === 'ipc' && address === 'local';
}

export class KnownAddresses {
  /** In the order in which they became known; the first one is forgotten first. */
  readonly #shares = new Map<string, ShareClass>();

  shareOf(address: string): ShareClass {
    return this.#shares.get(address) ?? 'stranger';
  }

  /** Somebody of this class was proven there. Strangers teach nothing. */
  learn(address: string, share: ShareClass): void {
    if (share === 'stranger') return;
    const known = this.#shares.get(address);
    if (known === share || known === 'operator') return;
    if (known === undefined && this.#shares.size >= MAX_ADDRESSES) {
      const [oldest] = this.#shares.keys();
      this.#shares.delete(oldest!);
    }
    this.#shares.set(address, share);
  }
}
