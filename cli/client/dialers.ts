// Owns the ways out to peers, each loaded when it is taken, with the authorities that may vouch for the peer: those kept
// with it, unless the user names others. SPEC.md section 6 (#client-certificates).

import type { Dialer } from '../../src/transport.ts';
import type { PeerEntry } from '../../keys/index.ts';
import type { TlsOptions } from '../../transports/http/index.ts';

/** `peers` is asked at every dial: the book may have changed. */
export function dialersFor(tls: TlsOptions, peers: () => readonly PeerEntry[]): Dialer[] {
  const at = (url: string): TlsOptions => {
    const ca = tls.ca ?? authoritiesAt(url, peers());
    return ca === undefined ? tls : { ...tls, ca };
  };
  return [
    {
      schemes: ['http:', 'https:'],
      async dial(url, options) {
        const { http } = await import('../../transports/http/index.ts');
        return http({ tls: at(url) }).dial(url, options);
      },
    },
    {
      schemes: ['ws:', 'wss:'],
      async dial(url, options) {
        const { ws } = await import('../../transports/ws/index.ts');
        return ws({ tls: at(url) }).dial(url, options);
      },
    },
    {
      schemes: ['ipc:'],
      async dial(url, options) {
        const { ipc } = await import('../../transports/ipc/index.ts');
        return ipc().dial(url, options);
      },
    },
  ];
}

/** Of all peers at this host and port; HTTP and WebSocket share a port. */
function authoritiesAt(url: string, peers: readonly PeerEntry[]): string | undefined {
  const place = placeOf(url);
  const found = peers.flatMap(({ tlsCa, endpoints }) =>
    tlsCa !== undefined && endpoints.some((own) => placeOf(own) === place) ? [tlsCa] : [],
  );
  return found.length === 0 ? undefined : found.join('\n');
}

function placeOf(url: string): string {
  const text = url.replace(/^ws/, 'http');
  return URL.canParse(text) ? new URL(text).origin : text;
}
