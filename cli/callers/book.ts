// Owns the callers that the command line has written down for a home. It holds hashes, no secrets.

import { BookFile } from '../../keys/index.ts';
import type { BookFormat, BookPage } from '../../keys/index.ts';
import type { CallerEntry } from '../../profiles/auth/index.ts';
import { assertCallers, readCallers, writeCallers } from '../../profiles/auth/index.ts';
import { isJsonObject, readJson, writeJson } from '../../src/codec/index.ts';
import { failure } from '../kit/exit.ts';
import type { Home } from '../home/home.ts';

const FORMAT = 'a2a-sdl/callers/v1';

const BOOK: BookFormat<CallerEntry> = {
  name: 'the book of callers',
  read(bytes) {
    const book = readJson(bytes);
    if (!isJsonObject(book) || book['format'] !== FORMAT) {
      throw failure(`the book of callers does not hold: its format must be "${FORMAT}"`);
    }
    try {
      return readCallers(book['callers'] ?? null, '/');
    } catch (thrown) {
      throw failure(`the book of callers does not hold: ${(thrown as TypeError).message}`);
    }
  },
  write: (entries) => writeJson({ format: FORMAT, callers: writeCallers(entries) }),
};

/** Reads answer from memory; a change reads the file anew and replaces it as a whole. */
export class CallerBook {
  readonly #file: BookFile<CallerEntry>;
  #page: BookPage<CallerEntry>;

  private constructor(file: BookFile<CallerEntry>, page: BookPage<CallerEntry>) {
    this.#file = file;
    this.#page = page;
  }

  static async open({ callers }: Home): Promise<CallerBook> {
    const file = new BookFile(callers, BOOK);
    return new CallerBook(file, await file.read());
  }

  /** The same list for as long as nothing has changed. */
  list(): readonly CallerEntry[] {
    return this.#page.entries;
  }

  /** Takes in what others wrote; true when there was something. */
  async reloadIfChanged(): Promise<boolean> {
    if (await this.#file.isAt(this.#page.stamp)) return false;
    this.#page = await this.#file.read();
    return true;
  }

  /** Throws a TypeError where it clashes with another. The entry of a caller that is revoked makes room for a new one of its name. */
  async add(entry: CallerEntry): Promise<void> {
    this.#page = await this.#file.rewrite((entries) => {
      const former = entries.find(({ name }) => name === entry.name);
      if (former !== undefined && former.revoked !== true) {
        throw failure(`there is a caller "${entry.name}" already`, {
          next: `a2a-sdl callers revoke ${entry.name}`,
        });
      }
      const next = [...entries.filter((other) => other !== former), entry];
      assertCallers(next);
      return next;
    });
  }

  async revoke(name: string): Promise<void> {
    this.#page = await this.#file.rewrite((entries) => {
      if (!entries.some((entry) => entry.name === name)) {
        throw failure(`there is no caller "${name}"`, {
          code: 'NO_CALLER',
          next: 'see "a2a-sdl callers list"',
        });
      }
      return entries.map((entry) => (entry.name === name ? { ...entry, revoked: true } : entry));
    });
  }
}
