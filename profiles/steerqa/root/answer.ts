// Owns reading an agent's answer within limits: one object, lines, or server-sent events. SPEC.md section 18 (#steerqa-root).

import { readJson } from '../../../src/transport.ts';
import type { JsonValue } from '../../../src/transport.ts';
import { transportFailure } from './failure.ts';

/** What of a response of `fetch` is read. */
export interface AnswerBody {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** The messages of the answer, in order. Throws a `SteerqaFailure` for what is none. */
export async function* messagesIn(
  { status, headers, body }: AnswerBody,
  maxBytes: number,
): AsyncGenerator<JsonValue, undefined> {
  const type = (headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();
  const isWhole = type === 'application/json';
  if (!isWhole && type !== 'application/x-ndjson' && type !== 'text/event-stream') {
    throw transportFailure('the answer is no message of SteerQA', status);
  }
  if (isWhole) {
    let whole = '';
    for await (const text of texts(body)) {
      whole += text;
      if (whole.length > maxBytes) throw transportFailure('the answer is too large', status);
    }
    yield parsed(whole, status);
    return undefined;
  }
  const isEvents = type === 'text/event-stream';
  let data = '';
  for await (const line of linesIn(body, maxBytes)) {
    if (!isEvents) {
      if (line.trim() !== '') yield parsed(line, status);
      continue;
    }
    if (line.startsWith('data:')) data += line.slice(5);
    if (data.length > maxBytes) throw transportFailure('an event is too large', status);
    if (line !== '' || data === '') continue;
    yield parsed(data, status);
    data = '';
  }
  return undefined;
}

function parsed(text: string, status: number): JsonValue {
  try {
    return readJson(new TextEncoder().encode(text));
  } catch (cause) {
    throw transportFailure('the answer is no JSON', status, cause);
  }
}

async function* texts(body: AnswerBody['body']): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of body ?? []) yield decoder.decode(chunk, { stream: true });
}

/** Without their ends. The last one may have none: a message that was cut off is no JSON. */
async function* linesIn(body: AnswerBody['body'], maxBytes: number): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts(body)) {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop()!;
    yield* lines;
    if (rest.length > maxBytes) throw transportFailure('a line is too large');
  }
  if (rest !== '') yield rest;
}
