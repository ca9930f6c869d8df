// Owns how long an agent that does not answer any more is waited for: it is asked again, later each time, until it is
// back or has been away for too long. SPEC.md sections 7 and 8 (#replay-retry, #exchange).

import { TransportError } from '../transport.ts';
import { RemoteError } from './remote-error.ts';

/** How to bear with an agent that is away. */
export interface AwayOptions {
  /** How long it is waited for. @default 60000 */
  readonly maxAwayMs?: number;
  /** Told once when it does not answer any more, and why, before it is waited for. */
  readonly onAway?: (cause: unknown) => void;
  /** Told when it answers again. */
  readonly onBack?: () => void;
  /** Resolves after so many milliseconds, or earlier when the signal aborts. @default real time */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface BackOffOptions extends AwayOptions {
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
  /** Ends a pause early. */
  readonly signal: AbortSignal;
  /** How often it may fail one time after the other. @default any number of times */
  readonly maxFailures?: number;
  /** @default 5000 */
  readonly longestPauseMs?: number;
  /** Wait for it even if it has never answered. @default false */
  readonly isKnown?: boolean;
  /** May it go better the next time? @default as the error says */
  readonly isPassing?: (thrown: unknown) => boolean;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
const MAX_AWAY_MS = 60_000;

export class BackOff {
  readonly #options: BackOffOptions;
  readonly #longestPauseMs: number;
  #hasAnswered: boolean;
  /** When it was found to be away, and all pauses since. */
  #since: number | undefined;
  #pausedMs = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #failures = 0;
  #restMs = FIRST_PAUSE_MS;

  constructor(options: BackOffOptions) {
    this.#options = options;
    this.#longestPauseMs = options.longestPauseMs ?? LONGEST_PAUSE_MS;
    this.#hasAnswered = options.isKnown ?? false;
  }

  /** It was away when it was asked last. */
  get isAway(): boolean {
    return this.#since !== undefined;
  }

  /** It has answered. */
  answered(): void {
    const wasAway = this.isAway;
    this.#hasAnswered = true;
    this.#since = undefined;
    this.#pausedMs = 0;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#failures = 0;
    if (wasAway) this.#options.onBack?.();
  }

  /** Between two questions to an agent that answers: who has nothing new to tell is not asked at once again. */
  async rest(hasNews: boolean): Promise<void> {
    if (hasNews) {
      this.#restMs = FIRST_PAUSE_MS;
      return;
    }
    await this.#pause(this.#restMs);
    this.#restMs = Math.min(this.#restMs * 2, this.#longestPauseMs);
  }

  /** Resolves when it is time to ask again. Throws what was thrown when that is of no use, or was in vain for too long. */
  async after(thrown: unknown): Promise<void> {
    const { now, onAway, maxAwayMs = MAX_AWAY_MS, maxFailures = Infinity } = this.#options;
    const { isPassing = isPassingFault } = this.#options;
    this.#failures += 1;
    if (!this.#hasAnswered || this.#failures > maxFailures || !isPassing(thrown)) throw thrown;
    if (this.#since === undefined) {
      this.#since = now();
      onAway?.(thrown);
    }
    const awayMs = Math.max(this.#pausedMs, now() - this.#since);
    if (awayMs >= maxAwayMs) throw thrown;
    const pauseMs = Math.min(this.#pauseMs, maxAwayMs - awayMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, this.#longestPauseMs);
    this.#pausedMs += pauseMs;
    await this.#pause(pauseMs);
  }

  #pause(ms: number): Promise<void> {
    return this.#options.wait(ms, this.#options.signal);
  }
}

/** The connection was lost, or the agent cannot answer for now. */
export function isPassingFault(thrown: unknown): boolean {
  if (thrown instanceof TransportError) return thrown.isRetryable;
  return thrown instanceof RemoteError && thrown.retryable;
}
