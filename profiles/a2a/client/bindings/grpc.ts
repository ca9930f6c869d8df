// Owns the gRPC binding from the asking side. SPEC.md section 20 (#a2a-client-wires, #a2a-client-streams).

import type { JsonObject } from '../../../../src/door/index.ts';
import { TransportError } from '../../../../src/transport.ts';
import { startDeadline } from '../../../../transports/fetch/deadline.ts';
import type { Deadline } from '../../../../transports/fetch/deadline.ts';
import type { Metadata } from '../../grpc/package.ts';
import type { Rpc } from '../../grpc/rpcs.ts';
import type { OperationName } from '../../operations/inputs.ts';
import { readProtobuf } from '../../protobuf/read.ts';
import type { Asked } from '../asking/asked.ts';
import { grpcRequestOf } from '../asking/grpc-request.ts';
import { noAnswer } from '../reading/protocol-fault.ts';
import { A2aRemoteError } from '../remote-error.ts';
import type { ClientBinding, GrpcBindingOptions, StreamOptions, ToldFrame } from './binding.ts';
import { extensionHeaders, versionHeaders } from './binding.ts';
import { failureOf } from './grpc-failure.ts';
import { placeAsked, PlacedFrames } from './grpc-places.ts';

/** The agent is told of a moment shortly after ours: so it is ours that counts. */
const LATER_MS = 1_000;

interface Told {
  readonly value: JsonObject;
  /** Of its bytes. */
  readonly size: number;
  /** Of the first metadata. */
  readonly eventId?: string;
}

interface Asking {
  readonly signal: AbortSignal;
  /** The moment after which nobody waits for the answer. */
  readonly until?: number;
  /** The agent has begun to answer. */
  readonly onHead?: () => void;
}

export function createGrpcBinding(options: GrpcBindingOptions): ClientBinding {
  const { url, tenant, shape, port, limits, caps, apiKey } = options;

  async function* once(
    { rpc, message }: ReturnType<typeof grpcRequestOf>,
    headers: Readonly<Record<string, string>>,
    { signal, until, onHead }: Asking,
  ): AsyncGenerator<Told> {
    const timed = until === undefined ? {} : { deadline: until };
    const opened = await port.open({ url, path: rpc.path, message, headers, signal, ...timed });
    const first: Metadata[] = [];
    opened.call.on('metadata', (metadata) => {
      first.push(metadata);
      onHead?.();
    });
    try {
      for await (const bytes of opened.call) {
        const eventId = first[0]?.get('event-id')[0];
        const value = valueIn(rpc, bytes);
        yield { value, size: bytes.length, ...(typeof eventId === 'string' && { eventId }) };
      }
    } catch (thrown) {
      const { operation } = rpc;
      throw failureOf(thrown, { wasReached: opened.wasReached(), operation, limits });
    } finally {
      opened.close();
    }
  }

  /** A token that is refused is renewed once. */
  async function* ask<Name extends OperationName>(
    operation: Name,
    input: Asked[Name],
    { extensions, lastEventId }: Pick<StreamOptions, 'extensions' | 'lastEventId'>,
    asking: Asking,
  ): AsyncGenerator<Told> {
    const request = grpcRequestOf(operation, input, shape, tenant);
    const { signal } = asking;
    const how = { signal, ...(apiKey !== undefined && { apiKey }) };
    const headers = {
      ...versionHeaders(shape),
      ...extensionHeaders(shape, extensions),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    const shown = await port.proofs.headersFor(url, how);
    let isBegun = false;
    try {
      for await (const told of once(request, { ...headers, ...shown }, asking)) {
        isBegun = true;
        yield told;
      }
    } catch (thrown) {
      const isRefused = thrown instanceof A2aRemoteError && thrown.kind === 'UNAUTHENTICATED';
      if (isBegun || !isRefused || !port.proofs.canRenew(url)) throw thrown;
      const renewed = await port.proofs.headersFor(url, { ...how, refused: shown });
      yield* once(request, { ...headers, ...renewed }, asking);
    }
  }

  function valueIn({ table, response }: Rpc, bytes: Uint8Array): JsonObject {
    try {
      return readProtobuf(table, response, bytes, limits);
    } catch {
      throw noAnswer('it is no message of its call, or more than is read');
    }
  }

  async function* framesOf<Name extends 'stream' | 'subscribe'>(
    operation: Name,
    input: Asked[Name],
    { lastEventId, ...how }: StreamOptions,
    deadline: Deadline,
    onHead: () => void,
  ): AsyncGenerator<ToldFrame> {
    const asked = placeAsked(lastEventId);
    const places = new PlacedFrames(asked);
    const { signal } = deadline;
    const told = ask(operation, input, { ...how, ...asked.header }, { signal, onHead });
    const { idleMs, maxEvents, maxStreamBytes } = caps;
    let events = 0;
    let bytes = 0;
    for await (const { value, size, eventId } of told) {
      // The time that its reader takes is not the agent's.
      deadline.restart();
      events += 1;
      bytes += size;
      if (events > maxEvents) throw noAnswer(`its stream has more than ${maxEvents} events`);
      if (bytes > maxStreamBytes)
        throw noAnswer(`its stream has more than ${maxStreamBytes} bytes`);
      const frame = places.take(value, eventId);
      if (frame !== undefined) yield frame;
      deadline.restart(idleMs);
    }
  }

  return {
    async ask(operation, input, how) {
      const deadline = startDeadline(how.timeoutMs, how.signal);
      const until = Date.now() + how.timeoutMs + LATER_MS;
      const values: JsonObject[] = [];
      return within(deadline, async () => {
        for await (const { value } of ask(operation, input, how, {
          signal: deadline.signal,
          until,
        })) {
          values.push(value);
          if (values.length > 1) throw noAnswer('there is more than one');
        }
        if (values.length === 0) throw noAnswer('there is none');
        return values[0]!;
      });
    },
    async *stream(operation, input, how) {
      const deadline = startDeadline(how.timeoutMs, how.signal);
      let isBegun = false;
      const onHead = (): void => {
        isBegun = true;
        deadline.restart(caps.idleMs);
      };
      try {
        yield* framesOf(operation, input, how, deadline, onHead);
      } catch (thrown) {
        const { reason, aborted } = deadline.signal;
        const error: unknown = aborted ? reason : thrown;
        // Silence ends it: who wants to know more asks again.
        const isSilence = error instanceof TransportError && error.fault === 'timeout';
        if (!isBegun || !isSilence) throw error;
      } finally {
        deadline.stop();
      }
    },
  };
}

/** After an abort the call fails too: the abort is the real reason. */
async function within<T>(deadline: Deadline, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    deadline.signal.throwIfAborted();
    throw thrown;
  } finally {
    deadline.stop();
  }
}
