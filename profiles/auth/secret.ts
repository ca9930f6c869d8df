// Owns secrets that are compared: by their hashes, in constant time; those of files as they are at that moment.

import { X509Certificate, createHash, timingSafeEqual } from 'node:crypto';
import { open } from 'node:fs/promises';

/** What can be guessed in a life is no secret. */
const MIN_SECRET_LENGTH = 16;
const MAX_FILE_BYTES = 65_536;

/** The SHA-256 of a secret as hexadecimal digits: the form that a book keeps it in. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex');
}

/** Both sides are hashes of 64 digits, so neither the time nor the length tells anything. */
export function isSameHash(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one, 'latin1'), Buffer.from(other, 'latin1'));
}

/** Throws, with words for the operator that hold nothing of the secret. */
export function assertSecret(secret: string): void {
  if (secret.length < MIN_SECRET_LENGTH) {
    throw new RangeError(`a secret has at least ${MIN_SECRET_LENGTH} characters`);
  }
  if (/[^\x21-\x7e]/.test(secret)) {
    throw new RangeError('a secret has no blanks and no characters outside of ASCII');
  }
}

/** The SHA-256 of a certificate in PEM, as a transport shows it. */
export function certificateHash(pem: string): string {
  return new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();
}

interface Seen {
  readonly stamp: string;
  readonly text: string;
}

/** Files that hold secrets: read when they have changed, never kept longer than that. */
export class SecretFiles {
  readonly #seen = new Map<string, Seen>();

  /** The text, without the white space around it. */
  async read(path: string): Promise<string> {
    const file = await open(path, 'r');
    try {
      const { ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
      const stamp = [ino, size, mtimeNs, ctimeNs].join(':');
      const seen = this.#seen.get(path);
      if (seen?.stamp === stamp) return seen.text;
      if (size > MAX_FILE_BYTES) throw new RangeError('the file is too large for a secret');
      const text = (await file.readFile('utf8')).trim();
      this.#seen.set(path, { stamp, text });
      return text;
    } finally {
      await file.close();
    }
  }
}
