// Owns one way to the other end: a socket, with TLS where that was said, and frames on it. SPEC.md section 19 (#swp-client).

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { connect as connectTls } from 'node:tls';
import { TransportError } from '../../../src/transport.ts';
import { tlsErrorOf } from '../../../transports/net/tls-failure.ts';
import type { TlsOptions } from '../../../transports/net/tls-options.ts';
import { clientTls } from '../../../transports/net/tls.ts';
import type { SwpPlace } from './options.ts';

/** Throws a {@link TransportError}. */
export async function dialSwp(
  place: SwpPlace,
  tls: TlsOptions | undefined,
  timeoutMs: number,
): Promise<Socket> {
  const isTls = tls !== undefined && !('path' in place);
  const socket = isTls
    ? connectTls({
        ...(clientTls(tls) as ConnectionOptions),
        ...place,
        ...(isIP(place.host) === 0 && { servername: place.host }),
      })
    : connect({ ...place, noDelay: true });
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', { signal: deadline });
    return socket;
  } catch (cause) {
    socket.destroy();
    const words = deadline.aborted ? 'there was no connection in time' : 'nobody listens there';
    throw tlsErrorOf(cause) ?? new TransportError('unreachable', words, cause);
  }
}
