// Owns callers of other dialects whose entries a test adds, narrows and takes away while an agent runs. What they show is
// their name and a secret; how real ones are told apart is for the suites of `profiles/auth`.

import type {
  Authenticated,
  Callers,
  Ceiling,
  Principal,
  Standing,
} from '../../../src/door/index.ts';
import { SdlError } from '../../../src/door/index.ts';

export interface Guest {
  /** Of the entry. */
  readonly name: string;
  /** What it shows: `bearer …` as authorization, `key …` as API key, `from …` by its address, on SWP. */
  readonly shows: string;
  /** Of the principal. @default made of the scheme and the name */
  readonly id?: string;
  readonly subject?: string;
  readonly tenant?: string;
  readonly contentTypes?: readonly string[];
  readonly tools?: readonly string[];
  readonly isAdmin?: boolean;
  readonly ceiling?: Ceiling;
  /** Of what it shows. */
  readonly expiresAt?: number;
  /** Of its entry. */
  readonly entryEndsAt?: number;
}

export class Guests implements Callers {
  readonly #now: () => number;
  readonly #entries = new Map<string, Guest>();
  /** Faces that let in who shows nothing. */
  readonly anonymous: Set<string> = new Set<string>();

  constructor(now: () => number) {
    this.#now = now;
  }

  set(guest: Guest): void {
    this.#entries.set(guest.name, guest);
  }

  change(name: string, parts: Partial<Guest>): void {
    this.set({ ...this.#entries.get(name)!, ...parts });
  }

  remove(name: string): void {
    this.#entries.delete(name);
  }

  /** Of the entry whose principal has this id. */
  nameOf(owner: string): string {
    const found = [...this.#entries.values()].find((guest) => principalOf(guest).id === owner);
    return found!.name;
  }

  async authenticate(shown: Parameters<Callers['authenticate']>[0]): Promise<Authenticated> {
    const { face, address, authorization, apiKey } = shown;
    if (authorization === undefined && apiKey === undefined && this.anonymous.has(face)) {
      return { principal: { id: `~none:${face}`, tenant: '', scheme: 'none' } };
    }
    const said = apiKey === undefined ? authorization?.toLowerCase() : `key ${apiKey}`;
    const what = face === 'swp' ? `from ${address}` : said;
    const guest = [...this.#entries.values()].find(({ shows }) => shows === what);
    const principal = guest && principalOf(guest);
    if (principal === undefined || this.of(principal) === undefined) {
      throw new SdlError('UNAUTHENTICATED', 'the caller has not shown who it is');
    }
    const { ceiling } = guest!;
    return { principal, ...(ceiling !== undefined && { ceiling }) };
  }

  of({ caller, expiresAt = Infinity }: Principal): Standing | undefined {
    const guest = this.#entries.get(caller ?? '');
    const endsAt = Math.min(expiresAt, guest?.entryEndsAt ?? Infinity);
    if (guest === undefined || endsAt <= this.#now()) return undefined;
    const { contentTypes, tools, isAdmin = false } = guest;
    return {
      share: isAdmin ? 'operator' : 'known',
      isAdmin,
      allows: (wish) =>
        'ct' in wish
          ? (contentTypes?.includes(wish.ct) ?? true)
          : (tools?.includes(wish.tool) ?? true),
    };
  }
}

export function principalOf(guest: Guest): Principal {
  const { name, shows, subject = name, tenant = '', expiresAt } = guest;
  const scheme = shows.startsWith('key ') ? 'api-key' : 'bearer';
  return {
    id: guest.id ?? `~plain:${scheme}:${subject}`,
    tenant,
    scheme,
    caller: name,
    ...(expiresAt !== undefined && { expiresAt }),
  };
}
