// Owns an HTTP server of our own: its timeouts, connections and upgrades. It knows no dialect: what a request gets is for
// the faces to say.
// SPEC.md section 11 (#transport-http, #transport-timeouts).

import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Server as NetServer } from 'node:net';
import type { Access } from './access.ts';
import { bracketed, createAccess, ownHosts } from './access.ts';
import type { HttpConnections } from './connections.ts';
import { watchConnections } from './connections.ts';
import type { OwnFace } from './faces.ts';
import { createFaces } from './faces.ts';
import type { HttpListener } from '../index.ts';
import type { ResolvedHttp } from '../options.ts';
import { baseOf, pathOf } from '../paths.ts';
import { peerFactsOf } from '../../net/peer-facts.ts';
import { refuseUnverified, serverTls } from '../../net/tls.ts';
import type { UpgradeHandler, UpgradeHost } from './upgrade.ts';
import { refuseUpgrade } from './upgrade.ts';

const MAX_HEADER_BYTES = 16_384;
/** Nobody is served before the port is known, because the allowed host names contain it. */
const NOT_YET: Access = () => 'host';
/** How often the server looks for requests that take too long, at most and at least. */
const CHECK_MS = { longest: 1_000, shortest: 10 };

export interface OwnHost extends UpgradeHost, HttpListener {}

interface HostParts {
  /** Those that are there from the start; the address of the first one is the host's own. */
  readonly faces: readonly OwnFace[];
  readonly path: string;
  readonly onError: (cause: unknown) => void;
}

export async function listenHttp(options: ResolvedHttp, parts: HostParts): Promise<OwnHost> {
  let access = NOT_YET;
  const faces = createFaces((request) => access(request), { ...options, onError: parts.onError });
  for (const face of parts.faces) faces.serve(face);
  const server = newServer(options, (request, response) => {
    void faces.handle(request, response, pathOf(request.url));
  });
  const connections = watchConnections(server, options.maxConnectionsPerAddress);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    answerBroken(error.code ?? '', socket as Socket, connections);
  });
  const upgrades = takeUpgrades(server, (request) => access(request), connections);

  server.listen(options.port, options.host);
  await once(server, 'listening');
  // If a connection cannot be accepted, for example without free file handles, the others go on.
  server.on('error', () => {});
  const { port } = server.address() as AddressInfo;
  const scheme = options.tls === undefined ? 'http' : 'https';
  const { publicUrl } = options;
  access = createAccess({
    allowedOrigins: options.allowedOrigins,
    allowedHosts: [
      ...ownHosts(options.host, port, scheme === 'http' ? 80 : 443),
      ...(publicUrl === undefined ? [] : [new URL(publicUrl).host]),
      ...options.allowedHosts,
    ],
  });

  async function close(graceMs: number): Promise<void> {
    const closed = once(server, 'close');
    // Not `server.close()`: it would cut off answers that are written but not yet sent.
    NetServer.prototype.close.call(server);
    await Promise.all([faces.drain(graceMs), connections.drain(graceMs)]);
    await closed;
    // Now `server.close()` is safe, and it stops the timer that looks for slow requests.
    server.close();
  }
  const boundUrl = `${scheme}://${bracketed(options.host)}:${port}${parts.path}`;
  const url = publicUrl ?? boundUrl;
  let closing: Promise<void> | undefined;
  return {
    name: 'http',
    boundUrl,
    urls: [url],
    urlOf: (path) => `${baseOf(url, parts.path)}${path}`,
    serve: (face) => faces.serve(face),
    expectFaces: () => faces.expectFaces(),
    close: (graceMs) => (closing ??= close(graceMs)),
    peerFactsOf,
    onUpgrade: upgrades,
  };
}

function newServer(options: ResolvedHttp, onRequest: RequestListener): Server {
  const { headersTimeoutMs, tls } = options;
  const common = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: options.requestTimeoutMs,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.max(
      CHECK_MS.shortest,
      Math.min(CHECK_MS.longest, headersTimeoutMs / 4),
    ),
    maxHeaderSize: MAX_HEADER_BYTES,
    // Set here explicitly, because an environment variable can switch it on for the whole process.
    insecureHTTPParser: false,
  };
  const server =
    tls === undefined
      ? createServer(common, onRequest)
      : createSecureServer(
          { ...common, ...serverTls(tls), handshakeTimeout: headersTimeoutMs },
          onRequest,
        ).prependListener('secureConnection', refuseUnverified);
  server.maxConnections = options.maxConnections;
  return server;
}

/** Returns what gives a path of upgrades to a handler. */
function takeUpgrades(
  server: Server,
  access: Access,
  connections: HttpConnections,
): UpgradeHost['onUpgrade'] {
  const handlers = new Map<string, UpgradeHandler>();
  server.on('upgrade', (request, socket, head: Uint8Array) => {
    const foreign = access(request);
    const handler = handlers.get(pathOf(request.url));
    if (foreign === 'host') refuseUpgrade(socket, 421, 'Misdirected Request');
    else if (foreign === 'origin') refuseUpgrade(socket, 403, 'Forbidden');
    else if (handler === undefined) refuseUpgrade(socket, 404, 'Not Found');
    else {
      connections.markUpgraded(request);
      handler(request, socket, head);
    }
  });
  return (path, handler) => {
    if (handlers.has(path))
      throw new TypeError(`the path "${path}" already has a handler for upgrades`);
    handlers.set(path, handler);
    return () => {
      if (handlers.get(path) === handler) handlers.delete(path);
    };
  };
}

/** What is no HTTP, or takes too long to become a request, has no route to go to. */
function answerBroken(code: string, socket: Socket, connections: HttpConnections): void {
  const status = brokenStatus(code);
  // In the middle of another answer, this status line would become a part of that answer.
  if (status !== undefined && socket.writable && !connections.isAnswering(socket)) {
    socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  }
  // At once: a client that sends such bytes may never read the answer.
  socket.destroy();
}

/** Undefined where there is nobody to tell: the connection broke, or no TLS came about. */
function brokenStatus(code: string): string | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return '408 Request Timeout';
  if (code === 'HPE_HEADER_OVERFLOW') return '431 Request Header Fields Too Large';
  return code.startsWith('HPE_') ? '400 Bad Request' : undefined;
}
