// Owns the HTTP transport as a whole: one factory that gives the way in and the way out. Nothing is loaded before it is
// used. SPEC.md section 11 (#transport-http).

import type { Dialer, ListenContext, Transport } from '../../src/transport.ts';
import type { HttpListener } from './listener.ts';
import type { HttpOptions } from './options.ts';
import { resolveHttp } from './options.ts';

export type { FetchDocumentOptions } from './document.ts';
export { fetchAgentDocument } from './document.ts';
export type { FetchPeerOptions } from './peer.ts';
export { fetchPeer } from './peer.ts';
export type { HttpListener } from './listener.ts';
export type { HttpMount, HttpMountOptions } from './mount.ts';
export { mountHttp } from './mount.ts';
export type { HttpOptions, HttpServiceOptions } from './options.ts';
export type { TlsOptions } from '../net/tls.ts';

export interface HttpTransport extends Transport, Dialer {
  listen(context: ListenContext): Promise<HttpListener>;
}

/** Listens on `POST /a2a` at `host` and `port`, and dials `http:` and `https:` addresses. */
export function http(options: HttpOptions = {}): HttpTransport {
  const resolved = resolveHttp(options);
  return {
    name: 'http',
    listen: async (context) => {
      const { listenHttp } = await import('./listener.ts');
      return listenHttp(context, resolved);
    },
    schemes: ['http:', 'https:'],
    dial: async (url, dialOptions) => {
      const { tls = {}, maxSockets } = resolved;
      const { dialHttp } = await import('./dial.ts');
      return dialHttp(url, { ...dialOptions, tls, maxSockets });
    },
  };
}
