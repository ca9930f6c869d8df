// Owns a plain client of gRPC for tests: messages coded by a protobuf runtime that others wrote, and all that came back
// beside them.

import type { JsonValue as Foreign } from '@bufbuild/protobuf';
import { fromBinary, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import type { CallOptions, ChannelCredentials, ServiceError } from '@grpc/grpc-js';
import { Client, Metadata, credentials, status as Status } from '@grpc/grpc-js';
import { onTestFinished } from 'vitest';

import { V03 } from '../../../profiles/a2a/fields/v03.ts';
import { V1 } from '../../../profiles/a2a/fields/v1.ts';
import { defineTable } from '../../../profiles/a2a/fields/table.ts';
import { TOKENS } from './agent.ts';
import type { Json } from './ask.ts';
import { registryOf, schemaOf } from './descriptor.ts';

type GrpcVersion = '1.0' | '0.3';

const TABLES = { '1.0': V1, '0.3': V03 } as const;
const REGISTRIES = { '1.0': registryOf(V1), '0.3': registryOf(V03) } as const;

/** As `google.rpc` has them. */
const RPC = defineTable({
  package: 'google.rpc',
  enums: {},
  messages: {
    Status: { code: [1, 'int32'], message: [2, 'string'], details: [3, 'Any[]'] },
    Any: { typeUrl: [1, 'string'], value: [2, 'bytes'] },
    ErrorInfo: {
      reason: [1, 'string'],
      domain: [2, 'string'],
      metadata: [3, 'map<string,string>'],
    },
    BadRequest: { fieldViolations: [1, 'FieldViolation[]'] },
    FieldViolation: { field: [1, 'string'], description: [2, 'string'] },
    RetryInfo: { retryDelay: [1, 'Duration'] },
    Duration: { seconds: [1, 'int64'], nanos: [2, 'int32'] },
  },
});
const RPC_REGISTRY = registryOf(RPC);

export interface GrpcAsk {
  /** The name of the caller. @default nobody */
  readonly as?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly deadline?: number | Date;
  /** As they are, instead of the request. */
  readonly bytes?: Uint8Array;
}

export interface GrpcAnswer {
  /** The name of the status. */
  readonly status: string;
  readonly words: string;
  /** `undefined` where it was refused. */
  readonly body: Json | undefined;
  /** Of `grpc-status-details-bin`, as JSON. */
  readonly details: readonly Json[];
  /** Of the first of them. */
  readonly reason: string;
  readonly detailBytes: Buffer;
  /** What was said before the answer, and behind it. */
  readonly initial: Metadata;
  readonly trailing: Metadata;
}

/** What came of a stream. */
type GrpcEnd = Omit<GrpcAnswer, 'body'>;

export interface GrpcStream extends AsyncIterable<Json> {
  readonly end: Promise<GrpcEnd>;
  readonly initial: Promise<Metadata>;
  cancel(): void;
}

const same = (bytes: Buffer): Buffer => bytes;

export class GrpcClient {
  readonly version: GrpcVersion;
  readonly raw: Client;

  constructor(
    address: string,
    version: GrpcVersion = '1.0',
    secure: ChannelCredentials = credentials.createInsecure(),
  ) {
    this.version = version;
    this.raw = new Client(address, secure, { 'grpc.max_receive_message_length': -1 });
  }

  close(): void {
    this.raw.close();
  }

  /** Never rejects. */
  ask(method: string, request: Json = {}, given: GrpcAsk = {}): Promise<GrpcAnswer> {
    const { path, bytes, metadata, options } = this.#prepare(method, request, given);
    return new Promise((resolve) => {
      let initial = new Metadata();
      let trailing = new Metadata();
      let answer: { error: ServiceError | null; body: Json | undefined } | undefined;
      const call = this.raw.makeUnaryRequest(
        path,
        same,
        same,
        bytes,
        metadata,
        options,
        (error, message) => {
          answer = { error, body: message && this.#read(this.#service(method).response, message) };
        },
      );
      call.on('metadata', (received: Metadata) => (initial = received));
      call.on('status', ({ metadata: received, code, details }) => {
        trailing = received;
        // The answer is told before or behind its status.
        setImmediate(() => {
          const body = answer?.error === null ? answer.body : undefined;
          resolve({ ...endOf(code, details, initial, trailing), body });
        });
      });
    });
  }

  stream(method: string, request: Json = {}, given: GrpcAsk = {}): GrpcStream {
    const { path, bytes, metadata, options } = this.#prepare(method, request, given);
    const call = this.raw.makeServerStreamRequest(path, same, same, bytes, metadata, options);
    const received = new Metadata();
    const initial = new Promise<Metadata>((resolve) => {
      call.on('metadata', (first: Metadata) => {
        received.merge(first);
        resolve(first);
      });
    });
    const end = new Promise<GrpcEnd>((resolve) => {
      call.on('status', ({ code, details, metadata: trailing }) =>
        resolve(endOf(code, details, received, trailing)),
      );
    });
    call.on('error', () => undefined);
    const read = (message: Buffer): Json => this.#read('StreamResponse', message);
    return {
      end,
      initial,
      cancel: () => call.cancel(),
      async *[Symbol.asyncIterator]() {
        try {
          for await (const message of call) yield read(message as Buffer);
        } catch {
          // Told by its end.
        }
      },
    };
  }

  #service(method: string): { readonly request: string; readonly response: string } {
    return TABLES[this.version].service[method]!;
  }

  #read(message: string, bytes: Buffer): Json {
    const schema = schemaOf(REGISTRIES[this.version], TABLES[this.version], message);
    return toJson(schema, fromBinary(schema, bytes));
  }

  #prepare(
    method: string,
    request: Json,
    { as, metadata: given = {}, deadline, bytes }: GrpcAsk,
  ): {
    readonly path: string;
    readonly bytes: Buffer;
    readonly metadata: Metadata;
    readonly options: CallOptions;
  } {
    const table = TABLES[this.version];
    const metadata = new Metadata();
    if (as !== undefined) metadata.set('authorization', `Bearer ${TOKENS[as] ?? as}`);
    for (const [name, value] of Object.entries(given)) metadata.set(name, value);
    return {
      path: `/${table.package}.A2AService/${method}`,
      bytes: Buffer.from(bytes ?? this.#write(this.#service(method).request, request)),
      metadata,
      options: deadline === undefined ? {} : { deadline },
    };
  }

  #write(message: string, request: Json): Uint8Array {
    const schema = schemaOf(REGISTRIES[this.version], TABLES[this.version], message);
    return toBinary(schema, fromJson(schema, request as Foreign));
  }
}

/** Closed after the test. */
export function grpcClient(...given: ConstructorParameters<typeof GrpcClient>): GrpcClient {
  const client = new GrpcClient(...given);
  onTestFinished(() => client.close());
  return client;
}

function endOf(code: number, words: string, initial: Metadata, trailing: Metadata): GrpcEnd {
  const [detailBytes = Buffer.alloc(0)] = trailing.get('grpc-status-details-bin') as Buffer[];
  const details = detailsIn(detailBytes);
  const [first] = details as readonly { readonly reason?: string }[];
  const reason = first?.reason ?? '';
  return { status: Status[code]!, words, details, reason, detailBytes, initial, trailing };
}

function detailsIn(bytes: Buffer): readonly Json[] {
  if (bytes.length === 0) return [];
  const { details = [] } = jsonOf('Status', bytes) as {
    readonly details?: readonly { readonly typeUrl: string; readonly value?: string }[];
  };
  return details.map(({ typeUrl, value = '' }) => {
    const name = typeUrl.replace('type.googleapis.com/google.rpc.', '');
    const detail = jsonOf(name, Buffer.from(value, 'base64'));
    return Object.assign({ '@type': typeUrl }, detail);
  });
}

function jsonOf(message: string, bytes: Uint8Array): Json {
  const schema = schemaOf(RPC_REGISTRY, RPC, message);
  return toJson(schema, fromBinary(schema, bytes));
}

export async function framesOf(stream: GrpcStream): Promise<Json[]> {
  const frames: Json[] = [];
  for await (const frame of stream) frames.push(frame);
  return frames;
}
