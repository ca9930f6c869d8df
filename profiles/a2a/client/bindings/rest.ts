// Owns the REST binding from the asking side. SPEC.md section 20 (#a2a-client-wires).

import type { JsonValue } from '../../../../src/door/index.ts';
import { isJsonObject, writeJson } from '../../../../src/transport.ts';
import type { GuardedStream } from '../../../../transports/fetch/index.ts';
import { A2A_TYPE, JSON_TYPE } from '../../bindings/media.ts';
import type { OperationName } from '../../operations/inputs.ts';
import type { Asked } from '../asking/asked.ts';
import { restRequestOf } from '../asking/rest-request.ts';
import { restRefusal } from '../reading/read-refusal.ts';
import { eventsOf, isEventStream, jsonOf, refusalBody } from './answer-body.ts';
import type { ClientBinding, HttpBindingOptions, StreamOptions, ToldFrame } from './binding.ts';
import { extensionHeaders, versionHeaders } from './binding.ts';

/** What a refusal inside of a stream counts as. */
const REFUSED = 500;

export function createRestBinding(options: HttpBindingOptions): ClientBinding {
  const { url, tenant, shape, port, limits, caps, apiKey } = options;
  const base = url.replace(/\/+$/, '');

  async function send<Name extends OperationName>(
    operation: Name,
    input: Asked[Name],
    { signal, timeoutMs, extensions, lastEventId }: StreamOptions,
  ): Promise<GuardedStream> {
    const { method, path, body } = restRequestOf(operation, input, shape, tenant);
    const isStream = operation === 'stream' || operation === 'subscribe';
    return port.open({
      method,
      url: `${base}${path}`,
      headers: {
        accept: isStream ? 'text/event-stream' : acceptedBy(shape.name),
        ...(body !== undefined && {
          'content-type': shape.name === 'draft' ? A2A_TYPE : JSON_TYPE,
        }),
        ...versionHeaders(shape),
        ...extensionHeaders(shape, extensions),
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
      ...(body !== undefined && { body: writeJson(body) }),
      timeoutMs,
      signal,
      ...(apiKey !== undefined && { apiKey }),
    });
  }

  async function wholeOf(
    answer: GuardedStream,
    operation: OperationName,
  ): Promise<JsonValue | undefined> {
    const { status } = answer;
    if (status >= 200 && status < 300) return jsonOf(answer, limits);
    throw restRefusal(status, await refusalBody(answer, limits), operation);
  }

  async function* framesOf(
    answer: GuardedStream,
    operation: OperationName,
  ): AsyncGenerator<ToldFrame> {
    for await (const frame of eventsOf(answer, limits, caps)) {
      if (isRefusal(frame.value)) throw restRefusal(REFUSED, frame.value, operation);
      yield frame;
    }
  }

  return {
    ask: async (operation, input, how) => wholeOf(await send(operation, input, how), operation),
    async *stream(operation, input, how) {
      const answer = await send(operation, input, how);
      const isOk = answer.status >= 200 && answer.status < 300;
      // An agent that does not stream may answer with all that there is.
      if (!isOk || !isEventStream(answer)) {
        yield { value: (await wholeOf(answer, operation)) ?? null };
      } else yield* framesOf(answer, operation);
    },
  };
}

function acceptedBy(wire: HttpBindingOptions['shape']['name']): string {
  if (wire === 'v03-rest') return JSON_TYPE;
  return wire === 'draft' ? A2A_TYPE : `${A2A_TYPE}, ${JSON_TYPE}`;
}

/** After the first event there is no status any more: an error is a frame. */
function isRefusal(value: JsonValue): boolean {
  if (!isJsonObject(value)) return false;
  const { error, code, message, type, title } = value;
  if (error !== undefined && isJsonObject(error)) return true;
  const isBare = typeof code === 'number' && typeof message === 'string';
  return isBare || (typeof type === 'string' && typeof title === 'string');
}
