// Owns short ways to ask the conformance agent, over any binding, as the tests of the public suites do.

import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { isJsonObject } from '../../../src/codec/value.ts';
import { misfits } from '../../support/a2a/published-form.ts';
import { hasVectors } from '../../support/repository/vectors.ts';
import type { Answer, Binding } from '../acts/bindings/binding.ts';
import { find } from '../acts/dot-path.ts';
import type { Method } from '../acts/requests.ts';
import { ANSWERS } from '../acts/requests.ts';

/** A message of 1.0; `more` goes into it. */
export function saying(messageId: string, more: JsonObject = {}, text = 'hello'): JsonObject {
  return { messageId, role: 'ROLE_USER', parts: [{ text }], ...more };
}

/** What came back, of the published form; a refusal is an error of the test. */
export async function told(
  binding: Binding,
  method: Method,
  request: JsonObject,
): Promise<JsonObject> {
  const answer = await binding.call(method, request);
  if ('error' in answer) throw new Error(`${method}: ${answer.error.message}`);
  assertPublished(ANSWERS[method], answer.value);
  return answer.value;
}

/** The task that a message led to. */
export async function taskOf(
  binding: Binding,
  message: JsonObject,
  configuration?: JsonObject,
): Promise<JsonObject> {
  const request = { message, ...(configuration !== undefined && { configuration }) };
  const { task } = await told(binding, 'SendMessage', request);
  if (!isJsonObject(task)) throw new Error('no task came back');
  return task;
}

export function stateOf(task: JsonObject): JsonValue | undefined {
  return find(task, 'status.state');
}

/** The `reason` of a refusal, in every binding; `undefined` where it went well. */
export async function reasonOf(
  binding: Binding,
  method: Method,
  request: JsonObject,
): Promise<JsonValue | undefined> {
  const isStream = method === 'SendStreamingMessage' || method === 'SubscribeToTask';
  const answer: Answer | Awaited<ReturnType<Binding['stream']>> = isStream
    ? await binding.stream(method, request)
    : await binding.call(method, request);
  if ('error' in answer) return find({ data: answer.error.data ?? [] }, 'data[0].reason');
  if ('events' in answer) await answer.events.return();
  return undefined;
}

export type Events = AsyncGenerator<JsonObject, void>;

export async function opened(
  binding: Binding,
  method: 'SendStreamingMessage' | 'SubscribeToTask',
  request: JsonObject,
): Promise<Events> {
  const streamed = await binding.stream(method, request);
  if ('error' in streamed) throw new Error(`${method}: ${streamed.error.message}`);
  return streamed.events;
}

/** Until the agent ends it. */
export async function all(events: Events): Promise<JsonObject[]> {
  const list: JsonObject[] = [];
  for await (const event of events) {
    assertPublished('StreamResponse', event);
    list.push(event);
  }
  return list;
}

function assertPublished(message: string | undefined, value: JsonObject): void {
  const faults = message === undefined || !hasVectors ? [] : misfits(message, value);
  if (faults.length > 0) throw new Error(faults.join('; '));
}
