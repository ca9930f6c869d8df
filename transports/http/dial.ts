// Owns the way out over HTTP: one POST an exchange, its answer whole or as a stream.
// SPEC.md section 11 (#transport-http).

import type { IncomingMessage } from 'node:http';
import type {
  Connection,
  DialOptions,
  Encoding,
  Incoming,
  JsonValue,
  Limits,
  Outbound,
  TransportFault,
} from '../../src/transport.ts';
import { TransportError, decodeMessage, isJsonObject } from '../../src/transport.ts';
import { createHttpPool, parseHttpUrl } from './client.ts';
import { MEDIA_TYPE, mediaTypeOf, readGeneration } from './sdl/request.ts';
import { readBody } from './body.ts';
import { readLines } from './lines.ts';
import { createSseParser } from './sse.ts';
import { fromStreamText } from './stream-text.ts';
import type { TlsOptions } from '../net/tls-options.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** The other end is full, or a gateway got no answer: both may work at a later try. */
const FAULT_BY_STATUS: ReadonlyMap<number, TransportFault> = new Map([
  [429, 'unreachable'],
  [503, 'unreachable'],
  [502, 'lost'],
  [504, 'lost'],
]);

export interface HttpDialOptions extends DialOptions {
  readonly tls: TlsOptions;
  readonly maxSockets: number;
}

/** Nothing is sent yet: each exchange takes a connection that is free, or makes one. */
export function dialHttp(address: string, options: HttpDialOptions): Connection {
  const url = parseHttpUrl(address);
  const { limits, tls, maxSockets, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const pool = createHttpPool(url.protocol === 'https:', { tls, maxSockets, connectTimeoutMs });
  let isOpen = true;

  function post(outbound: Outbound): Promise<IncomingMessage> {
    if (!isOpen) throw new TransportError('unreachable', 'the connection was closed');
    const { bytes, encoding, wantsStream, afterGeneration, signal } = outbound;
    const plain = MEDIA_TYPE[encoding];
    const headers = {
      'content-type': plain,
      accept: wantsStream ? `text/event-stream, ${plain}` : plain,
      'accept-encoding': 'identity',
      ...(afterGeneration === undefined ? {} : { 'last-event-id': String(afterGeneration) }),
    };
    return pool.call(url, { method: 'POST', headers, body: bytes, signal });
  }

  async function* exchange(outbound: Outbound): AsyncGenerator<Incoming> {
    const response = await post(outbound);
    try {
      if (response.statusCode === 204) {
        throw new TransportError('protocol', 'the other end answered a request with nothing');
      }
      yield* answersIn(response, limits);
    } catch (thrown) {
      throw pool.faultOf(thrown, outbound.signal);
    } finally {
      // If the whole answer was read, this does not close the connection: the next exchange can use it.
      response.destroy();
    }
  }

  return {
    exchange,
    notify: async (outbound) => {
      const response = await post(outbound);
      const status = response.statusCode ?? 0;
      // Nobody needs the answer to an event, but the connection is free only after it was read.
      await readBody(response, limits.maxBytes).catch(() => undefined);
      response.destroy();
      if (status >= 300) throw refused(status);
    },
    get isOpen() {
      return isOpen;
    },
    close: async () => {
      isOpen = false;
      pool.close();
    },
  };
}

async function* answersIn(response: IncomingMessage, limits: Limits): AsyncGenerator<Incoming> {
  const { statusCode: status = 0, headers } = response;
  const type = mediaTypeOf(headers['content-type']);
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new TransportError('protocol', 'the other end compressed its answer unasked');
  }
  if (status === 200 && type === 'text/event-stream') {
    const parser = createSseParser(limits.maxBytes);
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      for (const { id, data } of parser.push(chunk)) {
        const generation = readGeneration(id);
        const incoming = fromStreamText(data);
        yield generation === undefined ? incoming : { ...incoming, generation };
      }
    }
  } else if (status === 200 && type === 'application/x-ndjson') {
    for await (const line of readLines(response, limits.maxBytes)) yield fromStreamText(line);
  } else yield await wholeAnswer(response, status, type, limits);
}

async function wholeAnswer(
  response: IncomingMessage,
  status: number,
  type: string,
  limits: Limits,
): Promise<Incoming> {
  const encoding =
    type === MEDIA_TYPE.json ? 'json' : type === MEDIA_TYPE.cbor ? 'cbor' : undefined;
  if (encoding === undefined || (status >= 300 && status < 400)) throw refused(status);
  const bytes = await readBody(response, limits.maxBytes);
  if (bytes === undefined) throw tooLarge(limits);
  // Other servers answer in JSON too: a status that is no success counts only with an envelope.
  if (status !== 200 && !isErrorEnvelope(bytes, encoding, limits)) throw refused(status);
  return { bytes, encoding };
}

function isErrorEnvelope(bytes: Uint8Array, encoding: Encoding, limits: Limits): boolean {
  let value: JsonValue;
  try {
    value = decodeMessage(bytes, encoding, limits);
  } catch {
    return false;
  }
  return isJsonObject(value) && Object.hasOwn(value, 'ct') && value['ct'] === 'error.v1';
}

function refused(status: number): TransportError {
  const fault = FAULT_BY_STATUS.get(status) ?? 'refused';
  return new TransportError(fault, `the other end answered with status ${status} and no message`);
}

function tooLarge({ maxBytes }: Limits): TransportError {
  return new TransportError('protocol', `the answer is larger than ${maxBytes} bytes`);
}
