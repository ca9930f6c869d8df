// Owns what is said when TLS fails on the way out: what is wrong and what to do, never what the other end sent.
// SPEC.md section 12 (#errors-transport).

import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { TransportError } from '../../src/transport.ts';

/**
 * `untrusted`: no authority that we know vouches for the certificate. `wrong-name`: it is for another host.
 * `out-of-date`: its time is over, or not come. `speaks-no-tls`, `speaks-tls`: the address has the wrong scheme.
 * `client-certificate`: the other end does not accept ours, or that we showed none.
 */
export type TlsProblem =
  | 'untrusted'
  | 'wrong-name'
  | 'out-of-date'
  | 'speaks-no-tls'
  | 'speaks-tls'
  | 'client-certificate';

/** A {@link TransportError} that trying again does not mend. `problem` is for words of one's own. */
export class TlsError extends TransportError {
  readonly problem: TlsProblem;

  constructor(problem: TlsProblem, words: string) {
    super('refused', words);
    this.problem = problem;
  }
}

const UNTRUSTED =
  'the certificate of the other end is not trusted: if you do trust it, give it or its authority as "tls.ca"';
const WRONG_NAME =
  'the certificate of the other end is for another host: use an address with a name that it is for';
const OUT_OF_DATE =
  'the certificate of the other end is out of date, or the clock here is wrong: it needs a new certificate';
const CLIENT_CERTIFICATE =
  'the other end accepts only clients with a certificate that it trusts: give yours as "tls.cert" and "tls.key"';

/** Codes of OpenSSL and of Node. */
const PROBLEMS: Readonly<Record<string, readonly [TlsProblem, string]>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ['untrusted', UNTRUSTED],
  SELF_SIGNED_CERT_IN_CHAIN: ['untrusted', UNTRUSTED],
  UNABLE_TO_GET_ISSUER_CERT: ['untrusted', UNTRUSTED],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['untrusted', UNTRUSTED],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['untrusted', UNTRUSTED],
  CERT_UNTRUSTED: ['untrusted', UNTRUSTED],
  ERR_TLS_CERT_ALTNAME_INVALID: ['wrong-name', WRONG_NAME],
  CERT_HAS_EXPIRED: ['out-of-date', OUT_OF_DATE],
  CERT_NOT_YET_VALID: ['out-of-date', OUT_OF_DATE],
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: ['client-certificate', CLIENT_CERTIFICATE],
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: ['client-certificate', CLIENT_CERTIFICATE],
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: ['client-certificate', CLIENT_CERTIFICATE],
};

/** What came instead of a TLS record. Some versions of Node tell it by the text only. */
const NO_RECORD = /wrong.version.number|packet.length.too.long|http.request/i;
const PROBE_TIMEOUT_MS = 2_000;

/** `undefined` for what is no failure of TLS. */
export function tlsErrorOf(thrown: unknown): TlsError | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  const code = String(thrown.code);
  const known = Object.hasOwn(PROBLEMS, code) ? PROBLEMS[code] : undefined;
  if (known !== undefined) return new TlsError(known[0], `${known[1]} (${code})`);
  if (/^(EPROTO$|ERR_SSL_)/.test(code) && NO_RECORD.test(`${code} ${thrown.message}`)) {
    return new TlsError('speaks-no-tls', 'the other end speaks no TLS: try http:// (or ws://)');
  }
  return undefined;
}

/**
 * For a plain connection that was cut before a byte came: the error to show if the other end speaks TLS. A server that
 * expects TLS sends nothing to a plain client, so this asks it in a new connection.
 */
export async function speaksTlsError(url: URL): Promise<TlsError | undefined> {
  const port = Number(url.port === '' ? 80 : url.port);
  if (!(await speaksTls(url.hostname.replace(/^\[|\]$/g, ''), port))) return undefined;
  return new TlsError('speaks-tls', 'the other end speaks TLS: try https:// (or wss://)');
}

function speaksTls(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    // Nothing is sent to it and nothing of it is believed: only whether it answers counts.
    const probe = connect({
      host,
      port,
      rejectUnauthorized: false,
      timeout: PROBE_TIMEOUT_MS,
      ...(isIP(host) === 0 && { servername: host }),
    });
    const end = (isTls: boolean): void => {
      probe.destroy();
      resolve(isTls);
    };
    probe.on('secureConnect', () => end(true));
    probe.on('timeout', () => end(false));
    // An alert is TLS too.
    probe.on('error', (error: NodeJS.ErrnoException) => {
      end(error.code?.startsWith('ERR_SSL_') === true && tlsErrorOf(error) === undefined);
    });
    probe.on('close', () => end(false));
  });
}
