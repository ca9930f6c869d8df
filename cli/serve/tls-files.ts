// Owns the files that the daemon speaks TLS with: each is what its option says, and they fit together. What is wrong is
// told at the start, with the option and the file, since the words of the TLS library name neither.

import type { KeyObject } from 'node:crypto';
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { usageError } from '../kit/exit.ts';

/** By path. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
  readonly requireClientCert: boolean;
}

/** What stands in the files, and until when our own certificate holds. */
export interface ReadTls {
  readonly texts: TlsFiles;
  readonly untilMs: number;
}

const CERTIFICATE = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END [^-]+-----/g;
const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/;
const ENCRYPTED_KEY = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

const SYSTEM_WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  EISDIR: 'it is a folder',
};

export async function readTlsFiles(files: TlsFiles, nowMs: number): Promise<ReadTls> {
  const cert = await readPem('--tls-cert', files.cert);
  const key = await readPem('--tls-key', files.key);
  assertNotSwapped(files, cert, key);
  const [own] = certificatesIn('--tls-cert', files.cert, cert);
  const privateKey = keyIn(files.key, key);
  if (!own!.checkPrivateKey(privateKey)) {
    throw usageError(
      `--tls-key: ${files.key} is not the key of the certificate in ${files.cert} (--tls-cert)`,
      'give the two files that were made together; in --tls-cert our own certificate stands first',
    );
  }
  const untilMs = Date.parse(own!.validTo);
  if (untilMs <= nowMs) {
    throw usageError(
      `--tls-cert: the certificate in ${files.cert} ended on ${new Date(untilMs).toISOString()}`,
      'get a new one from its authority, or set the clock of this machine',
    );
  }
  const { ca: path, requireClientCert } = files;
  if (path === undefined) return { texts: { cert, key, requireClientCert }, untilMs };
  const ca = await readPem('--tls-ca', path);
  certificatesIn('--tls-ca', path, ca);
  return { texts: { cert, key, ca, requireClientCert }, untilMs };
}

async function readPem(option: string, path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (thrown) {
    const { code = '' } = thrown as NodeJS.ErrnoException;
    throw usageError(
      `${option}: ${path}: ${SYSTEM_WORDS[code] ?? `it cannot be read (${code})`}`,
      'check the path, who owns the file, and its mode',
    );
  }
  const text = new TextDecoder().decode(bytes);
  if (text.includes('-----BEGIN ')) return text;
  const kind = option === '--tls-key' ? 'pkey' : 'x509';
  throw usageError(
    `${option}: ${path} is not PEM, a text with a line that starts with -----BEGIN`,
    `if it is in the binary form DER: openssl ${kind} -inform der -in ${path} -out new.pem`,
  );
}

function assertNotSwapped({ cert, key }: TlsFiles, certText: string, keyText: string): void {
  const isSwapped =
    PRIVATE_KEY.test(certText) &&
    certText.match(CERTIFICATE) === null &&
    keyText.match(CERTIFICATE) !== null &&
    !PRIVATE_KEY.test(keyText);
  if (!isSwapped) return;
  throw usageError(
    `--tls-cert: ${cert} holds a private key, and --tls-key: ${key} a certificate`,
    `swap them: --tls-cert ${key} --tls-key ${cert}`,
  );
}

function certificatesIn(option: string, path: string, text: string): readonly X509Certificate[] {
  const found = text.match(CERTIFICATE);
  if (found === null) {
    const what = PRIVATE_KEY.test(text) ? 'a private key, and no certificate' : 'no certificate';
    throw usageError(`${option}: ${path} holds ${what}`, 'name the file with the certificate');
  }
  try {
    return found.map((pem) => new X509Certificate(pem));
  } catch {
    throw usageError(
      `${option}: ${path} holds a certificate that cannot be read`,
      `see what is in it: openssl x509 -in ${path} -text -noout`,
    );
  }
}

function keyIn(path: string, text: string): KeyObject {
  if (!PRIVATE_KEY.test(text)) {
    const what = text.match(CERTIFICATE) === null ? '' : 'a certificate, and ';
    throw usageError(`--tls-key: ${path} holds ${what}no private key`, 'name the file of the key');
  }
  if (ENCRYPTED_KEY.test(text)) {
    throw usageError(
      `--tls-key: ${path} is protected by a passphrase, which nobody can enter here`,
      `write it without one, for this user alone: openssl pkey -in ${path} -out new.pem`,
    );
  }
  try {
    return createPrivateKey(text);
  } catch {
    throw usageError(
      `--tls-key: ${path} holds a private key that cannot be read`,
      `see what is in it: openssl pkey -in ${path} -noout -text`,
    );
  }
}
