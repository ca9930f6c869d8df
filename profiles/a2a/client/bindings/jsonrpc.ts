// Owns the JSON-RPC binding from the asking side. SPEC.md section 20 (#a2a-client-wires).

import type { JsonObject, JsonValue } from '../../../../src/door/index.ts';
import { isJsonObject, writeJson } from '../../../../src/transport.ts';
import type { GuardedStream } from '../../../../transports/fetch/index.ts';
import { methodOf } from '../../bindings/methods.ts';
import { JSON_TYPE } from '../../bindings/media.ts';
import type { OperationName } from '../../operations/inputs.ts';
import type { Asked } from '../asking/asked.ts';
import { paramsOf } from '../asking/params.ts';
import { noAnswer } from '../reading/protocol-fault.ts';
import { restRefusal, rpcRefusal } from '../reading/read-refusal.ts';
import { eventsOf, isEventStream, jsonOf, refusalBody } from './answer-body.ts';
import type { AskOptions, ClientBinding, HttpBindingOptions, StreamOptions } from './binding.ts';
import { extensionHeaders, versionHeaders } from './binding.ts';

export function createJsonRpcBinding(options: HttpBindingOptions): ClientBinding {
  const { url, tenant, shape, port, limits, caps, apiKey } = options;
  const wire = shape.name;
  if (wire === 'v03-rest') throw new TypeError('this wire is not spoken over JSON-RPC');
  let asked = 0;

  async function post<Name extends OperationName>(
    operation: Name,
    input: Asked[Name],
    { signal, timeoutMs, extensions, lastEventId }: StreamOptions,
  ): Promise<{ readonly id: number; readonly answer: GuardedStream }> {
    const id = (asked += 1);
    const method = methodOf(wire as Exclude<typeof wire, 'v03-rest'>, operation);
    const params = paramsOf(operation, input, shape, tenant);
    const isStream = operation === 'stream' || operation === 'subscribe';
    const answer = await port.open({
      method: 'POST',
      url,
      headers: {
        'content-type': JSON_TYPE,
        accept: isStream ? `text/event-stream, ${JSON_TYPE}` : JSON_TYPE,
        ...versionHeaders(shape),
        ...extensionHeaders(shape, extensions),
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
      body: writeJson({ jsonrpc: '2.0', id, method, params }),
      timeoutMs,
      signal,
      ...(apiKey !== undefined && { apiKey }),
    });
    return { id, answer };
  }

  /** All of an answer that is no stream. */
  async function wholeOf(
    id: number,
    answer: GuardedStream,
    operation: OperationName,
  ): Promise<JsonValue | undefined> {
    const { status } = answer;
    if (status >= 200 && status < 300) return resultOf(id, await jsonOf(answer, limits), status);
    const body = await refusalBody(answer, limits);
    const error = body !== undefined && isJsonObject(body) ? body['error'] : undefined;
    if (error !== undefined && isJsonObject(error)) throw rpcRefusal(error, status);
    throw restRefusal(status, body, operation);
  }

  return {
    async ask(operation, input, how: AskOptions) {
      const { id, answer } = await post(operation, input, how);
      return wholeOf(id, answer, operation);
    },
    async *stream(operation, input, how) {
      const { id, answer } = await post(operation, input, how);
      const isOk = answer.status >= 200 && answer.status < 300;
      if (!isOk || !isEventStream(answer)) {
        // An agent that does not stream may answer with all that there is.
        yield { value: (await wholeOf(id, answer, operation)) ?? null };
        return;
      }
      for await (const { value, ...event } of eventsOf(answer, limits, caps)) {
        yield { ...event, value: resultOf(id, value, answer.status) ?? null };
      }
    },
  };
}

/** Throws for an answer to another request, and for a refusal. */
function resultOf(id: number, body: JsonValue | undefined, status: number): JsonValue | undefined {
  if (body === undefined || !isJsonObject(body)) throw noAnswer('it is no answer of JSON-RPC');
  const { error, result } = body;
  const isRefusal = error !== undefined && error !== null;
  if (!isAnswerTo(id, body, isRefusal)) throw noAnswer('it answers another request');
  if (!isRefusal) return result;
  throw isJsonObject(error) ? rpcRefusal(error, status) : noAnswer('its error is no object');
}

/** Who could not read a request does not know its id. */
function isAnswerTo(asked: number, { id }: JsonObject, isRefusal: boolean): boolean {
  return id === asked || (isRefusal && (id === null || id === undefined));
}
