// Owns following a log: the log is the truth, a wake-up only says that it is worth another look.
// A reader holds one small batch and nothing is queued for it, however slow it is.

import type { LogRecord } from './store.ts';

/** Some records of a log, and which log that was: a dropped log that comes back has another `id`. */
export interface Tail {
  readonly id: number | undefined;
  readonly records: readonly LogRecord[];
}

type Pull = (from: number, limit: number, maxBytes: number) => Tail | Promise<Tail>;

const BATCH = 64;
const BATCH_BYTES = 65_536;

interface Watcher {
  /** Something happened since the last look; kept because it may happen while the look is under way. */
  isWoken: boolean;
  isStopped: boolean;
  resume: (() => void) | undefined;
}

/** Who waits for which log. */
export class Watchers {
  readonly #byLog = new Map<string, Set<Watcher>>();
  readonly #onIdle: (isIdle: boolean) => void;

  /** @param onIdle told when the first watcher comes and when the last one goes. */
  constructor(onIdle: (isIdle: boolean) => void = () => undefined) {
    this.#onIdle = onIdle;
  }

  get logs(): Iterable<string> {
    return this.#byLog.keys();
  }

  wake(log: string): void {
    for (const watcher of this.#byLog.get(log) ?? []) wake(watcher);
  }

  wakeAll(): void {
    for (const log of this.#byLog.keys()) this.wake(log);
  }

  follow(log: string, from: number, pull: Pull, signal?: AbortSignal): AsyncIterable<LogRecord> {
    return {
      [Symbol.asyncIterator]: () => {
        const watcher: Watcher = { isWoken: false, isStopped: false, resume: undefined };
        const records = this.#run(watcher, log, from, pull, signal);
        return {
          next: () => records.next(),
          // A generator alone would answer only after the next append, perhaps never.
          return: () => {
            stop(watcher);
            return records.return(undefined);
          },
        };
      },
    };
  }

  async *#run(
    watcher: Watcher,
    log: string,
    from: number,
    pull: Pull,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<LogRecord, undefined> {
    const onAbort = (): void => stop(watcher);
    if (signal?.aborted === true) stop(watcher);
    signal?.addEventListener('abort', onAbort);
    this.#enter(log, watcher);
    try {
      let id: number | undefined;
      let next = from;
      while (!watcher.isStopped) {
        watcher.isWoken = false;
        const tail = await pull(next, BATCH, BATCH_BYTES);
        if (id !== undefined && tail.id !== id) return undefined;
        id = tail.id;
        for (const record of tail.records) {
          if (watcher.isStopped) return undefined;
          next = record.position + 1;
          yield record;
        }
        if (tail.records.length === 0) await nextWake(watcher);
      }
      return undefined;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#leave(log, watcher);
    }
  }

  #enter(log: string, watcher: Watcher): void {
    const watchers = this.#byLog.get(log);
    if (watchers !== undefined) {
      watchers.add(watcher);
      return;
    }
    this.#byLog.set(log, new Set([watcher]));
    if (this.#byLog.size === 1) this.#onIdle(false);
  }

  #leave(log: string, watcher: Watcher): void {
    const watchers = this.#byLog.get(log);
    watchers?.delete(watcher);
    if (watchers?.size !== 0) return;
    this.#byLog.delete(log);
    if (this.#byLog.size === 0) this.#onIdle(true);
  }
}

function wake(watcher: Watcher): void {
  watcher.isWoken = true;
  watcher.resume?.();
  watcher.resume = undefined;
}

function stop(watcher: Watcher): void {
  watcher.isStopped = true;
  wake(watcher);
}

async function nextWake(watcher: Watcher): Promise<void> {
  if (watcher.isWoken) return;
  await new Promise<void>((resolve) => {
    watcher.resume = resolve;
  });
}
