// Owns passwords: kept as scrypt hashes, checked in the same time whether the user is known or not.

import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

interface PasswordHash {
  readonly cost: Cost;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

const DEFAULT_COST: Cost = { N: 32_768, r: 8, p: 1 };
/** A hash in a file must not be able to take the machine's memory. */
const MOST_MEMORY = 134_217_728;
const FORM =
  /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([A-Za-z0-9_-]{16,86})\$([A-Za-z0-9_-]{43})$/;
const HASH_BYTES = 32;
const MOST_REMEMBERED = 256;

/** `scrypt$N$r$p$SALT$HASH`, salt and hash in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, DEFAULT_COST);
  const { N, r, p } = DEFAULT_COST;
  return `scrypt$${N}$${r}$${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/** `undefined` for text that is no hash, or one that would cost too much. */
export function readHash(text: string): PasswordHash | undefined {
  const [, N, r, p, salt, hash] = FORM.exec(text) ?? [];
  if (salt === undefined || hash === undefined) return undefined;
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const isPowerOfTwo = cost.N > 1 && (cost.N & (cost.N - 1)) === 0;
  if (!isPowerOfTwo || cost.r < 1 || cost.p < 1 || cost.p > 16) return undefined;
  if (memoryOf(cost) > MOST_MEMORY) return undefined;
  return { cost, salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') };
}

/** The hash of this user in a file of lines `USER:scrypt$…`. */
export function hashOfUser(lines: string, user: string): string | undefined {
  const line = lines.split(/\r?\n/).find((text) => text.startsWith(`${user}:`));
  return line?.slice(user.length + 1).trim();
}

/** Checks passwords; remembers the right ones for as long as their hash stays, so that scrypt runs once a caller. */
export class PasswordCheck {
  readonly #key = randomBytes(32);
  /** What was right, keyed by a hash of it, to the password's hash then. */
  readonly #proven = new Map<string, string>();

  /** `stored` is `undefined` for a user that is not known: the work is the same. */
  async isRight(user: string, password: string, stored: string | undefined): Promise<boolean> {
    const shown = createHmac('sha256', this.#key)
      .update(JSON.stringify([user, password]))
      .digest('hex');
    if (stored !== undefined && this.#proven.get(shown) === stored) return true;
    const known = stored === undefined ? undefined : readHash(stored);
    const { cost, salt, hash } = known ?? NOBODY;
    const isEqual = timingSafeEqual(await derive(password, salt, cost), hash);
    if (!isEqual || known === undefined || stored === undefined) return false;
    if (this.#proven.size >= MOST_REMEMBERED) this.#proven.clear();
    this.#proven.set(shown, stored);
    return true;
  }
}

const NOBODY: PasswordHash = {
  cost: DEFAULT_COST,
  salt: randomBytes(16),
  hash: randomBytes(HASH_BYTES),
};

function derive(password: string, salt: Uint8Array, cost: Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { ...cost, maxmem: 2 * memoryOf(cost) };
    scrypt(password.normalize('NFC'), salt, HASH_BYTES, options, (thrown, key) => {
      if (thrown === null) resolve(key);
      else reject(thrown);
    });
  });
}

function memoryOf({ N, r, p }: Cost): number {
  return 128 * r * (N + p);
}
