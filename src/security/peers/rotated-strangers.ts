// Owns what the store keeps of strangers: the newest bundle of those that have changed their keys, so many for each
// address and in all. SPEC.md section 10 (#stranger-seq).

import type { CryptoProvider } from '../../crypto/provider.ts';
import { SdlError } from '../../errors.ts';
import type { Entry, EntryStore } from '../../stores/store.ts';
import type { KeyBundle } from '../identity/key-bundle-shape.ts';
import type { Contact } from './contact-entry.ts';
import { CONTACTS, readContact, writeContact } from './contact-entry.ts';

/** The `seq` of the first bundle of an agent. */
const FIRST_SEQ = 1;

export interface RotatedStrangersOptions {
  readonly crypto: CryptoProvider;
  readonly maxRotated: number;
  readonly maxRotatedPerAddress: number;
}

/** A contact, and the version of its entry. */
export interface StoredContact {
  readonly contact: Contact;
  readonly version: number;
}

export class RotatedStrangers {
  readonly #store: Pick<EntryStore, 'get' | 'put' | 'count'>;
  readonly #options: RotatedStrangersOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: Pick<EntryStore, 'get' | 'put' | 'count'>, options: RotatedStrangersOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Strangers that never changed their keys are without number, and there is nothing to go back to. */
  static isToBeKept({ seq }: KeyBundle): boolean {
    return seq > FIRST_SEQ;
  }

  /** Whether this is the entry of one who was a stranger when it was written. */
  static isEntryOf({ index }: Entry): boolean {
    return index['stranger'] !== undefined;
  }

  /** Durable once it resolves. One after the other, so that no number of them passes the bounds together. */
  keep(bundle: KeyBundle, address: string): Promise<StoredContact> {
    const kept = this.#last.then(() => this.#keep(bundle, address));
    this.#last = kept.catch(() => undefined);
    return kept;
  }

  async #keep(bundle: KeyBundle, address: string): Promise<StoredContact> {
    const { agentId } = bundle;
    for (;;) {
      const entry = await this.#store.get(CONTACTS, agentId);
      const stored = entry && (await readContact(agentId, entry.value, this.#options.crypto));
      if (entry !== undefined && (stored?.bundle?.seq ?? -1) >= bundle.seq) {
        return { contact: stored!, version: entry.version };
      }
      if (entry === undefined) await this.#assertRoom(address);
      const contact: Contact = { additions: new Set(), ...stored, bundle };
      // An entry that is there stays what it was: of a peer that is none any more, or counted by its first address.
      const index = entry?.index ?? { stranger: address, kind: 'stranger' };
      const { ok, version } = await this.#store.put(CONTACTS, agentId, writeContact(contact), {
        ifVersion: entry?.version ?? 0,
        index,
      });
      if (ok) return { contact, version };
    }
  }

  /** Nobody gives way: whoever could push out an entry could bring back the keys that it rules out. */
  async #assertRoom(address: string): Promise<void> {
    const { maxRotatedPerAddress, maxRotated } = this.#options;
    const isFull =
      (await this.#count({ stranger: address }, maxRotatedPerAddress)) ||
      (await this.#count({ kind: 'stranger' }, maxRotated));
    if (!isFull) return;
    throw new SdlError(
      'SENDER_REFUSED',
      'the sender is a stranger that has changed its keys, and there is no room to remember it: make it a peer (a2a-sdl peers add)',
    );
  }

  async #count(index: Readonly<Record<string, string>>, atMost: number): Promise<boolean> {
    return (await this.#store.count(CONTACTS, { index, atMost })) >= atMost;
  }
}
