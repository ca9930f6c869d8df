// Owns following a log. The log is the truth; a wake-up only says that there may be something new. All followers of the
// same log share its pages. Nothing is queued for a slow reader: it goes on in the log from its own position.

import type { LogRecord } from './store.ts';

/** Some records of a log, and which log that was: a dropped log that comes back has another `id`. */
export interface Tail {
  readonly id: number | undefined;
  readonly records: readonly LogRecord[];
}

type Pull = (from: number, limit: number, maxBytes: number) => Tail | Promise<Tail>;

const PAGE = 64;
const PAGE_BYTES = 65_536;
/** What the pages of all watchers of a store may take: the more there are, the shorter is each new page. */
const ALL_PAGES_BYTES = 8_388_608;

/** Records that follow each other. */
interface LogPage extends Tail {
  readonly from: number;
  /** How often the log had been woken before it was read. */
  readonly wakes: number;
  /** There were no more records then. */
  readonly isEnd: boolean;
}

interface Watcher {
  isStopped: boolean;
  resume: (() => void) | undefined;
}

/** Who waits for which log. */
export class Watchers {
  readonly #feeds = new Map<string, Feed>();
  readonly #onIdle: (isIdle: boolean) => void;
  #count = 0;

  /** @param onIdle told when the first watcher comes and when the last one goes. */
  constructor(onIdle: (isIdle: boolean) => void = () => undefined) {
    this.#onIdle = onIdle;
  }

  get logs(): Iterable<string> {
    return this.#feeds.keys();
  }

  wake(log: string): void {
    this.#feeds.get(log)?.wake();
  }

  wakeAll(): void {
    for (const feed of this.#feeds.values()) feed.wake();
  }

  follow(log: string, from: number, pull: Pull, signal?: AbortSignal): AsyncIterable<LogRecord> {
    return {
      [Symbol.asyncIterator]: () => {
        const watcher: Watcher = { isStopped: false, resume: undefined };
        const records = this.#run(watcher, log, from, pull, signal);
        return {
          next: () => records.next(),
          // The `return` of a plain generator would wait for the next append, which may never come.
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
    const feed = this.#enter(log, watcher, pull);
    try {
      let id: number | undefined;
      let next = from;
      let page: LogPage | undefined;
      while (!watcher.isStopped) {
        page ??= await feed.pageAt(next, this.#pageBytes);
        if (id !== undefined && page.id !== id) return undefined;
        id = page.id;
        const record = page.records[next - page.from];
        if (record !== undefined) {
          next += 1;
          // A copy: others read the same page.
          yield { position: record.position, value: new Uint8Array(record.value) };
          continue;
        }
        const isUpToDate = page.isEnd && page.wakes === feed.wakes;
        // A follower that waits must not keep a page in memory.
        page = undefined;
        if (isUpToDate) await nextWake(watcher);
      }
      return undefined;
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#leave(log, watcher);
    }
  }

  get #pageBytes(): number {
    return Math.min(PAGE_BYTES, Math.floor(ALL_PAGES_BYTES / this.#count));
  }

  #enter(log: string, watcher: Watcher, pull: Pull): Feed {
    let feed = this.#feeds.get(log);
    if (feed === undefined) this.#feeds.set(log, (feed = new Feed(pull)));
    feed.watchers.add(watcher);
    this.#count += 1;
    if (this.#count === 1) this.#onIdle(false);
    return feed;
  }

  #leave(log: string, watcher: Watcher): void {
    const feed = this.#feeds.get(log);
    feed?.watchers.delete(watcher);
    if (feed?.watchers.size === 0) this.#feeds.delete(log);
    this.#count -= 1;
    if (this.#count === 0) this.#onIdle(true);
  }
}

/** One log for all who follow it: however many they are, each page is read once. */
class Feed {
  readonly watchers = new Set<Watcher>();
  readonly #pull: Pull;
  /** The last one, for those who come to the same place before the log is woken again. */
  #page: LogPage | undefined;
  #pulling: { readonly from: number; readonly page: Promise<LogPage> } | undefined;
  #wakes = 0;

  constructor(pull: Pull) {
    this.#pull = pull;
  }

  get wakes(): number {
    return this.#wakes;
  }

  wake(): void {
    this.#wakes += 1;
    this.#page = undefined;
    this.#pulling = undefined;
    for (const watcher of this.watchers) wake(watcher);
  }

  pageAt(from: number, maxBytes: number): LogPage | Promise<LogPage> {
    if (this.#page !== undefined && hasPlace(this.#page, from)) return this.#page;
    if (this.#pulling?.from === from) return this.#pulling.page;
    const page = this.#read(from, maxBytes);
    const pulling = { from, page };
    this.#pulling = pulling;
    return page.finally(() => {
      if (this.#pulling === pulling) this.#pulling = undefined;
    });
  }

  async #read(from: number, maxBytes: number): Promise<LogPage> {
    const wakes = this.#wakes;
    const { id, records } = await this.#pull(from, PAGE, maxBytes);
    const bytes = records.reduce((sum, { value }) => sum + value.length, 0);
    const isEnd = records.length < PAGE && bytes <= maxBytes;
    const page = { id, records, from, wakes, isEnd };
    if (wakes === this.#wakes) this.#page = page;
    return page;
  }
}

/** It holds the record of this position, or tells that there is none yet. */
function hasPlace({ from, records, isEnd }: LogPage, position: number): boolean {
  const end = from + records.length;
  return position >= from && (position < end || (position === end && isEnd));
}

function wake(watcher: Watcher): void {
  watcher.resume?.();
  watcher.resume = undefined;
}

function stop(watcher: Watcher): void {
  watcher.isStopped = true;
  wake(watcher);
}

async function nextWake(watcher: Watcher): Promise<void> {
  if (watcher.isStopped) return;
  await new Promise<void>((resolve) => {
    watcher.resume = resolve;
  });
}
