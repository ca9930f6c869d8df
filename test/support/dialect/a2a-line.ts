// Owns what the driver of official A2A asks of a binding, and the two over HTTP: JSON-RPC and REST.

import type { JsonObject } from '../../../src/door/index.ts';
import { readJson, writeJson } from '../../../src/transport.ts';
import { GONE, Refused } from './caller.ts';

export type A2aBinding = 'jsonrpc' | 'rest' | 'grpc';

interface Call {
  readonly method: string;
  /** Of REST: method and path. */
  readonly rest: readonly [string, string];
  readonly params: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A frame of a stream, and where it stands in the log. */
interface Placed {
  readonly frame: JsonObject;
  readonly generation: number;
}

/** These throw {@link Refused}. */
export interface A2aLine {
  read(call: Call): Promise<JsonObject>;
  frames(call: Call): AsyncGenerator<Placed>;
  close(): void;
}

export interface A2aWay {
  /** Of HTTP the origin, of gRPC host and port. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** As large as a test makes it. */
const LIMITS = { maxBytes: 16_000_000, maxStringBytes: 16_000_000 };

export function httpLine(binding: 'jsonrpc' | 'rest', way: A2aWay): A2aLine {
  const isRpc = binding === 'jsonrpc';
  const open = new AbortController();

  async function ask({ method, rest, params, headers = {}, signal }: Call): Promise<Response> {
    const [verb, path] = isRpc ? ['POST', '/rpc'] : rest;
    const body = isRpc ? { jsonrpc: '2.0', id: 1, method, params } : params;
    const isSent = verb === 'POST';
    const response = await fetch(`${way.address}${path}`, {
      method: verb,
      headers: {
        'a2a-version': '1.0',
        ...(isSent && { 'content-type': 'application/json' }),
        ...way.headers,
        ...headers,
      },
      signal: AbortSignal.any([open.signal, ...(signal === undefined ? [] : [signal])]),
      ...(isSent && { body: writeJson(body) }),
    }).catch((cause: unknown) => {
      throw open.signal.aborted || signal?.aborted === true ? cause : new Refused(GONE, true, '');
    });
    if (response.headers.get('content-type') === 'text/event-stream') return response;
    if (!isRpc && response.ok) return response;
    const text = await response.clone().text();
    const value = readJson(new TextEncoder().encode(text), LIMITS) as JsonObject;
    if (value['error'] !== undefined) throw refusedOf(value, text);
    return response;
  }

  function placed(lines: string): Placed | undefined {
    const data = /^data: (.*)$/m.exec(lines)?.[1];
    if (data === undefined) return undefined;
    const value = readJson(new TextEncoder().encode(data), LIMITS) as JsonObject;
    if (value['error'] !== undefined) throw refusedOf(value, data);
    const generation = Number(/^id: (\d+)$/m.exec(lines)?.[1]);
    return { frame: (isRpc ? value['result'] : value) as JsonObject, generation };
  }

  return {
    read: async (call) => {
      const response = await ask(call);
      const value = readJson(new Uint8Array(await response.arrayBuffer()), LIMITS) as JsonObject;
      return isRpc ? (value['result'] as JsonObject) : value;
    },
    async *frames(call) {
      const { body } = await ask(call);
      const decoder = new TextDecoder();
      let text = '';
      for await (const chunk of body!) {
        text += decoder.decode(chunk, { stream: true });
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const one = placed(text.slice(0, end));
          text = text.slice(end + 2);
          if (one !== undefined) yield one;
        }
      }
    },
    close: () => open.abort(),
  };
}

function refusedOf({ error }: JsonObject, text: string): Refused {
  const { data, details = data } = error as unknown as Record<string, readonly JsonObject[]>;
  const reason = details?.find((detail) => detail['reason'] !== undefined)?.['reason'];
  const isRetryable = details?.some((detail) => (detail['@type'] as string).endsWith('RetryInfo'));
  return new Refused(reason as string, isRetryable === true, text);
}
