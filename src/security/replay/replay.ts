// Owns replay and idempotency: a request runs once, and every retry of it gets the same reply. SPEC.md section 7 (#replay-retry).

import { equalBytes, expectLength } from '../../crypto/bytes.ts';
import { SdlError, toSdlError } from '../../errors.ts';
import { checkInteger } from '../../stores/operation.ts';
import type { EntryStore } from '../../stores/store.ts';
import { DEFAULT_SKEW_MS } from '../message/freshness.ts';
import type { NonceUse, OwnClaim } from './entry.ts';
import { Horizon } from './horizon.ts';
import { HASH_BYTES, NONCES, ReplayEntries, nonceKey, replayed } from './entry.ts';

export interface ReplayGuardOptions {
  readonly store: EntryStore;
  /** Milliseconds since the epoch; the store's clock may be ahead by less than the skew. @default Date.now */
  readonly now?: () => number;
  /** A store that is new knows of everything since then. @default now: it knows of nothing before */
  readonly sinceMs?: number;
  /** Live nonces that one agent may have. @default 10000 */
  readonly quotaPerSender?: number;
  /**
   * Bytes of replies that are kept for the retries of one agent, until their nonces expire. Replies of up to 8192
   * bytes do not count, larger ones count as the next power of two. Past it no new message of the agent runs, and
   * every retry still gets its reply. What runs when it is reached is kept too, so each process may exceed it by the
   * replies that it is at, and further processes on the same store by an eighth. @default 67108864
   */
  readonly maxReplyBytesPerSender?: number;
  /** How long a nonce is kept after `exp`. @default 120000 */
  readonly skewMs?: number;
  /**
   * How long a retry waits for a run that is not of this process: another one has it, or a crash ended it.
   * 0 where no other process uses the store. @default 10000
   */
  readonly joinMs?: number;
  /** @default a timer */
  readonly wait?: (ms: number) => Promise<void>;
  /** Told once, when the clock is far behind a time that the store has seen. @default nobody is told */
  readonly onClockBehind?: (behindMs: number) => void;
}

export interface FirstUse {
  readonly kind: 'new';
  /** Keeps the reply for retries. To be awaited before the reply is sent. */
  readonly complete: (reply: Uint8Array) => Promise<void>;
  /**
   * Says that no handler was run, so that a later retry may run. Those that have joined get `cause`.
   * Of `complete`, `abandon`, `forget` and `fail` one must be called; the first call counts, but `fail` may follow a
   * `complete` that could not be kept.
   */
  readonly abandon: (cause?: unknown) => Promise<void>;
  /** As `abandon`, and the nonce is as free as before: it takes no room of the sender's quota. */
  readonly forget: (cause?: unknown) => Promise<void>;
  /**
   * Says that the handler may have run and that no reply could be kept. Those that have joined get DEADLINE with the
   * outcome `unknown`, and so does every later retry.
   */
  readonly fail: () => void;
}

export interface Retry {
  readonly kind: 'retry';
  /**
   * The stored reply, or that of the run in flight when it ends. It fails as the judgement of that run failed, with
   * what it was abandoned for, or with DEADLINE where no reply came: `details.outcome` is `none` when nothing was
   * done, `unknown` when the process that ran it crashed or is still at it. A run that may have reached its handler
   * is never run again.
   */
  readonly reply: Promise<Uint8Array>;
}

export type ReplayVerdict = FirstUse | Retry;

export interface ReplayGuard {
  /**
   * Must be called only once the signature holds, else forgeries burn nonces (W22). Throws REPLAYED for a nonce that
   * this key used for another message, REPLAY_FULL past the sender's quotas, TIME_INVALID after `exp` and where the nonce
   * may have been forgotten.
   */
  readonly judge: (use: NonceUse) => Promise<ReplayVerdict>;
}

export function createReplayGuard(options: ReplayGuardOptions): ReplayGuard {
  const { store, now = Date.now, wait = timer } = options;
  const { skewMs = DEFAULT_SKEW_MS, joinMs = 10_000 } = options;
  const { quotaPerSender = 10_000, maxReplyBytesPerSender = 67_108_864 } = options;
  checkInteger('quotaPerSender', quotaPerSender, 1);
  checkInteger('maxReplyBytesPerSender', maxReplyBytesPerSender, 1);
  checkInteger('skewMs', skewMs);
  checkInteger('joinMs', joinMs);
  const limits = { quotaPerSender, maxReplyBytesPerSender };
  const entries = new ReplayEntries({ store, now, skewMs, ...limits });
  const onBehind = options.onClockBehind ?? ((): void => undefined);
  const { sinceMs = now() } = options;
  const horizon = new Horizon({ store, space: NONCES, now, sinceMs, skewMs, onBehind });
  const busy = new BusyNonces(entries, Math.ceil(joinMs / POLL_MS), wait);
  return {
    judge: async (use) => {
      expectLength('inputHash', use.inputHash, HASH_BYTES);
      // The entry of a nonce that has expired would protect nothing.
      if (!(use.expMs > now())) throw new SdlError('TIME_INVALID', 'exp has passed');
      await horizon.check(use.tsMs, use.expMs);
      return busy.judge({ ...use, inputHash: new Uint8Array(use.inputHash) });
    },
  };
}

const POLL_MS = 100;

/** A nonce that this process is busy with. */
interface BusyNonce {
  readonly use: NonceUse;
  /** Whether the nonce turned out to be this input's. Never fails. */
  readonly isHeld: Promise<boolean>;
  readonly reply: Promise<Uint8Array>;
  readonly resolve: (reply: Uint8Array) => void;
  readonly reject: (cause: unknown) => void;
}

class BusyNonces {
  readonly #entries: ReplayEntries;
  readonly #polls: number;
  readonly #wait: (ms: number) => Promise<void>;
  readonly #byKey = new Map<string, BusyNonce>();

  constructor(entries: ReplayEntries, polls: number, wait: (ms: number) => Promise<void>) {
    this.#entries = entries;
    this.#polls = polls;
    this.#wait = wait;
  }

  async judge(use: NonceUse): Promise<ReplayVerdict> {
    for (;;) {
      const run = this.#byKey.get(nonceKey(use));
      if (run === undefined) return this.#start(use);
      if (equalBytes(run.use.inputHash, use.inputHash)) return { kind: 'retry', reply: run.reply };
      if (await run.isHeld) throw replayed();
    }
  }

  /** Nothing can come between the look into the map and the first await here, so of many callers one starts. */
  async #start(use: NonceUse): Promise<ReplayVerdict> {
    const claiming = this.#entries.claim(use);
    const run: BusyNonce = busyNonce(
      use,
      claiming.then(
        () => true,
        (thrown: unknown) => {
          this.#end(run, () => run.reject(thrown));
          return false;
        },
      ),
    );
    this.#byKey.set(nonceKey(use), run);
    const claim = await claiming;
    if (claim.kind === 'mine') return this.#handOut(run, claim);
    if (claim.kind === 'done') this.#end(run, () => run.resolve(claim.reply));
    else void this.#follow(run);
    return { kind: 'retry', reply: run.reply };
  }

  #handOut(run: BusyNonce, claim: OwnClaim): FirstUse {
    let isSettled = false;
    const settle = async (write: () => Promise<void>, tell: () => void): Promise<void> => {
      if (isSettled) return;
      isSettled = true;
      try {
        await write();
      } finally {
        this.#end(run, tell);
      }
    };
    const giveUp = (write: () => Promise<void>, cause: unknown): Promise<void> =>
      settle(write, () => run.reject(cause === undefined ? noReply('none') : toSdlError(cause)));
    return {
      kind: 'new',
      complete: async (reply) => {
        const kept = new Uint8Array(reply);
        const write = (): Promise<void> => this.#entries.settle(run.use, claim, { reply: kept });
        await settle(write, () => run.resolve(kept));
      },
      abandon: (cause) => giveUp(() => this.#entries.settle(run.use, claim, 'abandoned'), cause),
      forget: (cause) => giveUp(() => this.#entries.forget(run.use, claim), cause),
      fail: () => {
        isSettled = true;
        this.#end(run, () => run.reject(noReply('unknown')));
      },
    };
  }

  /** Entries cannot be watched, so a run of another process is looked at now and then, and not for ever. */
  async #follow(run: BusyNonce): Promise<void> {
    try {
      for (let left = this.#polls; left > 0; left -= 1) {
        await this.#wait(POLL_MS);
        const end = await this.#entries.endOf(run.use);
        if (end === 'running') continue;
        if (end === 'gone') break;
        if (end === 'abandoned') throw noReply('none');
        this.#end(run, () => run.resolve(end.reply));
        return;
      }
      throw noReply('unknown');
    } catch (thrown) {
      this.#end(run, () => run.reject(thrown));
    }
  }

  #end(run: BusyNonce, tell: () => void): void {
    this.#byKey.delete(nonceKey(run.use));
    tell();
  }
}

function busyNonce(use: NonceUse, isHeld: Promise<boolean>): BusyNonce {
  let resolve!: BusyNonce['resolve'];
  let reject!: BusyNonce['reject'];
  const reply = new Promise<Uint8Array>((onReply, onFailure) => {
    resolve = onReply;
    reject = onFailure;
  });
  // Perhaps nobody joins, and a failure that nobody waits for must not end the process.
  reply.catch(() => undefined);
  return { use, isHeld, reply, resolve, reject };
}

function noReply(outcome: 'none' | 'unknown'): SdlError {
  return new SdlError('DEADLINE', 'the run that this retry joined gave no reply', {
    details: { outcome },
  });
}

function timer(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
