// Owns what `inspect`, `verify` and `decrypt` are given: the message, its encoding, and keys for one run.

import { importSecretKey } from '../../keys/index.ts';
import type { Encoding } from '../../src/envelope/index.ts';
import type { CryptoProvider, OwnKey, PeerKey } from '../../src/security/index.ts';
import { KEY_ALGORITHMS, thumbprint } from '../../src/security/index.ts';
import type { CommandContext, CommandOption, Parameter } from '../kit/command.ts';
import { usageError } from '../kit/exit.ts';
import type { Role } from '../home/home.ts';
import { ROLES } from '../home/home.ts';
import { notInitialised, openDirectory } from '../home/identities.ts';
import { readBytes } from '../kit/input.ts';
import { assertOwnStore } from '../home/store.ts';
import { readPeerKey, readSecretKeyFile } from '../home/key-argument.ts';

export const MESSAGE_PARAMETER: Parameter = {
  name: 'FILE',
  description: 'a message as it goes on the wire, or - for stdin',
};

export const SIGN_KEY_OPTION: CommandOption = {
  type: 'string',
  multiple: true,
  value: '[KID=]KEY',
  description: 'a public key that may have signed: base64url, or a PEM or JWK file',
};

export const DECRYPT_KEY_OPTION: CommandOption = {
  type: 'string',
  multiple: true,
  value: '[KID=]KEY',
  description: 'a secret key that opens it: a PEM or JWK file, or base64url',
};

export const ENCODING_OPTION: CommandOption = {
  type: 'string',
  value: 'ENC',
  description: 'json or cbor (default: by the first byte)',
};

export const ROLE_OPTION: CommandOption = {
  type: 'string',
  value: 'ROLE',
  description: 'whose keys and peers: agent or operator (default: agent)',
};

/** What every command of a message says of its keys. */
export const KEY_NOTES: readonly string[] = [
  'With --sign-key or --decrypt-key only these keys count. Without them it is judged with the keys\n' +
    'and peers of the home; where there is no home, with the keys that the message itself proves.',
];

/** One message as a transport would hand it over. */
export interface GivenMessage {
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
}

export async function readMessage({
  words,
  options,
  terminal,
}: CommandContext): Promise<GivenMessage> {
  const encoding = options.oneOf('encoding', ['json', 'cbor']);
  const path = words[0]!;
  const bytes = await readBytes(path, terminal);
  return toMessage(bytes, encoding);
}

export function toMessage(bytes: Uint8Array, encoding: Encoding = encodingOf(bytes)): GivenMessage {
  return { bytes: encoding === 'json' ? withoutMargins(bytes) : bytes, encoding };
}

/** An envelope in CBOR is a map, and no JSON text starts with such a byte. */
function encodingOf([first = 0]: Uint8Array): Encoding {
  return first >= 0xa0 && first <= 0xbf ? 'cbor' : 'json';
}

/** White space in JSON. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Files end with a line end that was not on the wire; who signed the very text signed it without. */
function withoutMargins(bytes: Uint8Array): Uint8Array {
  let [from, to] = [0, bytes.length];
  while (from < to && BLANKS.has(bytes[from]!)) from += 1;
  while (from < to && BLANKS.has(bytes[to - 1]!)) to -= 1;
  return bytes.subarray(from, to);
}

export interface GivenKeys {
  readonly signing: readonly PeerKey[];
  readonly decryption: readonly OwnKey[];
}

/** With which keys a message is judged: those of the command line, or those of a home. */
export type KeySource = { readonly given: GivenKeys } | { readonly role: Role };

export async function readKeySource(context: CommandContext): Promise<KeySource> {
  const { options } = context;
  const given = await readGivenKeys(context);
  const role = options.oneOf('as', ROLES);
  const isGiven = given.signing.length + given.decryption.length > 0;
  const ofHome = ['as', 'store'].find((name) => options.text(name) !== undefined);
  if (isGiven && ofHome !== undefined) {
    throw usageError(
      `--${ofHome} is for the keys of a home`,
      'leave it out, or the keys that you give',
    );
  }
  if (isGiven) return { given };
  assertOwnStore(role, options);
  const hasHome = (await openDirectory(context).list()).length > 0;
  if (!hasHome && ofHome !== undefined) throw notInitialised(context.home);
  return hasHome ? { role: role ?? 'agent' } : { given };
}

export async function readGivenKeys(context: CommandContext): Promise<GivenKeys> {
  const { options, crypto, terminal } = context;
  const signing: PeerKey[] = [];
  for (const text of options.texts('sign-key')) signing.push(await readPeerKey(text, 'sig'));
  const decryption: OwnKey[] = [];
  const secrets = options.declares('decrypt-key') ? options.texts('decrypt-key') : [];
  for (const text of secrets) decryption.push(await readDecryptionKey(text, crypto));
  if (secrets.some((text) => isRawKey(keyPart(text)))) {
    terminal.note('a key on the command line can be read by others while this runs: prefer a file');
  }
  return { signing, decryption };
}

async function readDecryptionKey(argument: string, crypto: CryptoProvider): Promise<OwnKey> {
  const at = argument.indexOf('=');
  const text = keyPart(argument);
  if (text === '' || at === 0) {
    throw usageError('a key is given as KID=KEY, or as KEY alone', 'see --help for an example');
  }
  const key = isRawKey(text)
    ? importSecretKey(text, crypto, { alg: KEY_ALGORITHMS.enc })
    : await readSecretKeyFile(text, 'enc', crypto);
  const kid = at < 0 ? thumbprint(key.alg, key.publicKey) : argument.slice(0, at);
  return { kid, use: 'enc', notAfterMs: Infinity, key };
}

function keyPart(argument: string): string {
  return argument.slice(argument.indexOf('=') + 1);
}

/** 32 bytes in base64url. */
function isRawKey(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}
