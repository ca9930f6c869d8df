// Owns how SWP connections are accepted: only from who has proven who it is, before a frame of theirs is read.
// SPEC.md section 19 (#swp-channel).

import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer, isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createServer as createTlsServer } from 'node:tls';
import { SdlError, toSdlError } from '../../../src/door/index.ts';
import type { ListenContext, Listener, PeerFacts } from '../../../src/transport.ts';
import { LiveSet } from '../../../transports/net/live-set.ts';
import { plainAddress } from '../../../transports/net/peer-facts.ts';
import { listenAtPath } from '../../../transports/net/socket-file.ts';
import { serverTls, verifiedCertificate } from '../../../transports/net/tls.ts';
import { FACE } from './asked.ts';
import type { SwpServices } from './connection.ts';
import { SwpConnection } from './connection.ts';
import type { SwpAddress, SwpSettings } from './options.ts';
import { Tunnels } from './tunnel.ts';
import { Turns } from './turns.ts';

/** Clients of a Unix socket have no address of their own. */
const LOCAL = 'local';
const SOCKET_MODE = 0o600;
const HANDSHAKE_TIMEOUT_MS = 10_000;

export async function listenSwp(settings: SwpSettings, context: ListenContext): Promise<Listener> {
  const { address } = settings;
  const gate = new Gate({ context, settings, turns: new Turns(), tunnels: new Tunnels() });
  const server = serverFor(address, gate);
  // If a connection cannot be accepted, for example without free file handles, the others go on.
  server.on('error', () => {});
  const { url, remove } = await bind(server, address);
  let closing: Promise<void> | undefined;
  const close = async (graceMs: number): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    await remove();
    await gate.close(graceMs);
    await closed;
  };
  return {
    name: 'path' in address ? 'swp-unix' : FACE,
    isFace: true,
    urls: [url],
    close: (graceMs) => (closing ??= close(graceMs)),
  };
}

function serverFor(address: SwpAddress, gate: Gate): Server {
  const options = { noDelay: true, allowHalfOpen: true };
  if ('path' in address || address.tls === undefined) {
    const server = createServer(options);
    return server.on('connection', (socket: Socket) => void gate.meet(socket, 'path' in address));
  }
  const server = createTlsServer({
    ...options,
    ...serverTls(address.tls),
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
  });
  server.on('secureConnection', (socket) => void gate.meetSecure(socket));
  // Plain octets, an old version of TLS, a certificate that nobody vouches for: nothing of it is a frame.
  server.on('tlsClientError', (cause: NodeJS.ErrnoException, socket) => {
    gate.turnAway(socket, `the channel is not secure: ${cause.code ?? 'it ended'}`);
  });
  return server;
}

class Gate {
  readonly #services: SwpServices;
  readonly #live = new LiveSet<SwpConnection>();
  readonly #perAddress = new Map<string, number>();
  #count = 0;
  #isClosing = false;

  constructor(services: SwpServices) {
    this.#services = services;
  }

  /** A certificate that was shown and does not hold is worse than none. */
  async meetSecure(socket: TLSSocket): Promise<void> {
    if (!socket.authorized && socket.getPeerX509Certificate() !== undefined) {
      this.turnAway(socket, 'nobody vouches for the certificate of the caller');
      return;
    }
    await this.meet(socket, false);
  }

  async meet(socket: Socket, isLocalOwner: boolean): Promise<void> {
    socket.on('error', (error: NodeJS.ErrnoException) => this.#onSocketError(socket, error));
    const address = isLocalOwner ? LOCAL : plainAddress(socket.remoteAddress);
    if (this.#isClosing) {
      socket.destroy();
      return;
    }
    if (!this.#hasRoomFor(address, isLocalOwner)) {
      const error = new SdlError('LIMIT_RATE', 'there are too many connections');
      this.#refuse(socket, 'RATE_LIMIT_EXCEEDED', error);
      return;
    }
    this.#enter(address, socket);
    const certificate = verifiedCertificate(socket);
    const peer: PeerFacts = {
      transport: FACE,
      address,
      ...(certificate !== undefined && { certificate }),
    };
    try {
      const known = await this.#services.context.authenticate({
        face: FACE,
        address,
        ...(certificate !== undefined && { certificate }),
        ...(isLocalOwner && { isLocalOwner }),
      });
      if (socket.destroyed) return;
      const connection = new SwpConnection(socket, this.#services, { known, peer });
      this.#live.add(connection);
      socket.once('close', () => this.#live.delete(connection));
      if (this.#isClosing) connection.drain();
    } catch (thrown) {
      const error = toSdlError(thrown);
      const isOwnFault = error.code === 'INTERNAL' || error.code === 'UNAVAILABLE';
      this.#refuse(socket, isOwnFault ? 'INTERNAL_ERROR' : 'SECURITY_POLICY', error);
    }
  }

  turnAway(socket: Socket, words: string): void {
    this.#refuse(socket, 'SECURITY_POLICY', new SdlError('UNAUTHENTICATED', words));
  }

  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    for (const connection of this.#live) connection.drain();
    await this.#live.drain(graceMs);
  }

  #refuse(socket: Socket, code: string, error: SdlError): void {
    this.#services.context.refused({ face: FACE, operation: 'connect', code, error });
    socket.destroy();
  }

  /** A record that somebody has changed on its way ends the channel. */
  #onSocketError(socket: Socket, { code = '' }: NodeJS.ErrnoException): void {
    if (!code.startsWith('ERR_SSL_')) return;
    this.turnAway(socket, `the channel is not whole: ${code}`);
  }

  #hasRoomFor(address: string, isLocalOwner: boolean): boolean {
    const { maxConnections, maxConnectionsPerAddress } = this.#services.settings;
    const ofAddress = this.#perAddress.get(address) ?? 0;
    return this.#count < maxConnections && (isLocalOwner || ofAddress < maxConnectionsPerAddress);
  }

  #enter(address: string, socket: Socket): void {
    this.#count += 1;
    this.#perAddress.set(address, (this.#perAddress.get(address) ?? 0) + 1);
    socket.once('close', () => {
      this.#count -= 1;
      const left = this.#perAddress.get(address)! - 1;
      if (left === 0) this.#perAddress.delete(address);
      else this.#perAddress.set(address, left);
    });
  }
}

async function bind(
  server: Server,
  address: SwpAddress,
): Promise<{ readonly url: string; readonly remove: () => Promise<void> }> {
  if ('path' in address) {
    const remove = await listenAtPath(server, address.path, SOCKET_MODE);
    return { url: `unix:${address.path}`, remove };
  }
  const { host, port } = address;
  server.listen(port, host);
  await once(server, 'listening');
  const { port: real } = server.address() as AddressInfo;
  const name = isIPv6(host) ? `[${host}]` : host;
  return { url: `${name}:${real}`, remove: () => Promise.resolve() };
}
