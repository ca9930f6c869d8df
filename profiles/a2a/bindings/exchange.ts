// Owns one request from its admission to its answer, as both bindings over HTTP need it: who asks, what is told of a
// refusal, and how a stream is told. SPEC.md section 20 (#a2a-streams, #a2a-callers).

import type { CallContext, JsonObject } from '../../../src/door/index.ts';
import { SdlError } from '../../../src/door/index.ts';
import type { ListenContext } from '../../../src/transport.ts';
import { writeJson } from '../../../src/transport.ts';
import type { HttpCall, HttpEvent } from '../../../transports/http/index.ts';
import { A2aError, toA2aError } from '../errors/a2a-error.ts';
import type { Profile } from '../errors/kinds.ts';
import type { Desk } from '../operations/desk.ts';
import type { Performed, Request } from '../operations/perform.ts';
import { perform } from '../operations/perform.ts';
import { FACE } from '../operations/send.ts';
import { callOf, extensionsIn } from './caller.ts';

export interface Service {
  readonly context: ListenContext;
  readonly desk: Desk;
  readonly profile: Profile;
}

/** How a binding writes what comes back. */
export interface Writer {
  answer(body: JsonObject, headers: Readonly<Record<string, string>>): Promise<void>;
  frame(data: JsonObject): JsonObject;
  refusal(error: A2aError): HttpEvent;
  /** Also what is refused before the first event is told in a stream. */
  readonly isAlwaysStream: boolean;
}

type Asked = Omit<Request, 'call' | 'extensions'>;

export class Exchange {
  readonly http: HttpCall;
  readonly service: Service;
  #call: CallContext | undefined;
  /** What is asked, once that is known. */
  #operation = 'request';

  constructor(http: HttpCall, service: Service) {
    this.http = http;
    this.service = service;
  }

  /** Throws what the face refuses by itself as an {@link A2aError}. */
  async identify(): Promise<CallContext> {
    this.#call = await callOf(this.http, this.service.context);
    return this.#call;
  }

  async perform(asked: Asked, writer: Writer): Promise<void> {
    const { http, service } = this;
    const extensions = extensionsIn(http);
    this.#operation = asked.operation;
    const lastEventId = http.headers['last-event-id'];
    const request = { ...asked, call: this.#call!, extensions, lastEventId };
    const headers = this.#echoed(extensions);
    if (!writer.isAlwaysStream) {
      return this.#tell(await perform(service.desk, request), writer, headers);
    }
    const performed = await perform(service.desk, request).catch((thrown: unknown) => ({ thrown }));
    if (!('thrown' in performed)) return this.#tell(performed, writer, headers);
    const events = http.events(headers);
    await events.send(writer.refusal(this.told(performed.thrown)));
    await events.end();
  }

  /** In the words of A2A. What the door has not told is told here. */
  told(thrown: unknown): A2aError {
    const { context } = this.service;
    const error = toA2aError(thrown);
    if (thrown instanceof A2aError) {
      context.refused({
        face: FACE,
        operation: this.#operation,
        code: error.kind,
        error: error.error,
        ...(this.#call !== undefined && { from: this.#call.principal.id }),
      });
    } else if (!(thrown instanceof SdlError)) context.onError(thrown);
    return error;
  }

  async #tell(
    performed: Performed,
    writer: Writer,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    if ('body' in performed) return writer.answer(performed.body, headers);
    const events = this.http.events(headers);
    try {
      for await (const { data, generation } of performed.frames) {
        if (data === undefined) events.begin();
        else {
          const id = generation === undefined ? {} : { id: generation };
          await events.send({ data: writeJson(writer.frame(data)), ...id });
        }
      }
    } catch (thrown) {
      if (!events.hasBegun && !writer.isAlwaysStream) throw thrown;
      await events.send(writer.refusal(this.told(thrown)));
    }
    await events.end();
  }

  /** Those that were asked for and are known here. */
  #echoed(asked: ReadonlySet<string>): Readonly<Record<string, string>> {
    const { extensions } = this.service.desk.rules;
    const active = extensions.filter(({ uri }) => asked.has(uri)).map(({ uri }) => uri);
    return active.length === 0 ? {} : { 'a2a-extensions': active.join(', ') };
  }
}

/** What HTTP says beside a refusal. */
export function refusalHeaders(error: A2aError): Readonly<Record<string, string>> {
  const { kind, allow, isRetryable } = error;
  return {
    ...(kind === 'UNAUTHENTICATED' && { 'www-authenticate': 'Bearer realm="a2a"' }),
    ...(kind === 'PERMISSION_DENIED' && {
      'www-authenticate': 'Bearer realm="a2a", error="insufficient_scope"',
    }),
    ...(allow !== undefined && { allow: allow.join(', ') }),
    ...(isRetryable && { 'retry-after': '1' }),
  };
}
