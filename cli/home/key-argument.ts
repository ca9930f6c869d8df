// Owns keys as arguments: public ones as text or in a file, secret ones only in a file, since others can read a command line.

import type { SecretKey } from '../../src/security/index.ts';
import { importPeerKey, importSecretKey } from '../../keys/index.ts';
import { SdlError } from '../../src/errors.ts';
import type { CryptoProvider, KeyUse, PeerKey } from '../../src/security/index.ts';
import { KEY_ALGORITHMS } from '../../src/security/index.ts';
import { failure, usageError } from '../kit/exit.ts';
import { readFileBytes } from '../kit/input.ts';

/** 32 bytes in base64url. */
const RAW_KEY = /^[\w-]{43}$/;

/** `KID=KEY` or `KEY`, where KEY is raw base64url or a file with raw text, PEM or JWK. */
export async function readPeerKey(argument: string, use: KeyUse): Promise<PeerKey> {
  const at = argument.indexOf('=');
  const kid = argument.slice(0, Math.max(0, at));
  const key = argument.slice(at + 1);
  if (key === '' || at === 0) {
    throw usageError('a key is given as KID=KEY, or as KEY alone', 'see --help for an example');
  }
  return importPublic(key, use, kid === '' ? undefined : kid);
}

async function importPublic(key: string, use: KeyUse, kid: string | undefined): Promise<PeerKey> {
  const options = kid === undefined ? {} : { kid };
  if (RAW_KEY.test(key)) return importPeerKey(key, use, options);
  const text = new TextDecoder().decode(await readFileBytes(key));
  return explainFile(key, () => importPeerKey(text, use, options));
}

/** The secret key in a file. */
export async function readSecretKeyFile(
  path: string,
  use: KeyUse,
  crypto: CryptoProvider,
): Promise<SecretKey> {
  if (RAW_KEY.test(path)) {
    throw usageError(
      'a secret key is not given on the command line, where others can read it',
      'put it into a file that only you can read, and name the file',
    );
  }
  const text = new TextDecoder().decode(await readFileBytes(path));
  return explainFile(path, () => importSecretKey(text, crypto, { alg: KEY_ALGORITHMS[use] }));
}

function explainFile<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof SdlError)) throw thrown;
    throw failure(`${path}: ${thrown.reason}`, { code: thrown.code, cause: thrown });
  }
}
