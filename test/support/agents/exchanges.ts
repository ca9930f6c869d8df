// Owns small messages and a listening end that is no runtime, to test transports with: they look only at what tells
// which request an answer belongs to.

import { decodeMessage } from '../../../src/envelope/decode.ts';
import type { Encoding } from '../../../src/envelope/decode.ts';
import { writeCbor } from '../../../src/codec/cbor/write.ts';
import { writeJson } from '../../../src/codec/json/write.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import type { SdlError } from '../../../src/errors.ts';
import type { Limits } from '../../../src/limits.ts';
import { resolveLimits } from '../../../src/limits.ts';
import type {
  Inbound,
  Incoming,
  ListenContext,
  Outbound,
  Receive,
  Reply,
} from '../../../src/transport.ts';
import { TransportError } from '../../../src/transport.ts';
import { FACE_CONTEXT } from './face-context.ts';

/** A request or event on its way out; its span is `span-<id>`. */
export function outbound(
  id: string,
  members: JsonObject = {},
  { encoding = 'json', signal = new AbortController().signal }: Partial<Outbound> = {},
): Outbound {
  const spanId = `span-${id}`;
  const message = { id, type: 'req', trace: { span_id: spanId }, ...members };
  return { bytes: encode(message, encoding), encoding, id, spanId, wantsStream: true, signal };
}

export function encode(message: JsonObject, encoding: Encoding = 'json'): Uint8Array {
  return encoding === 'json' ? writeJson(message) : writeCbor(message);
}

export function read({ bytes, encoding }: Incoming): JsonObject {
  return decodeMessage(bytes, encoding) as JsonObject;
}

export function reply(members: JsonObject, encoding: Encoding = 'json'): Reply {
  const type = members['type'] === 'evt' ? 'evt' : 'res';
  return { bytes: encode({ type, ...members }, encoding), encoding, type, status: 200 };
}

/** Answers every request with its own `id` as `re`, in its encoding. */
export const echo: Receive = async function* (inbound) {
  const { id, type } = read(inbound);
  if (type === 'req') yield reply({ re: id! }, inbound.encoding);
};

/** What a transport listens with. What it refuses is answered with the code. */
export function contextFor(receive: Receive, limits: Partial<Limits> = {}): ListenContext {
  return {
    receive,
    limits: resolveLimits(limits),
    refuse: (error: SdlError) => Promise.resolve(reply({ code: error.code })),
    isReady: async () => true,
    agentDocument: () => Promise.resolve(encode({})),
    metrics: () => '',
    ...FACE_CONTEXT,
  };
}

/** Holds every request until the test answers it. */
export interface HeldRequests {
  readonly receive: Receive;
  /** The request with this id, once it has come. */
  arrival(id: string): Promise<HeldRequest>;
  /** How many have come. */
  readonly count: number;
}

interface HeldRequest {
  readonly inbound: Inbound;
  answer(...replies: readonly Reply[]): void;
}

export function holdRequests(): HeldRequests {
  const arrived = new Map<string, HeldRequest>();
  const waiting = new Map<string, (request: HeldRequest) => void>();
  return {
    get count() {
      return arrived.size;
    },
    arrival: (id) =>
      new Promise((resolve) => {
        const there = arrived.get(id);
        if (there === undefined) waiting.set(id, resolve);
        else resolve(there);
      }),
    async *receive(inbound) {
      const id = read(inbound)['id'] as string;
      yield* await new Promise<readonly Reply[]>((resolve) => {
        const request = { inbound, answer: (...replies: readonly Reply[]) => resolve(replies) };
        inbound.signal.addEventListener('abort', () => resolve([]), { once: true });
        arrived.set(id, request);
        waiting.get(id)?.(request);
      });
    },
  };
}

export async function all(answers: AsyncIterable<Incoming>): Promise<JsonObject[]> {
  const messages: JsonObject[] = [];
  for await (const answer of answers) messages.push(read(answer));
  return messages;
}

/** How this failed; anything but a TransportError is a failure of the test. */
export async function faultOf(work: Promise<unknown>): Promise<TransportError['fault']> {
  const thrown: unknown = await work.then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  );
  if (thrown instanceof TransportError) return thrown.fault;
  throw thrown;
}

export function aborting(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Looks again at every turn of the event loop. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

export function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
