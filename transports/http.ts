// Owns the HTTP transport as a whole: one factory that gives the way in and the way out. Nothing is loaded before it is
// used. SPEC.md section 11 (#transport-http).

import type { Dialer, ListenContext, Transport } from '../src/index.ts';
import type { HttpListener } from './http-listener.ts';
import type { HttpOptions } from './http-options.ts';
import { resolveHttp } from './http-options.ts';

export type { FetchDocumentOptions } from './http-document.ts';
export { fetchAgentDocument } from './http-document.ts';
export type { FetchPeerOptions } from './http-peer.ts';
export { fetchPeer } from './http-peer.ts';
export type { HttpListener } from './http-listener.ts';
export type { HttpMount, HttpMountOptions } from './http-mount.ts';
export { mountHttp } from './http-mount.ts';
export type { HttpOptions, HttpServiceOptions } from './http-options.ts';
export type { TlsOptions } from './tls.ts';

export interface HttpTransport extends Transport, Dialer {
  listen(context: ListenContext): Promise<HttpListener>;
}

/** Listens on `POST /a2a` at `host` and `port`, and dials `http:` and `https:` addresses. */
export function http(options: HttpOptions = {}): HttpTransport {
  const resolved = resolveHttp(options);
  return {
    name: 'http',
    listen: async (context) => {
      const { listenHttp } = await import('./http-listener.ts');
      return listenHttp(context, resolved);
    },
    schemes: ['http:', 'https:'],
    dial: async (url, dialOptions) => {
      const { tls = {}, maxSockets } = resolved;
      const { dialHttp } = await import('./http-dial.ts');
      return dialHttp(url, { ...dialOptions, tls, maxSockets });
    },
  };
}
