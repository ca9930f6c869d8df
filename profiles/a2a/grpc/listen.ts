// Owns the gRPC server: its port, TLS and connections, with both services on it. SPEC.md section 20 (#a2a-grpc).

import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer, isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createServer as createTlsServer } from 'node:tls';
import type { Listener } from '../../../src/transport.ts';
import { refuseUnverified, serverTls } from '../../../transports/net/tls.ts';
import { Waits } from '../../../transports/net/waits.ts';
import { GrpcCall } from './call.ts';
import { GrpcConnections } from './connections.ts';
import type { ResolvedGrpc } from './options.ts';
import type { Grpc, GrpcServer, Interceptor, LoadGrpc, MethodDefinition } from './package.ts';
import { loadGrpc } from './package.ts';
import type { Rpc } from './rpcs.ts';
import { RPCS } from './rpcs.ts';
import type { GrpcService } from './serve.ts';
import { serveCall } from './serve.ts';
import { toldStatus } from './status.ts';

/** How the listener is called where addresses are told. */
const GRPC = 'grpc';

export interface GrpcListener extends Listener {
  /** Where others reach it: `http://HOST:PORT`, with TLS `https://HOST:PORT`. */
  readonly url: string;
}

const HANDSHAKE_TIMEOUT_MS = 10_000;
/** A client that does not answer a ping has gone. */
const PING_EVERY_MS = 60_000;
const PING_TIMEOUT_MS = 20_000;
/** A connection without calls; clients make a new one when they need it. */
const IDLE_MS = 300_000;

/** @param load replaced in tests. */
export async function listenGrpc(
  options: ResolvedGrpc,
  service: GrpcService,
  load?: LoadGrpc,
): Promise<GrpcListener> {
  const grpc = await loadGrpc(load);
  const connections = new GrpcConnections(options.maxConnectionsPerAddress);
  const server = serverOf(grpc, options, service, connections);
  const injector = server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
  const port = portOf(options, connections, (socket) => injector.injectConnection(socket));
  port.maxConnections = options.maxConnections;
  port.listen(options.port, options.host);
  await once(port, 'listening');
  // If a connection cannot be accepted, for example without free file handles, the others go on.
  port.on('error', () => {});

  async function close(graceMs: number): Promise<void> {
    const closed = once(port, 'close');
    port.close();
    injector.drain(graceMs);
    await connections.drain(graceMs);
    await closed;
    injector.destroy();
    server.forceShutdown();
  }
  const { port: real } = port.address() as AddressInfo;
  const name = isIPv6(options.host) ? `[${options.host}]` : options.host;
  const scheme = options.tls === undefined ? 'http' : 'https';
  let closing: Promise<void> | undefined;
  return {
    name: GRPC,
    isFace: true,
    urls: [`${name}:${real}`],
    url: (options.publicUrl ?? `${scheme}://${name}:${real}`).replace(/\/$/, ''),
    close: (graceMs) => (closing ??= close(graceMs)),
  };
}

function serverOf(
  grpc: Grpc,
  options: ResolvedGrpc,
  service: GrpcService,
  connections: GrpcConnections,
): GrpcServer {
  const byPath = new Map(RPCS.map((rpc) => [rpc.path, rpc]));
  const settings = {
    grpc,
    incomplete: new Waits(options.requestTimeoutMs, (call: GrpcCall) => call.giveUpReading()),
    stalled: new Waits(options.stalledWriteTimeoutMs, (call: GrpcCall) => call.giveUpWriting()),
  };
  const intercept: Interceptor = ({ path }, raw) => ({
    start: () => {
      const rpc = byPath.get(path)!;
      const peer = connections.peerOf(raw.getPeer());
      // The connection has ended.
      if (peer === undefined) return;
      const call = new GrpcCall(raw, peer, settings, (error) =>
        toldStatus(error, rpc.profileOf(service.profile, error.kind)),
      );
      void serveCall(call, rpc, service);
    },
  });
  const server = new grpc.Server({
    interceptors: [intercept],
    'grpc.max_receive_message_length': service.context.limits.maxBytes,
    'grpc.max_concurrent_streams': options.maxCallsPerConnection,
    'grpc.keepalive_time_ms': PING_EVERY_MS,
    'grpc.keepalive_timeout_ms': PING_TIMEOUT_MS,
    'grpc.max_connection_idle_ms': IDLE_MS,
    'grpc.enable_channelz': 0,
  });
  server.addService(Object.fromEntries(RPCS.map((rpc) => [rpc.path, methodOf(rpc)])), {});
  return server;
}

/** The package moves bytes only, and calls no handler: the interceptor serves every call. */
function methodOf({ path, isStream }: Rpc): MethodDefinition {
  return {
    path,
    requestStream: false,
    responseStream: isStream,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
}

function same(bytes: Uint8Array): Uint8Array {
  return bytes;
}

function portOf(
  { tls }: ResolvedGrpc,
  connections: GrpcConnections,
  take: (socket: Socket) => void,
): Server {
  const options = { noDelay: true };
  const meet = (socket: Socket): void => {
    connections.know(socket);
    take(socket);
  };
  if (tls === undefined) {
    return createServer(options, (socket) => {
      connections.enter(socket);
      if (!socket.destroyed) meet(socket);
    });
  }
  const server = createTlsServer({
    ...options,
    ...serverTls(tls),
    ALPNProtocols: ['h2'],
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
  });
  server.on('connection', (socket: Socket) => connections.enter(socket));
  return server.on('secureConnection', (socket: TLSSocket) => {
    refuseUnverified(socket);
    if (!socket.destroyed) meet(socket);
  });
}
