// Owns what is learned of peers from their own proven messages: keys, signing form, additions. SPEC.md sections 8 and 10 (#cap-x, #key-bundle).

import { LRUCache } from 'lru-cache';

import type { CryptoProvider } from '../../crypto/provider.ts';
import type { SigningForm } from '../../envelope/types.ts';
import { checkInteger } from '../../stores/operation.ts';
import type { EntryStore } from '../../stores/store.ts';
import type { Contact } from './contact-entry.ts';
import { readContact, writeContact } from './contact-entry.ts';
import type { KeyBundle } from '../identity/key-bundle-shape.ts';

export type { Contact } from './contact-entry.ts';

export interface ContactsOptions {
  readonly crypto: CryptoProvider;
  /** Peers held in memory, and as many strangers beside them. @default 1000 */
  readonly maxCached?: number;
  /** How old memory may be before the store is asked for what other processes have learned. @default 10000 */
  readonly maxAgeMs?: number;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
}

/** What one message told; what is left out stays as it was. */
export interface ContactFacts {
  /** Verified. It counts only if its `seq` is higher than that of the known one. */
  readonly bundle?: KeyBundle | undefined;
  readonly form?: SigningForm | undefined;
  /** All that it lists now. Only the first 64 of at most 64 characters are kept: nobody else's memory is for the rest. */
  readonly additions?: Iterable<string> | undefined;
  /** 0 once it turns out to know none, so that ours is sent again. */
  readonly knowsSeq?: number | undefined;
}

export interface Contacts {
  /** `undefined` for an agent that nothing is known of. Throws INTERNAL where the store holds something else. */
  get(agentId: string): Promise<Contact | undefined>;
  /**
   * Takes in what a message told whose signature holds, and only then; durable once it resolves. Facts that are known
   * already cost a look into memory. Strangers are without number, so they are kept in memory alone.
   */
  learn(
    agentId: string,
    facts: ContactFacts,
    sender: { readonly isStranger: boolean },
  ): Promise<void>;
  /** For the operator alone. A bundle that was replaced since could come back: revoke the peer's old keys first. */
  forget(agentId: string): Promise<void>;
}

export function createContacts(
  store: Pick<EntryStore, 'get' | 'put' | 'delete'>,
  options: ContactsOptions,
): Contacts {
  const { crypto, maxCached = 1_000, maxAgeMs = 10_000, now = Date.now } = options;
  checkInteger('maxCached', maxCached, 1);
  checkInteger('maxAgeMs', maxAgeMs);
  return new StoredContacts(store, { crypto, maxCached, maxAgeMs, now });
}

const SPACE = 'contact';
const MAX_ADDITIONS = 64;
const MAX_ADDITION_LENGTH = 64;
const NOTHING: Contact = Object.freeze({ additions: new Set<string>() });

/** What memory has of an agent. */
interface Known {
  readonly contact: Contact;
  /** Of the store's entry; 0 = there was none. */
  readonly version: number;
  readonly readAtMs: number;
}

class StoredContacts implements Contacts {
  readonly #store: Pick<EntryStore, 'get' | 'put' | 'delete'>;
  readonly #options: Required<ContactsOptions>;
  readonly #peers: LRUCache<string, Known>;
  /** Apart, so that no number of strangers pushes a peer out. */
  readonly #strangers: LRUCache<string, Known>;

  constructor(
    store: Pick<EntryStore, 'get' | 'put' | 'delete'>,
    options: Required<ContactsOptions>,
  ) {
    this.#store = store;
    this.#options = options;
    this.#peers = new LRUCache({ max: options.maxCached });
    this.#strangers = new LRUCache({ max: options.maxCached });
  }

  async get(agentId: string): Promise<Contact | undefined> {
    const { contact } = await this.#known(agentId);
    return contact === NOTHING ? undefined : contact;
  }

  async learn(
    agentId: string,
    facts: ContactFacts,
    { isStranger }: { readonly isStranger: boolean },
  ): Promise<void> {
    if (facts.bundle !== undefined && facts.bundle.agentId !== agentId) {
      throw new TypeError('"bundle" expected a bundle of this agent');
    }
    if (isStranger) {
      const known = await this.#known(agentId);
      const contact = withFacts(known.contact, facts);
      if (contact !== known.contact) this.#strangers.set(agentId, { ...known, contact });
      return;
    }
    const known = this.#peers.get(agentId);
    const isKnown = known !== undefined && withFacts(known.contact, facts) === known.contact;
    // What was learned of it as a stranger is to be written down now.
    if (isKnown && !this.#strangers.has(agentId)) return;
    await this.#write(agentId, facts);
  }

  async forget(agentId: string): Promise<void> {
    await this.#store.delete(SPACE, agentId);
    this.#peers.delete(agentId);
    this.#strangers.delete(agentId);
  }

  /** From memory while that is young enough, else from the store. */
  async #known(agentId: string): Promise<Known> {
    const stranger = this.#strangers.get(agentId);
    const known = stranger ?? this.#peers.get(agentId);
    if (known !== undefined && this.#options.now() - known.readAtMs <= this.#options.maxAgeMs) {
      return known;
    }
    const read = await this.#read(agentId);
    if (stranger === undefined) return read;
    const both = { ...read, contact: withFacts(read.contact, stranger.contact) };
    this.#strangers.set(agentId, both);
    return both;
  }

  async #read(agentId: string): Promise<Known> {
    const entry = await this.#store.get(SPACE, agentId);
    const readAtMs = this.#options.now();
    // Not held in memory: ids that nobody has proven are without number.
    if (entry === undefined) {
      this.#peers.delete(agentId);
      return { contact: NOTHING, version: 0, readAtMs };
    }
    const { value, version } = entry;
    const before = this.#peers.get(agentId);
    const contact =
      before?.version === version
        ? before.contact
        : await readContact(agentId, value, this.#options.crypto);
    return this.#remember(agentId, { contact, version, readAtMs });
  }

  /** Reading a bundle takes time, in which a newer one may have been learned. */
  #remember(agentId: string, known: Known): Known {
    const before = this.#peers.get(agentId);
    if (before !== undefined && before.version > known.version) return before;
    this.#peers.set(agentId, known);
    return known;
  }

  /** Conditional, and again when another message came between: no bundle is replaced by an older one. */
  async #write(agentId: string, facts: ContactFacts): Promise<void> {
    const asStranger: ContactFacts = this.#strangers.get(agentId)?.contact ?? {};
    for (;;) {
      const known = await this.#read(agentId);
      const contact = withFacts(withFacts(known.contact, asStranger), facts);
      if (contact === known.contact) {
        this.#remember(agentId, known);
        break;
      }
      const { ok, version } = await this.#store.put(SPACE, agentId, writeContact(contact), {
        ifVersion: known.version,
      });
      if (!ok) continue;
      this.#remember(agentId, { contact, version, readAtMs: known.readAtMs });
      break;
    }
    this.#strangers.delete(agentId);
  }
}

/** The very same contact when the facts add nothing. */
function withFacts(contact: Contact, facts: ContactFacts): Contact {
  const { bundle: sent, form = contact.form, knowsSeq = contact.knowsSeq } = facts;
  const isNewer = sent !== undefined && !(contact.bundle && sent.seq <= contact.bundle.seq);
  const bundle = isNewer ? sent : contact.bundle;
  const additions = additionsAfter(contact.additions, facts.additions);
  if (
    bundle === contact.bundle &&
    form === contact.form &&
    additions === contact.additions &&
    knowsSeq === contact.knowsSeq
  ) {
    return contact;
  }
  return Object.freeze({
    ...(bundle && { bundle }),
    ...(form && { form }),
    additions,
    ...(knowsSeq !== undefined && { knowsSeq }),
  });
}

function additionsAfter(
  before: ReadonlySet<string>,
  announced: Iterable<string> | undefined,
): ReadonlySet<string> {
  if (announced === undefined || announced === before) return before;
  const kept = new Set<string>();
  for (const name of announced) {
    if (kept.size === MAX_ADDITIONS) break;
    if (name.length <= MAX_ADDITION_LENGTH) kept.add(name);
  }
  const isSame = kept.size === before.size && [...kept].every((name) => before.has(name));
  return isSame ? before : kept;
}
