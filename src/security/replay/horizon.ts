// Owns up to when nonces may have been forgotten: the latest time that the store has seen, and when it began. What is
// older than either cannot be told from a message that has run. SPEC.md section 7 (#replay-horizon).

import { readJson } from '../../codec/json/read.ts';
import { writeJson } from '../../codec/json/write.ts';
import type { JsonObject } from '../../codec/value.ts';
import { SdlError } from '../../errors.ts';
import type { EntryStore } from '../../stores/store.ts';

export interface HorizonOptions {
  readonly store: Pick<EntryStore, 'get' | 'put' | 'count'>;
  /** Where nonces are kept. */
  readonly space: string;
  readonly now: () => number;
  /** When a store begins that is new. */
  readonly sinceMs: number;
  readonly skewMs: number;
  /** Told once, when the clock is behind what the store has seen by more than the skew. */
  readonly onBehind: (behindMs: number) => void;
}

/** Milliseconds since the epoch. */
interface SeenTimes {
  /** When the store began: it knows of nothing before. */
  readonly since: number;
  /** Not earlier than the latest time that anybody has seen who uses the store. */
  readonly seen: number;
}

const SPACE = 'replay-horizon';
const KEY = 'clock';
/** Messages of others may carry whole seconds only. */
const SECOND_MS = 1_000;
/** How far ahead of the clock `seen` is written, so that it is not written for each message. */
const LONGEST_STEP_MS = 10_000;

/**
 * For the operator, after the store has seen a wrong time: it counts as new, and what is older than now stays refused.
 * Resolves with the latest time that it had seen. Runtimes that are open hear of it when they start again.
 */
export async function resetHorizon(
  store: Pick<EntryStore, 'get' | 'put'>,
  nowMs: number,
): Promise<number | undefined> {
  for (;;) {
    const entry = await store.get(SPACE, KEY);
    const record: SeenTimes = { since: nowMs, seen: nowMs };
    const value = writeJson(record as unknown as JsonObject);
    const written = await store.put(SPACE, KEY, value, { ifVersion: entry?.version ?? 0 });
    if (written.ok) return entry && readTimes(entry.value).seen;
  }
}

function readTimes(value: Uint8Array): SeenTimes {
  return readJson(value) as unknown as SeenTimes;
}

export class Horizon {
  readonly #options: HorizonOptions;
  /** Shorter than the skew: what expires later than that is never behind the horizon of a right clock. */
  readonly #stepMs: number;
  #record: SeenTimes | undefined;
  #raising: Promise<SeenTimes> | undefined;
  #isToldBehind = false;

  constructor(options: HorizonOptions) {
    this.#options = options;
    this.#stepMs = Math.min(LONGEST_STEP_MS, Math.floor(options.skewMs / 2));
    // Written down at the start, not with the first message; where that fails, the first message tries it again.
    this.#seenUpTo(options.now()).catch(() => undefined);
  }

  /** Throws TIME_INVALID for a message whose nonce may have been forgotten. */
  async check(tsMs: number, expMs: number): Promise<void> {
    const { now, skewMs } = this.#options;
    const { since, seen } = await this.#seenUpTo(now());
    if (tsMs < since) throw invalid('ts is older than the memory of this agent');
    if (expMs + skewMs <= seen) {
      this.#tellBehind(seen - now());
      throw invalid('its nonce may have been forgotten: the clock has been further than it is');
    }
  }

  async #seenUpTo(nowMs: number): Promise<SeenTimes> {
    while (this.#record === undefined || this.#record.seen < nowMs) {
      this.#raising ??= this.#raise(nowMs).finally(() => {
        this.#raising = undefined;
      });
      await this.#raising;
    }
    return this.#record;
  }

  /** Written before anything is judged at this time. */
  async #raise(nowMs: number): Promise<SeenTimes> {
    const { store } = this.#options;
    for (;;) {
      const entry = await store.get(SPACE, KEY);
      const known = entry && readTimes(entry.value);
      if (known !== undefined && known.seen >= nowMs) return (this.#record = known);
      const since = known?.since ?? (await this.#beginning());
      const record = { since, seen: nowMs + this.#stepMs };
      const value = writeJson(record);
      const written = await store.put(SPACE, KEY, value, { ifVersion: entry?.version ?? 0 });
      if (written.ok) return (this.#record = record);
    }
  }

  /** A store of an earlier version has nonces, and remembers what it was told. */
  async #beginning(): Promise<number> {
    const { store, space, sinceMs } = this.#options;
    const isEmpty = (await store.count(space, { atMost: 1 })) === 0;
    return isEmpty ? Math.floor(sinceMs / SECOND_MS) * SECOND_MS : 0;
  }

  #tellBehind(behindMs: number): void {
    if (this.#isToldBehind || behindMs <= this.#options.skewMs) return;
    this.#isToldBehind = true;
    this.#options.onBehind(behindMs);
  }
}

function invalid(reason: string): SdlError {
  return new SdlError('TIME_INVALID', reason);
}
