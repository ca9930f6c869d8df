// Owns the certificates that a transport is given: what we show, and whom we trust. It names no type of Node, since an
// entry of the package shows it. SPEC.md section 6 (#client-certificates).

import { checkPair, checkPem } from './certificates.ts';

/** Certificates as PEM text. The same ones serve to listen and to dial. */
export interface TlsOptions {
  /** What we show: our certificate, then those between it and its authority. Needed to listen. */
  readonly cert?: string;
  /** The private key of `cert`. */
  readonly key?: string;
  /**
   * The authorities that may vouch for the other end. To dial: instead of those of the system. To listen: clients are
   * asked for a certificate, and one that is shown must be vouched for. Without it none is asked for.
   */
  readonly ca?: string;
  /** A client must show a certificate; needs `ca`. @default false */
  readonly requireClientCert?: boolean;
}

/** Throws for certificates that do not make sense together. */
export function checkTls(tls: TlsOptions): void {
  for (const name of ['cert', 'key', 'ca'] as const) {
    if (tls[name] !== undefined) checkPem(name, tls[name]);
  }
  if ((tls.cert === undefined) !== (tls.key === undefined)) {
    throw new TypeError('"tls.cert" and "tls.key" expected together');
  }
  if (tls.requireClientCert === true && tls.ca === undefined) {
    throw new TypeError('"tls.ca" expected: it says which client certificates count');
  }
  if (tls.cert !== undefined && tls.key !== undefined) checkPair(tls.cert, tls.key);
}
