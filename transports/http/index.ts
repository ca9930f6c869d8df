// Owns the HTTP transport as a whole: one factory that gives the way in and the way out. Nothing is loaded before it is
// used. SPEC.md section 11 (#transport-http).

import type { Peer } from '../../src/security/index.ts';
import type { Dialer, ListenContext, Transport } from '../../src/transport.ts';
import type { FetchDocumentOptions } from './document.ts';
import type { HttpHost } from './face.ts';
import type { HttpOptions } from './options.ts';
import { resolveHttp } from './options.ts';
import { MESSAGE_PATH } from './paths.ts';
import type { FetchPeerOptions } from './peer.ts';

export type { FetchDocumentOptions } from './document.ts';
export type {
  HttpCall,
  HttpEvent,
  HttpEvents,
  HttpFace,
  HttpHeaders,
  HttpHost,
  HttpStream,
  ServedFace,
} from './face.ts';
export { httpHostOf } from './face.ts';
export type { FetchPeerOptions } from './peer.ts';
export type {
  FastifyApp,
  FastifyReply,
  FastifyRequest,
  FastifyRoute,
  HttpMount,
  HttpMountOptions,
  MountRequest,
  MountResponse,
} from './mount.ts';
export { mountHttp } from './mount.ts';
export type { HttpOptions, HttpServiceOptions } from './options.ts';
export type { TlsOption, TlsOptionFault } from '../net/certificates.ts';
export { TlsOptionError } from '../net/certificates.ts';
export type { TlsError, TlsProblem } from '../net/tls-failure.ts';
export type { TlsOptions } from '../net/tls-options.ts';

/** Faces share its port, and so does a transport that upgrades connections, such as `ws()`. */
export interface HttpListener extends HttpHost {
  /** Where the socket is bound, also when others use another address; the port is the real one. */
  readonly boundUrl: string;
}

export interface HttpTransport extends Transport, Dialer {
  listen(context: ListenContext): Promise<HttpListener>;
}

/** Listens on `POST /a2a` at `host` and `port`, and dials `http:` and `https:` addresses. */
export function http(options: HttpOptions = {}): HttpTransport {
  const resolved = resolveHttp(options);
  return {
    name: 'http',
    listen: async (context) => {
      const [{ listenHttp }, { createMessageFace }, { createOperatorFace }] = await Promise.all([
        import('./host/listener.ts'),
        import('./sdl/message-face.ts'),
        import('./sdl/operator-face.ts'),
      ]);
      const { adminToken } = resolved;
      return listenHttp(resolved, {
        faces: [createMessageFace(context), createOperatorFace(context, adminToken)],
        path: MESSAGE_PATH,
        onError: context.onError,
      });
    },
    schemes: ['http:', 'https:'],
    dial: async (url, dialOptions) => {
      const { tls = {}, maxSockets } = resolved;
      const { dialHttp } = await import('./dial.ts');
      return dialHttp(url, { ...dialOptions, tls, maxSockets });
    },
  };
}

/** The bytes of the document of the agent at this address; of the address only the origin counts. */
export async function fetchAgentDocument(
  address: string,
  options?: FetchDocumentOptions,
): Promise<Uint8Array> {
  const document = await import('./document.ts');
  return document.fetchAgentDocument(address, options);
}

/** The agent at this address. Its endpoints are those that it names, and none on another machine's file system. */
export async function fetchPeer(address: string, options?: FetchPeerOptions): Promise<Peer> {
  const peer = await import('./peer.ts');
  return peer.fetchPeer(address, options);
}
