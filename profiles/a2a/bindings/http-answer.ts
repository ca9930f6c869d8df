// Owns how both bindings over HTTP tell what came of a request: an answer, or a stream of server-sent events.
// SPEC.md section 20 (#a2a-streams).

import type { JsonObject, JsonValue } from '../../../src/door/index.ts';
import { writeJsonText } from '../../../src/transport.ts';
import type { HttpCall, HttpEvent } from '../../../transports/http/index.ts';
import type { A2aError } from '../errors/a2a-error.ts';
import { toA2aError } from '../errors/a2a-error.ts';
import type { Performed } from '../operations/perform.ts';
import type { Asked, Exchange } from './exchange.ts';

/** How a binding writes what comes back. */
export interface Writer {
  answer(body: JsonValue, headers: Readonly<Record<string, string>>): Promise<void>;
  frame(data: JsonObject): JsonObject;
  refusal(error: A2aError): HttpEvent;
  /** Is this told in a stream even where it is refused before the first event? */
  tellsInStream(error: A2aError): boolean;
}

/** What came of a request, and how it is written. What was thrown is told by a stream that ends with it. */
export interface Begun {
  readonly performed: Performed | { readonly thrown: unknown };
  readonly writer: Writer;
}

/** For {@link tellHttp}: nothing of the request is held while it is told what came of it. */
export async function beginHttp(exchange: Exchange, asked: Asked, writer: Writer): Promise<Begun> {
  try {
    return { performed: await exchange.perform(asked), writer };
  } catch (thrown) {
    if (!writer.tellsInStream(toA2aError(thrown))) throw thrown;
    return { performed: { thrown }, writer };
  }
}

export async function tellHttp(
  http: HttpCall,
  exchange: Exchange,
  { performed, writer }: Begun,
): Promise<void> {
  if ('body' in performed) return writer.answer(performed.body, exchange.echoed);
  const events = http.events(exchange.echoed);
  try {
    if ('thrown' in performed) throw performed.thrown;
    for await (const { data, generation } of performed.frames) {
      if (data === undefined) events.begin();
      else {
        const id = generation === undefined ? {} : { id: generation };
        await events.send({ data: writeJsonText(writer.frame(data)), ...id });
      }
    }
  } catch (thrown) {
    if (!events.hasBegun && !writer.tellsInStream(toA2aError(thrown))) throw thrown;
    await events.send(writer.refusal(exchange.told(thrown)));
  }
  await events.end();
}

/** What HTTP says beside a refusal. */
export function refusalHeaders(error: A2aError): Readonly<Record<string, string>> {
  const { allow, challenge, isRetryable } = error;
  return {
    ...(challenge !== undefined && { 'www-authenticate': challenge }),
    ...(allow !== undefined && { allow: allow.join(', ') }),
    ...(isRetryable && { 'retry-after': '1' }),
  };
}
