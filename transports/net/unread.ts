// Owns how many bytes of messages that have not come to their end are held, by everybody together, and who goes when
// there is no room: the slowest of those who have proven nothing. SPEC.md section 11 (#net-unread).

import type { CostAccount, CostKind, CostVerdict } from '../../src/transport.ts';

export interface UnreadLimits {
  /** Bytes of all unfinished messages together, for those who have proven nothing. */
  readonly maxBytes: number;
  /** Beyond it, for who has proven itself or is where somebody has lately. */
  readonly reservedBytes: number;
  /** What an unfinished message of somebody who has proven nothing has to bring in a second, once it had a start. */
  readonly minBytesPerSecond: number;
}

const UNREAD_LIMITS: UnreadLimits = {
  maxBytes: 67_108_864,
  reservedBytes: 33_554_432,
  minBytesPerSecond: 1_024,
};

/** Who sends. */
export interface UnreadSender extends CostAccount {
  /** It has proven who it is, or is where somebody has lately: the reserve is for it too. */
  readonly isTrusted: boolean;
}

/** So long nobody asks how fast it is. */
const START_MS = 5_000;
const LOOK_EVERY_MS = 1_000;
/** What an unfinished message holds beside its bytes. */
const OVERHEAD_BYTES = 4_096;

export class UnreadBudget {
  readonly #now: () => number;
  readonly #tell: (kind: CostKind, verdict: CostVerdict) => void;
  readonly #open = new Set<Unfinished>();
  #limits = UNREAD_LIMITS;
  #held = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(now: () => number, tell: (kind: CostKind, verdict: CostVerdict) => void) {
    this.#now = now;
    this.#tell = tell;
  }

  /** Other limits than the usual ones. */
  limit(limits: Partial<UnreadLimits>): void {
    this.#limits = { ...this.#limits, ...limits };
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.#held;
  }

  /**
   * A message has begun and not come to its end. Call {@link Unfinished.done} when it has.
   * @param giveUp ends it without an end; called at most once, and not after `done`.
   */
  begin(sender: UnreadSender | undefined, giveUp: () => void): Unfinished {
    const unfinished = new Unfinished(this, sender, giveUp, this.#now());
    this.#open.add(unfinished);
    this.#held += OVERHEAD_BYTES;
    this.#timer ??= setTimeout(() => this.#look(), LOOK_EVERY_MS).unref();
    return unfinished;
  }

  /**
   * Makes room by ending the slowest unfinished message of who has proven nothing, at last also where somebody known is.
   * False where there is none.
   */
  dropSlowest(): boolean {
    const unproven = [...this.#open].filter(({ isProven }) => !isProven);
    const slowest =
      this.#slowestOf(unproven.filter(({ isTrusted }) => !isTrusted)) ?? this.#slowestOf(unproven);
    if (slowest === undefined) return false;
    this.#drop(slowest);
    return true;
  }

  /** False where there is no room, and nobody slower to go. */
  grow(unfinished: Unfinished, bytes: number): boolean {
    this.#held += bytes;
    const { maxBytes, reservedBytes } = this.#limits;
    const limit = maxBytes + (unfinished.isTrusted ? reservedBytes : 0);
    while (this.#held > limit) {
      if (!this.dropSlowest() || !this.#open.has(unfinished)) break;
    }
    return this.#open.has(unfinished) && this.#held <= limit;
  }

  end(unfinished: Unfinished, bytes: number): void {
    if (!this.#open.delete(unfinished)) return;
    this.#held -= bytes;
    if (this.#open.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #slowestOf(those: readonly Unfinished[]): Unfinished | undefined {
    const now = this.#now();
    let slowest: Unfinished | undefined;
    for (const each of those) {
      if (slowest === undefined || each.rate(now) < slowest.rate(now)) slowest = each;
    }
    return slowest;
  }

  #look(): void {
    this.#timer = this.#open.size === 0 ? undefined : this.#next();
    const now = this.#now();
    for (const each of this.#open) {
      if (each.isProven || now - each.beganAt < START_MS) continue;
      if (each.rate(now) < this.#limits.minBytesPerSecond) this.#drop(each);
    }
  }

  #next(): NodeJS.Timeout {
    return setTimeout(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  #drop(unfinished: Unfinished): void {
    this.#tell('slow', 'closed');
    unfinished.drop();
  }
}

/** A message that has begun. */
export class Unfinished {
  readonly beganAt: number;
  readonly #budget: UnreadBudget;
  readonly #sender: UnreadSender | undefined;
  readonly #giveUp: () => void;
  #bytes = OVERHEAD_BYTES;
  #passed = 0;
  #hasEnded = false;

  constructor(
    budget: UnreadBudget,
    sender: UnreadSender | undefined,
    giveUp: () => void,
    beganAt: number,
  ) {
    this.#budget = budget;
    this.#sender = sender;
    this.#giveUp = giveUp;
    this.beganAt = beganAt;
  }

  get isProven(): boolean {
    return this.#sender?.isProven === true;
  }

  get isTrusted(): boolean {
    return this.#sender?.isTrusted === true;
  }

  /** Bytes in a second, since it began. */
  rate(now: number): number {
    const elapsed = Math.max(now - this.beganAt, 1);
    return ((this.#bytes - OVERHEAD_BYTES + this.#passed) * 1_000) / elapsed;
  }

  /** More of it has come, and is not held. */
  passed(bytes: number): void {
    this.#passed += bytes;
  }

  /** More of it has come. False when there is no room for it: it has ended then. */
  grow(bytes: number): boolean {
    if (this.#hasEnded) return false;
    this.#bytes += bytes;
    if (this.#budget.grow(this, bytes)) return true;
    this.drop();
    return false;
  }

  done(): void {
    this.#hasEnded = true;
    this.#budget.end(this, this.#bytes);
  }

  /** It is given up, and charged. */
  drop(): void {
    if (this.#hasEnded) return;
    this.done();
    this.#sender?.charge('slow');
    this.#giveUp();
  }
}
