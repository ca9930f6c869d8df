// Owns the repetition of store calls when their answer may be lost. They are repeated for a while, and the caller
// learns that an earlier call may have succeeded.

import { StoreError } from '../../stores/store.ts';
import type { SetTimer } from './timer.ts';

export interface StoreRetryOptions {
  readonly now: () => number;
  readonly setTimer: SetTimer;
  /** How long to repeat, counted from the first failure. The first repeat always comes, and at once. */
  readonly forMs: number;
  /** Asked after each failure: to wait no longer. @default never */
  readonly isHurried?: () => boolean;
}

export interface StoreRetryResult<T> {
  readonly done: T;
  /** An earlier call failed without an answer: it may have been done all the same. */
  readonly isRepeat: boolean;
}

const FIRST_DELAY_MS = 50;
/** Parts of the time that one wait may take. */
const SHARE = 8;

/** The call must be safe to make twice: conditional on what it would change. */
export async function retryStoreCall<T>(
  call: () => Promise<T>,
  { now, setTimer, forMs, isHurried = () => false }: StoreRetryOptions,
): Promise<StoreRetryResult<T>> {
  let until: number | undefined;
  for (let delayMs = 0; ;) {
    try {
      return { done: await call(), isRepeat: until !== undefined };
    } catch (thrown) {
      const isOver = until !== undefined && (until <= now() || isHurried());
      if (isOver || !isPassing(thrown)) throw thrown;
    }
    until ??= now() + forMs;
    if (delayMs > 0) await new Promise<void>((resolve) => void setTimer(resolve, delayMs));
    delayMs = Math.max(FIRST_DELAY_MS, Math.min(delayMs * 2, forMs / SHARE));
  }
}

/** A lost connection or a full disk may be well again; a store that is closed or damaged will not. */
function isPassing(thrown: unknown): boolean {
  return thrown instanceof StoreError && (thrown.fault === 'failed' || thrown.fault === 'busy');
}
