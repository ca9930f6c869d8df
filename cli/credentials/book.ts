// Owns the secrets that this home shows to other agents, each for the origin that it was given for. SPEC.md section 20
// (#a2a-client-home, #a2a-client-secrets).

import type { BookFormat, BookPage } from '../../keys/index.ts';
import { BookFile } from '../../keys/index.ts';
import type { BoundCredential } from '../../profiles/a2a/client/credentials/credential.ts';
import { assertCredentials } from '../../profiles/a2a/client/credentials/credential.ts';
import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonArray, isJsonObject, readJson, writeJson } from '../../src/codec/index.ts';
import type { Home } from '../home/home.ts';
import { failure } from '../kit/exit.ts';

const FORMAT = 'a2a-sdl/credentials/v1';

/** What a credential has beside its scheme and origin; all of it is text. */
const MEMBERS: Readonly<
  Record<
    BoundCredential['scheme'],
    { readonly needed: readonly string[]; readonly other?: readonly string[] }
  >
> = {
  bearer: { needed: ['token'] },
  'api-key': { needed: ['key'], other: ['header'] },
  basic: { needed: ['user', 'password'] },
  oauth2: { needed: ['tokenUrl', 'clientId', 'clientSecret'], other: ['scope'] },
  certificate: { needed: ['cert', 'key'] },
};

const BOOK: BookFormat<BoundCredential> = {
  name: 'the book of credentials',
  read(bytes) {
    const book = readJson(bytes);
    const list = isJsonObject(book) && book['format'] === FORMAT ? book['credentials'] : undefined;
    if (list === undefined || !isJsonArray(list))
      throw doesNotHold(`its format is not "${FORMAT}"`);
    const credentials = list.map(readCredential);
    try {
      assertCredentials(credentials);
    } catch (thrown) {
      throw doesNotHold((thrown as TypeError).message);
    }
    return credentials;
  },
  write: (entries) =>
    writeJson({ format: FORMAT, credentials: entries.map((entry): JsonObject => ({ ...entry })) }),
};

/** Words that name a member and never what it holds. */
function doesNotHold(words: string): Error {
  return failure(`the book of credentials does not hold: ${words}`);
}

function readCredential(value: JsonValue, at: number): BoundCredential {
  const entry = isJsonObject(value) ? value : {};
  const { scheme, origin } = entry;
  const isKnown = typeof scheme === 'string' && Object.hasOwn(MEMBERS, scheme);
  if (!isKnown || typeof origin !== 'string') throw doesNotHold(`credentials[${at}] is none`);
  const { needed, other = [] } = MEMBERS[scheme as BoundCredential['scheme']];
  const names = [...needed, ...other.filter((name) => entry[name] !== undefined)];
  const wrong = names.find((name) => typeof entry[name] !== 'string');
  if (wrong !== undefined) throw doesNotHold(`credentials[${at}].${wrong} is no text`);
  const members = Object.fromEntries(names.map((name) => [name, entry[name]]));
  return { scheme, origin, ...members } as unknown as BoundCredential;
}

/** Reads answer from memory; a change reads the file anew and replaces it as a whole. */
export class CredentialBook {
  readonly #file: BookFile<BoundCredential>;
  #page: BookPage<BoundCredential>;

  private constructor(file: BookFile<BoundCredential>, page: BookPage<BoundCredential>) {
    this.#file = file;
    this.#page = page;
  }

  static async open({ credentials }: Pick<Home, 'credentials'>): Promise<CredentialBook> {
    const file = new BookFile(credentials, BOOK);
    return new CredentialBook(file, await file.read());
  }

  /** The same list for as long as nothing has changed. */
  list(): readonly BoundCredential[] {
    return this.#page.entries;
  }

  /** Takes in what others wrote; true when there was something. */
  async reloadIfChanged(): Promise<boolean> {
    if (await this.#file.isAt(this.#page.stamp)) return false;
    this.#page = await this.#file.read();
    return true;
  }

  /** What takes the same place in a request at that origin is replaced: true where there was something. */
  async put(credential: BoundCredential): Promise<boolean> {
    let isReplaced = false;
    this.#page = await this.#file.rewrite((entries) => {
      const kept = entries.filter((other) => placeOf(other) !== placeOf(credential));
      isReplaced = kept.length < entries.length;
      return [...kept, credential];
    });
    return isReplaced;
  }

  /** All for this origin; how many there were. */
  async remove(origin: string): Promise<number> {
    let count = 0;
    this.#page = await this.#file.rewrite((entries) => {
      const kept = entries.filter((entry) => entry.origin !== origin);
      count = entries.length - kept.length;
      return kept;
    });
    return count;
  }
}

/** One header, or TLS, holds one secret. */
function placeOf(credential: BoundCredential): string {
  const { scheme, origin } = credential;
  if (scheme === 'certificate') return `${origin} tls`;
  return scheme === 'api-key'
    ? `${origin} header ${(credential.header ?? '').toLowerCase()}`
    : `${origin} authorization`;
}
