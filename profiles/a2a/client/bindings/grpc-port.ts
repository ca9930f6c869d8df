// Owns calls of gRPC to an agent: guarded, each on a connection of its own, with the secrets of their origin alone.
// SPEC.md section 20 (#a2a-client-secrets, #a2a-client-connect).

import type { VettedPlace } from '../../../../transports/fetch/guarded.ts';
import { createVetting } from '../../../../transports/fetch/guarded.ts';
import type { GuardedFetchOptions } from '../../../../transports/fetch/index.ts';
import type { AskedCall, Grpc, GrpcClient } from '../../grpc/package.ts';
import { loadGrpc } from '../../grpc/package.ts';
import type { Proofs } from '../credentials/proofs.ts';
import { typedFor } from './http-port.ts';

interface GrpcCallRequest {
  /** `http` or `https`, host and port. */
  readonly url: string;
  readonly path: string;
  readonly message: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** The moment after which nobody waits for the answer. @default none: a stream */
  readonly deadline?: number;
}

interface OpenedCall {
  readonly call: AskedCall;
  /** Was there ever a connection? Before there is one, nothing of the call is sent. */
  wasReached(): boolean;
  /** Ends the call and its connection. */
  close(): void;
}

export interface GrpcPort {
  /** @param headers what proves who asks: {@link GrpcPort.proofs}. Throws a TransportError. */
  open(request: GrpcCallRequest): Promise<OpenedCall>;
  readonly proofs: Proofs;
}

export interface GrpcPortOptions {
  /** Addresses that the operator typed: only at their hosts may anything be private. */
  readonly typedUrls: readonly string[];
  readonly proofs: Proofs;
  readonly maxBytes: number;
  readonly fetch: Pick<GuardedFetchOptions, 'ca' | 'lookup' | 'ports' | 'allowRanges'>;
}

const READY = 2;
const SHUTDOWN = 4;

export function createGrpcPort(options: GrpcPortOptions): GrpcPort {
  const { typedUrls, proofs, maxBytes, fetch } = options;
  return {
    proofs,
    async open({ url, path, message, headers, signal, deadline }) {
      const grpc = await loadGrpc();
      const clientCertificate = proofs.certificateFor(url);
      const vet = createVetting({ ...fetch, ...(clientCertificate && { clientCertificate }) });
      const place = await vet(url, typedFor(url, typedUrls), signal);
      signal.throwIfAborted();
      const client = clientTo(grpc, place, maxBytes);
      const metadata = new grpc.Metadata();
      for (const name of Object.keys(headers)) metadata.set(name, headers[name]!);
      const wasReached = watch(client);
      const timed = deadline === undefined ? {} : { deadline };
      const call = client.makeServerStreamRequest(path, same, same, message, metadata, timed);
      // Who reads it is told; after that there is nobody.
      call.on('error', () => {});
      const close = (): void => {
        signal.removeEventListener('abort', close);
        call.cancel();
        client.close();
      };
      signal.addEventListener('abort', close, { once: true });
      return { call, wasReached, close };
    },
  };
}

function clientTo(grpc: Grpc, place: VettedPlace, maxBytes: number): GrpcClient {
  const { target, addresses, secureContext } = place;
  const { host, port, isSecure } = target;
  const { family } = addresses[0]!;
  const name = host.includes(':') ? `[${host}]` : host;
  const listed = addresses
    .filter((one) => one.family === family)
    .map(({ address }) => (family === 6 ? `[${address}]:${port}` : `${address}:${port}`));
  const credentials = isSecure
    ? grpc.credentials.createFromSecureContext(secureContext, { rejectUnauthorized: true })
    : grpc.credentials.createInsecure();
  return new grpc.Client(`ipv${family}:${listed.join(',')}`, credentials, {
    'grpc.default_authority': `${name}:${port}`,
    ...(isSecure && { 'grpc.ssl_target_name_override': host }),
    'grpc.max_receive_message_length': maxBytes,
    // A message is never sent twice, to no other place and by no other way.
    'grpc.enable_retries': 0,
    'grpc.enable_http_proxy': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_channelz': 0,
  });
}

function watch(client: GrpcClient): () => boolean {
  const channel = client.getChannel();
  let isReached = false;
  const look = (): void => {
    const state = channel.getConnectivityState(false);
    isReached ||= state === READY;
    if (!isReached && state !== SHUTDOWN) channel.watchConnectivityState(state, Infinity, look);
  };
  look();
  return () => isReached;
}

function same(bytes: Uint8Array): Uint8Array {
  return bytes;
}
