// Owns the check of certificates and keys before they are used, so that the user learns which one is wrong.
// SPEC.md section 6 (#client-certificates).

import type { KeyObject } from 'node:crypto';
import { createPrivateKey, X509Certificate } from 'node:crypto';

/** Which member of the TLS options is wrong. */
export type TlsOption = 'cert' | 'key' | 'ca';

/**
 * `no-pem`: not PEM text at all. `swapped`: the certificate stands where its key belongs, and the key in its place.
 * `no-certificate`, `no-key`: PEM text of something else, or damaged. `encrypted`: a key that needs a passphrase.
 * `mismatch`: the key belongs to another certificate.
 */
export type TlsOptionFault =
  'no-pem' | 'swapped' | 'no-certificate' | 'no-key' | 'encrypted' | 'mismatch';

/** A certificate or key that cannot be used. `option` and `fault` say which and why, for words of one's own. */
export class TlsOptionError extends TypeError {
  override readonly name = 'TlsOptionError';
  readonly option: TlsOption;
  readonly fault: TlsOptionFault;

  constructor(option: TlsOption, fault: TlsOptionFault, words: string) {
    super(`"tls.${option}" expected ${words}`);
    this.option = option;
    this.fault = fault;
  }
}

const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/;
const CERTIFICATES = new RegExp(`${CERTIFICATE.source}[^-]*-----END`, 'g');
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/;

export function checkPem(option: TlsOption, pem: unknown): void {
  if (typeof pem !== 'string' || !pem.includes('-----BEGIN ')) {
    throw new TlsOptionError(option, 'no-pem', 'PEM text');
  }
}

/** Throws where this certificate and this key cannot serve together. */
export function checkPair(cert: string, key: string): void {
  if (!CERTIFICATE.test(cert) && PRIVATE_KEY.test(cert) && CERTIFICATE.test(key)) {
    const words = 'the certificate, and "tls.key" its private key: they are swapped';
    throw new TlsOptionError('cert', 'swapped', words);
  }
  const certificate = readCertificate('cert', cert);
  if (!certificate.checkPrivateKey(readPrivateKey(key))) {
    throw new TlsOptionError('key', 'mismatch', 'the private key of "tls.cert": it is of another');
  }
}

/** Throws unless all of these are certificates: Node would silently ignore one that it cannot read. */
export function checkAuthorities(ca: string): void {
  const blocks = ca.match(CERTIFICATES) ?? [ca];
  for (const block of blocks) readCertificate('ca', `${block} CERTIFICATE-----\n`);
}

function readCertificate(option: 'cert' | 'ca', pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    // The cause is left out: it says only what the parser stumbled over.
    throw new TlsOptionError(option, 'no-certificate', 'a certificate; this one cannot be read');
  }
}

function readPrivateKey(pem: string): KeyObject {
  if (pem.includes('ENCRYPTED')) {
    throw new TlsOptionError('key', 'encrypted', 'a private key that needs no passphrase');
  }
  try {
    return createPrivateKey(pem);
  } catch {
    throw new TlsOptionError('key', 'no-key', 'a private key; this one cannot be read');
  }
}
