// Owns the file with the peers that an agent knows: one writer at a time, snapshots for readers. SPEC.md section 6 (#sec-kid-bound).

import type { PeerDirectory, PeerKey } from '../src/security/index.ts';
import { equalBytes } from '../src/security/index.ts';
import type { BookPage } from './book-file.ts';
import { BookFile } from './book-file.ts';
import { keyFileError } from './error.ts';
import type { PeerDraft, PeerEntry } from './peer-document.ts';
import { readPeerBook, writePeerBook } from './peer-document.ts';
import type { FileSteps } from './private-files.ts';

export interface PeerBookOptions {
  /** @default the file system */
  readonly steps?: FileSteps;
}

/** New values for members of an entry; `undefined` takes a member back to its default. */
export type PeerChanges = Omit<PeerDraft, 'agentId'>;

const FORMAT = { name: 'the peer book', read: readPeerBook, write: writePeerBook };

/** All entries at one moment. It never changes (W52). */
interface Page extends BookPage<PeerEntry> {
  readonly byId: ReadonlyMap<string, PeerEntry>;
  readonly byName: ReadonlyMap<string, PeerEntry>;
  readonly byCertificate: ReadonlyMap<string, PeerEntry>;
}

/**
 * The peers of one file (mode 0600 in a folder of mode 0700). Reads answer from memory; every change reads the file
 * anew under a lock and replaces it as a whole, so that no writer undoes the change of another.
 */
export class PeerBook {
  readonly #file: BookFile<PeerEntry, PeerDraft>;
  #page: Page;

  private constructor(file: BookFile<PeerEntry, PeerDraft>, page: Page) {
    this.#file = file;
    this.#page = page;
  }

  /** Reads the book; where there is no file it is empty, and the first change makes it. */
  static async open(path: string, options: PeerBookOptions = {}): Promise<PeerBook> {
    const file = new BookFile(path, FORMAT, options.steps);
    return new PeerBook(file, pageOf(await file.read()));
  }

  get path(): string {
    return this.#file.path;
  }

  list(): readonly PeerEntry[] {
    return this.#page.entries;
  }

  get(idOrName: string): PeerEntry | undefined {
    return findIn(this.#page, idOrName);
  }

  /** Later changes of the book do not change the snapshot. It finds peers by id only: names are for people. */
  snapshot(): PeerDirectory {
    const { byId, byCertificate } = this.#page;
    return Object.freeze<PeerDirectory>({
      find: (agentId) => byId.get(agentId),
      findByCertificate: (fingerprint) => byCertificate.get(fingerprint),
    });
  }

  /** Takes in what others wrote; true when there was something. */
  async reloadIfChanged(): Promise<boolean> {
    if (await this.#file.isAt(this.#page.stamp)) return false;
    this.#page = pageOf(await this.#file.read());
    return true;
  }

  /** An agent that has an entry already is an error. */
  async add(draft: PeerDraft): Promise<PeerEntry> {
    const page = await this.#rewrite(({ entries, byId }) => {
      if (byId.has(draft.agentId)) {
        throw keyFileError('there is an entry for this agent already; update it instead');
      }
      return [...entries, draft];
    });
    return page.byId.get(draft.agentId)!;
  }

  /** Throws where a kid would change its key: take the old key out first, and put the new one in then. */
  update(idOrName: string, changes: PeerChanges): Promise<PeerEntry> {
    return this.#change(idOrName, (entry) => {
      const updated = { ...entry, ...changes, agentId: entry.agentId };
      assertNotRebound(entry, updated);
      return updated;
    });
  }

  /** The entry stays and keeps the agent out, also where strangers are welcome. */
  revoke(idOrName: string): Promise<PeerEntry> {
    return this.#change(idOrName, (entry) => ({ ...entry, revoked: true }));
  }

  /** Forgets the agent, which makes it a stranger: to keep it out, revoke it. */
  async remove(idOrName: string): Promise<void> {
    await this.#rewrite((page) => {
      const entry = requireIn(page, idOrName);
      return page.entries.filter((other) => other !== entry);
    });
  }

  async #change(idOrName: string, change: (entry: PeerEntry) => PeerDraft): Promise<PeerEntry> {
    let agentId = '';
    const page = await this.#rewrite((before) => {
      const entry = requireIn(before, idOrName);
      ({ agentId } = entry);
      return before.entries.map((other) => (other === entry ? change(entry) : other));
    });
    return page.byId.get(agentId)!;
  }

  async #rewrite(change: (page: Page) => readonly PeerDraft[]): Promise<Page> {
    const page = await this.#file.rewrite((entries) =>
      change(pageOf({ entries, stamp: undefined })),
    );
    return (this.#page = pageOf(page));
  }
}

function pageOf({ entries, stamp }: BookPage<PeerEntry>): Page {
  const byName = new Map<string, PeerEntry>();
  const byCertificate = new Map<string, PeerEntry>();
  for (const entry of entries) {
    if (entry.name !== undefined) byName.set(entry.name, entry);
    for (const fingerprint of entry.certificates ?? []) byCertificate.set(fingerprint, entry);
  }
  return {
    entries: Object.freeze([...entries]),
    byId: new Map(entries.map((entry) => [entry.agentId, entry])),
    byName,
    byCertificate,
    stamp,
  };
}

function findIn({ byId, byName }: Page, idOrName: string): PeerEntry | undefined {
  return byId.get(idOrName) ?? byName.get(idOrName);
}

function requireIn(page: Page, idOrName: string): PeerEntry {
  const entry = findIn(page, idOrName);
  if (entry === undefined) throw keyFileError('there is no peer of this id or name');
  return entry;
}

/** An update never silently binds a kid to another key (W12, W17). */
function assertNotRebound(before: PeerEntry, after: PeerDraft): void {
  for (const old of keysOf(before)) {
    const clash = keysOf(after).some(
      ({ kid, key }) => kid === old.kid && !equalBytes(key, old.key),
    );
    if (clash) {
      throw keyFileError(
        `the kid ${JSON.stringify(old.kid)} is bound to another key; take that out first`,
      );
    }
  }
}

function keysOf({ signingKeys = [], encryptionKeys = [] }: PeerDraft): PeerKey[] {
  return [...signingKeys, ...encryptionKeys];
}
