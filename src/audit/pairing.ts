// Owns how replies in the log belong to requests: each to an earlier one, and one to each. SPEC.md section 10 (#audit).

import type { AuditEntry } from './entry.ts';

interface OpenRequest {
  readonly id: string;
  readonly req: string;
}

export class Pairing {
  readonly #open = new Map<number, OpenRequest>();

  /** Requests that nothing has answered so far. */
  get open(): number {
    return this.#open.size;
  }

  /** Takes the next entry; says what is wrong with it. */
  take(seq: number, entry: AuditEntry): string | undefined {
    if (entry.kind === 'request') this.#open.set(seq, { id: entry.id, req: entry.req });
    if (entry.kind !== 'reply') return undefined;
    const request = this.#open.get(entry.of);
    if (request === undefined) return 'the reply answers no open request';
    this.#open.delete(entry.of);
    if (request.id === entry.re && request.req === entry.req) return undefined;
    return 'the reply is for another request than the one it names';
  }
}
