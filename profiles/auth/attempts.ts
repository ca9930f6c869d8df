// Owns how often an address may be wrong: failures in a window, one check of a password at a time.

import { isIPv6 } from 'node:net';

import { SdlError } from '../../src/transport.ts';

export interface AttemptLimits {
  /** Failed attempts of one address in a window before it has to wait. @default 10 */
  readonly maxFailures?: number;
  /** @default 60000 */
  readonly windowMs?: number;
}

interface Window {
  failures: number;
  readonly until: number;
}

const MOST_ADDRESSES = 10_000;
const MOST_WAITING = 32;

export class Attempts {
  readonly #maxFailures: number;
  readonly #windowMs: number;
  readonly #now: () => number;
  readonly #windows = new Map<string, Window>();
  readonly #lines = new Map<string, { waiting: number; last: Promise<unknown> }>();

  constructor({ maxFailures = 10, windowMs = 60_000 }: AttemptLimits, now: () => number) {
    this.#maxFailures = maxFailures;
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /** Throws LIMIT_RATE, whatever would be shown: the answer to a right guess would tell that it is right. */
  assertMay(address: string): void {
    const window = this.#windows.get(networkOf(address));
    if (window === undefined || window.until <= this.#now()) return;
    if (window.failures >= this.#maxFailures) {
      throw new SdlError('LIMIT_RATE', 'too many failed attempts of this address');
    }
  }

  failed(address: string): void {
    const network = networkOf(address);
    const window = this.#windows.get(network);
    if (window !== undefined && window.until > this.#now()) {
      window.failures += 1;
      return;
    }
    // The oldest goes first: a Map keeps the order in which its keys came.
    this.#windows.delete(network);
    if (this.#windows.size >= MOST_ADDRESSES) {
      this.#windows.delete(this.#windows.keys().next().value!);
    }
    this.#windows.set(network, { failures: 1, until: this.#now() + this.#windowMs });
  }

  /** One after the other, so that many at once count like many in a row. */
  async inLine<T>(address: string, run: () => Promise<T>): Promise<T> {
    const network = networkOf(address);
    const line = this.#lines.get(network) ?? { waiting: 0, last: Promise.resolve() };
    if (line.waiting >= MOST_WAITING) {
      throw new SdlError('LIMIT_RATE', 'too many attempts of this address at once');
    }
    this.#lines.set(network, line);
    line.waiting += 1;
    const done = line.last.then(run, run);
    line.last = done;
    try {
      return await done;
    } finally {
      line.waiting -= 1;
      if (line.waiting === 0) this.#lines.delete(network);
    }
  }
}

/** An IPv6 network is given out whole, so its /64 counts as one address. */
function networkOf(address: string): string {
  const plain = address.replace(/%.*$/, '');
  if (!isIPv6(plain)) return plain;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain);
  if (mapped !== null) return mapped[1]!;
  const [head = '', tail] = plain.split('::');
  const front = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const back = tail === '' ? 0 : tail.split(':').length;
    while (front.length < 8 - back && front.length < 4) front.push('0');
    if (front.length < 4) front.push(...tail.split(':'));
  }
  return front
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
