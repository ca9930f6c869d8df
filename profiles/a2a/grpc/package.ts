// Owns loading @grpc/grpc-js, which is optional, and what is used of it. Octets are Buffers in both directions, and a
// context is a SecureContext: the package wants them, but no declaration of ours names types of Node.

/** Names are in lower case. */
export interface Metadata {
  get(name: string): readonly (string | Uint8Array)[];
  set(name: string, value: string | Uint8Array): void;
}

interface GrpcStatus {
  readonly code: number;
  readonly details: string;
  readonly metadata?: Metadata | null;
}

/** One call before any handler of the package: bytes in, bytes out. */
export interface RawCall {
  start(listener: {
    onReceiveMetadata(metadata: Metadata): void;
    onReceiveMessage(message: Uint8Array): void;
    onReceiveHalfClose(): void;
    onCancel(): void;
  }): void;
  /** The next message, or the end of what the client sends. */
  startRead(): void;
  sendMetadata(metadata: Metadata): void;
  /** `callback` is called when it is written; never for a call that is over. */
  sendMessage(message: Uint8Array, callback: () => void): void;
  /** Also called by the package itself, for what it refuses. */
  sendStatus(status: GrpcStatus): void;
  /** The address and port of the other end. */
  getPeer(): string;
}

export interface MethodDefinition {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestSerialize: (bytes: Uint8Array) => Uint8Array;
  readonly requestDeserialize: (bytes: Uint8Array) => Uint8Array;
  readonly responseSerialize: (bytes: Uint8Array) => Uint8Array;
  readonly responseDeserialize: (bytes: Uint8Array) => Uint8Array;
}

/** What is given instead of the call is started. */
export type Interceptor = (
  method: Pick<MethodDefinition, 'path'>,
  call: RawCall,
) => { start(): void };

export interface GrpcServer {
  addService(methods: Readonly<Record<string, MethodDefinition>>, handlers: object): void;
  createConnectionInjector(credentials: object): {
    injectConnection(socket: object): void;
    /** Ends each connection after the calls on it, and whatever is left after `graceMs`. */
    drain(graceMs: number): void;
    destroy(): void;
  };
  forceShutdown(): void;
}

/** A call from the asking side: its messages as they come. Ends with the error of a status that is not OK. */
export interface AskedCall extends AsyncIterable<Uint8Array> {
  on(event: 'metadata', listener: (metadata: Metadata) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  cancel(): void;
}

/** One connection, or none yet. */
interface Channel {
  getConnectivityState(connects: boolean): number;
  watchConnectivityState(state: number, deadline: number, callback: (late?: Error) => void): void;
}

export interface GrpcClient {
  makeServerStreamRequest(
    path: string,
    serialize: (bytes: Uint8Array) => Uint8Array,
    deserialize: (bytes: Uint8Array) => Uint8Array,
    message: Uint8Array,
    metadata: Metadata,
    options: { readonly deadline?: number },
  ): AskedCall;
  getChannel(): Channel;
  close(): void;
}

/** No declaration names the package, because a user of ours may not have it installed. */
export interface Grpc {
  readonly Metadata: new () => Metadata;
  readonly Server: new (
    options: Readonly<Record<string, unknown>> & { readonly interceptors: readonly Interceptor[] },
  ) => GrpcServer;
  readonly ServerCredentials: { createInsecure(): object };
  readonly Client: new (
    target: string,
    credentials: object,
    options: Readonly<Record<string, unknown>>,
  ) => GrpcClient;
  readonly credentials: {
    createInsecure(): object;
    createFromSecureContext(
      context: object,
      verify: { readonly rejectUnauthorized: boolean },
    ): object;
  };
}

export type LoadGrpc = () => Promise<unknown>;

const MISSING =
  'A2A over gRPC needs the package @grpc/grpc-js, which is not installed: run "npm install @grpc/grpc-js", or leave gRPC out';

const loadPackage: LoadGrpc = () => import('@grpc/grpc-js');

/** @param load replaced in tests. */
export async function loadGrpc(load: LoadGrpc = loadPackage): Promise<Grpc> {
  try {
    return (await load()) as Grpc;
  } catch (cause) {
    throw new Error(MISSING, { cause });
  }
}
