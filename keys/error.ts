// Owns the errors of keys and key files: what was wrong and what mends it, never a part of a key.

import { SdlError } from '../src/errors.ts';

const FORMATS_UNDERSTOOD =
  'understood are: raw base64url of 32 bytes, PEM (PKCS#8 "PRIVATE KEY" or SPKI "PUBLIC KEY"), and JWK (OKP), each for Ed25519 and X25519';

/** Text that is no key of ours. The text itself is never part of the error: it may be a secret. */
export function notAKey(what: string): SdlError {
  return new SdlError('ENCODING_INVALID', `${what}; ${FORMATS_UNDERSTOOD}`);
}

/** One error for a wrong passphrase and for a changed file: nobody can tell them apart. */
export function wrongPassphrase(): SdlError {
  return new SdlError('DECRYPT_FAILED', 'the passphrase is wrong, or the key file was changed');
}

/** Something about a file or folder of keys that its owner has to mend. */
export function keyFileError(reason: string, cause?: unknown): SdlError {
  return new SdlError('INTERNAL', reason, { cause });
}

/** A path as one word of a shell command. */
export function shellWord(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
