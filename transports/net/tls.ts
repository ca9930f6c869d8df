// Owns how Node is told of the certificates of a transport, and what a client's certificate is known by.
// SPEC.md section 6 (#client-certificates).

import { createHash, constants } from 'node:crypto';
import type { AgentOptions, ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { checkAuthorities } from './certificates.ts';
import type { TlsOptions } from './tls-options.ts';

/** The options of a server that shows `cert`; use {@link refuseUnverified} with it. */
export function serverTls(tls: TlsOptions): ServerOptions {
  if (tls.cert === undefined || tls.key === undefined) {
    throw new TypeError('"tls.cert" and "tls.key" expected: a server must show a certificate');
  }
  const base: ServerOptions = { cert: tls.cert, key: tls.key, minVersion: 'TLSv1.2' };
  if (tls.ca === undefined) return base;
  checkAuthorities(tls.ca);
  return {
    ...base,
    ca: tls.ca,
    requestCert: true,
    rejectUnauthorized: tls.requireClientCert === true,
    // A resumed session would count as verified but show no certificate, so every handshake must be a full one.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}

/** The options of a client. The environment cannot switch the check of the server off. */
export function clientTls(tls: TlsOptions): AgentOptions {
  if (tls.ca !== undefined) checkAuthorities(tls.ca);
  return {
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(tls.cert === undefined ? {} : { cert: tls.cert, key: tls.key }),
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
  };
}

/** For `secureConnection`: where a certificate is optional, one that is shown must still hold. */
export function refuseUnverified(socket: TLSSocket): void {
  if (!socket.authorized && socket.getPeerX509Certificate() !== undefined) socket.destroy();
}

/** The SHA-256 of the DER form as lower-case hexadecimal digits; only of a certificate that was verified. */
export function verifiedCertificate(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  return certificate && createHash('sha256').update(certificate.raw).digest('hex');
}
