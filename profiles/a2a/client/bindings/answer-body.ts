// Owns how the body of an answer becomes JSON, whole or event by event, within limits. SPEC.md section 20
// (#a2a-client-reading, #a2a-client-streams).

import type { JsonValue } from '../../../../src/door/index.ts';
import type { Limits } from '../../../../src/transport.ts';
import { TransportError, readJson } from '../../../../src/transport.ts';
import type { GuardedStream } from '../../../../transports/fetch/index.ts';
import { createSseParser } from '../../../../transports/http/sse.ts';
import { noAnswer } from '../reading/protocol-fault.ts';
import type { StreamCaps, ToldFrame } from './binding.ts';

export function isEventStream({ headers }: GuardedStream): boolean {
  return typeOf(headers['content-type']) === 'text/event-stream';
}

/** `undefined` for a body that is empty. Throws for one that is no JSON. */
export async function jsonOf(
  answer: GuardedStream,
  limits: Limits,
): Promise<JsonValue | undefined> {
  const type = typeOf(answer.headers['content-type']);
  const body = await answer.whole();
  if (body.length === 0) return undefined;
  if (!/^application\/([\w.-]+\+)?json$/.test(type)) {
    throw noAnswer(type === '' ? 'it does not say its type' : `it is of the type ${type}`);
  }
  return parsed(body, limits);
}

/** The same for the body of a refusal: what cannot be read is none. */
export async function refusalBody(
  answer: GuardedStream,
  limits: Limits,
): Promise<JsonValue | undefined> {
  const body = await answer.whole().catch(() => new Uint8Array());
  try {
    return body.length === 0 ? undefined : readJson(body, limits);
  } catch {
    return undefined;
  }
}

/** Ends, too, when nothing came for a while: who wants to know more asks again. */
export async function* eventsOf(
  answer: GuardedStream,
  limits: Limits,
  caps: StreamCaps,
): AsyncGenerator<ToldFrame> {
  try {
    yield* readEvents(answer, limits, caps);
  } catch (thrown) {
    if (!(thrown instanceof TransportError && thrown.fault === 'timeout')) throw thrown;
  }
}

async function* readEvents(
  answer: GuardedStream,
  limits: Limits,
  { idleMs, maxEvents, maxStreamBytes }: StreamCaps,
): AsyncGenerator<ToldFrame> {
  const parser = createSseParser(limits.maxBytes);
  let events = 0;
  let bytes = 0;
  for await (const piece of answer.pieces(idleMs)) {
    bytes += piece.length;
    if (bytes > maxStreamBytes) throw noAnswer(`its stream has more than ${maxStreamBytes} bytes`);
    for (const { id, data } of parser.push(piece)) {
      events += 1;
      if (events > maxEvents) throw noAnswer(`its stream has more than ${maxEvents} events`);
      if (data.length === 0) continue;
      const value = parsed(data, limits);
      yield id === undefined || id === '' ? { value } : { id, value };
    }
  }
}

function parsed(bytes: Uint8Array, limits: Limits): JsonValue {
  try {
    return readJson(bytes, limits);
  } catch {
    throw noAnswer('it is no JSON, or more of it than is read');
  }
}

/** Only what a media type can be: it is shown to people. */
function typeOf(header: string | undefined): string {
  const type = (header ?? '').split(';', 1)[0]!.trim().toLowerCase();
  return /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/.test(type) ? type : '';
}
