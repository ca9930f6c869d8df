// Owns a private file that several processes read and change: one writer at a time, replaced as a whole or not at all.

import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

import { keyFileError } from './error.ts';
import { withFolderLock } from './folder-lock.ts';
import type { FileSteps } from './private-files.ts';
import {
  FILE_STEPS,
  checkPrivateFolder,
  preparePrivateFolder,
  readPrivateFile,
  stampOf,
  writePrivateFile,
} from './private-files.ts';

/** Private files are read up to this size, so nothing larger may be written. */
const MAX_BOOK_BYTES = 262_144;

/** What a book is as bytes. A draft is an entry to be written, which may leave out what has a default. */
export interface BookFormat<Entry, Draft = Entry> {
  /** Such as `the peer book`. */
  readonly name: string;
  /** Throws where the bytes are no such book. */
  read(bytes: Uint8Array): readonly Entry[];
  write(drafts: readonly Draft[]): Uint8Array;
}

/** All entries at one moment. */
export interface BookPage<Entry> {
  readonly entries: readonly Entry[];
  /** Which state of the file this is; `undefined` while there is none. */
  readonly stamp: string | undefined;
}

/** A file of mode 0600 in a folder of mode 0700. Where there is none the book is empty, and the first change makes it. */
export class BookFile<Entry, Draft = Entry> {
  readonly path: string;
  readonly #format: BookFormat<Entry, Draft>;
  readonly #steps: FileSteps;
  /** Changes of this process come one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, format: BookFormat<Entry, Draft>, steps: FileSteps = FILE_STEPS) {
    this.path = resolve(path);
    this.#format = format;
    this.#steps = steps;
  }

  async read(): Promise<BookPage<Entry>> {
    const isThere = await checkPrivateFolder(dirname(this.path));
    const found = isThere ? await readPrivateFile(this.path) : undefined;
    if (found === undefined) return { entries: [], stamp: undefined };
    return { entries: this.#format.read(found.bytes), stamp: found.stamp };
  }

  async isAt(stamp: string | undefined): Promise<boolean> {
    return (await stampOf(this.path)) === stamp;
  }

  /** Reads the file anew under a lock, so that no writer undoes the change of another. */
  rewrite(change: (entries: readonly Entry[]) => readonly Draft[]): Promise<BookPage<Entry>> {
    const run = async (): Promise<BookPage<Entry>> => {
      const folder = dirname(this.path);
      await preparePrivateFolder(folder);
      return withFolderLock(folder, async () => {
        const bytes = this.#format.write(change((await this.read()).entries));
        // What a reader would refuse must not get into the file.
        if (bytes.length > MAX_BOOK_BYTES) {
          throw keyFileError(`${this.#format.name} would be larger than ${MAX_BOOK_BYTES} bytes`);
        }
        const entries = this.#format.read(bytes);
        await this.#write(bytes);
        return { entries, stamp: await stampOf(this.path) };
      });
    };
    const done = this.#last.then(run, run);
    this.#last = done;
    return done;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const temporary = join(dirname(this.path), `.${basename(this.path)}.tmp`);
    // Under the lock nobody is writing, so this is what a crash left behind.
    await rm(temporary, { force: true });
    await writePrivateFile(this.path, temporary, bytes, this.#steps);
  }
}
