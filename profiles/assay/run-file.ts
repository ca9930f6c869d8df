// Owns the file of one run: whole lines in order, numbered from 0 without gaps when they are written, and what happens
// while the disk takes none. SPEC.md section 17 (#assay-run).

import { fstatSync, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { WitnessStats } from '../../src/door/index.ts';
import type { RawFolder } from './raw-folder.ts';

/** One record that waits to be written. */
export interface PendingRecord {
  /** Its line, once its number is known. */
  readonly line: (seq: number) => string;
  /** The bytes that it came in, to be kept before it. */
  readonly raw?: { readonly sha256: string; readonly bytes: Uint8Array };
}

export interface RunFileOptions {
  readonly path: string;
  readonly rawFolder: RawFolder | undefined;
  readonly maxQueued: number;
  readonly maxQueuedBytes: number;
  readonly onError: (cause: unknown) => void;
}

/** Records in one write. */
const BATCH = 256;
const RETRY_MS = 1_000;

interface Queued extends PendingRecord {
  /** Of one that somebody waits for: it is given up when it cannot be written. */
  readonly settle?: (failure: Error | undefined) => void;
}

export class RunFile {
  readonly #options: RunFileOptions;
  readonly #queue: Queued[] = [];
  #queuedBytes = 0;
  #handle: FileHandle | undefined;
  /** Where the next line goes: behind the last one that was written whole. */
  #position = 0;
  #written = 0;
  #lost = 0;
  #failures = 0;
  /** What keeps it from writing. */
  #trouble: Error | undefined;
  #writing: Promise<void> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(options: RunFileOptions) {
    this.#options = options;
  }

  /** Rejects where the file cannot be made, and where it is there: no run goes on with the file of another. */
  async open(): Promise<void> {
    if (this.#handle !== undefined) return;
    const { path, rawFolder } = this.#options;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await rawFolder?.open();
    this.#handle = await open(path, 'wx', 0o600);
  }

  stats(): WitnessStats {
    const isWell = this.#trouble === undefined && (this.#handle === undefined || this.#isThere());
    const counts = { written: this.#written, lost: this.#lost, failures: this.#failures };
    return { isWell, ...counts };
  }

  /** False when there is no room for it: it is lost then. */
  add(record: PendingRecord): boolean {
    return this.#add(record);
  }

  /** Resolves when it is written; rejects when it is not, and will not be. */
  async write(record: PendingRecord): Promise<void> {
    const failure = await new Promise<Error | undefined>((settle) => {
      if (!this.#add({ ...record, settle })) settle(this.#trouble ?? noRoom());
    });
    if (failure !== undefined) throw failure;
  }

  /** Writes what it can, once more, and closes. */
  async close(): Promise<void> {
    const handle = this.#handle;
    if (handle === undefined) return;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    await this.#writing;
    await this.#drain();
    clearTimeout(this.#retry);
    this.#handle = undefined;
    this.#lost += this.#queue.length;
    this.#queue.length = 0;
    try {
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  #add(record: Queued): boolean {
    const { maxQueued, maxQueuedBytes } = this.#options;
    const bytes = record.raw?.bytes.length ?? 0;
    const hasRoom =
      this.#handle !== undefined &&
      this.#queue.length < maxQueued &&
      (bytes === 0 || this.#queuedBytes + bytes <= maxQueuedBytes);
    if (!hasRoom) {
      this.#lost += 1;
      this.#tell(noRoom());
      return false;
    }
    this.#queuedBytes += bytes;
    this.#queue.push(record);
    // Who waits for a record wants to know now whether the disk takes it.
    if (this.#retry === undefined || record.settle !== undefined) this.#start();
    return true;
  }

  #start(): void {
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined;
      // What came while the last write ended.
      const isAwaited = this.#queue.some(({ settle }) => settle !== undefined);
      if (isAwaited || (this.#queue.length > 0 && this.#retry === undefined)) this.#start();
    });
  }

  async #drain(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    // What is added in this turn goes out together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, BATCH);
      try {
        await this.#writeBatch(batch);
      } catch (thrown) {
        await this.#fail(thrown as Error);
        return;
      }
      this.#queue.splice(0, batch.length);
      for (const { settle, raw } of batch) {
        this.#queuedBytes -= raw?.bytes.length ?? 0;
        settle?.(undefined);
      }
      this.#trouble = undefined;
    }
  }

  async #writeBatch(batch: readonly Queued[]): Promise<void> {
    const handle = this.#handle!;
    if (!this.#isThere()) {
      throw new Error(
        `${this.#options.path} is not there any more; another start begins another run`,
      );
    }
    await this.#options.rawFolder?.keep(batch.flatMap(({ raw }) => raw ?? []));
    // What an earlier try left behind the last whole line.
    if (this.#trouble !== undefined) await handle.truncate(this.#position);
    const text = batch.map(({ line }, at) => line(this.#written + at)).join('');
    const bytes = new TextEncoder().encode(text);
    for (let done = 0; done < bytes.length;) {
      const left = bytes.length - done;
      done += (await handle.write(bytes, done, left, this.#position + done)).bytesWritten;
    }
    this.#position += bytes.length;
    this.#written += batch.length;
  }

  async #fail(cause: Error): Promise<void> {
    this.#failures += 1;
    this.#tell(cause);
    // Not even a part of a line stays, if the disk still does that much.
    await this.#handle?.truncate(this.#position).catch(() => undefined);
    for (const { settle, raw } of this.#queue.filter((record) => record.settle !== undefined)) {
      this.#queuedBytes -= raw?.bytes.length ?? 0;
      settle!(cause);
    }
    const kept = this.#queue.filter((record) => record.settle === undefined);
    this.#queue.splice(0, this.#queue.length, ...kept);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#start();
    }, RETRY_MS);
    this.#retry.unref();
  }

  /** Once for a trouble, and again for another one. */
  #tell(cause: Error): void {
    const isNew = this.#trouble?.message !== cause.message;
    this.#trouble = cause;
    if (isNew)
      this.#options.onError(new Error(`evidence is not kept: ${cause.message}`, { cause }));
  }

  /** Bytes for a file that was removed would go nowhere, without an error. */
  #isThere(): boolean {
    try {
      const named = statSync(this.#options.path);
      const held = fstatSync(this.#handle!.fd);
      return named.ino === held.ino && named.dev === held.dev;
    } catch {
      return false;
    }
  }
}

function noRoom(): Error {
  return new Error('more records wait to be written than there is room for');
}
