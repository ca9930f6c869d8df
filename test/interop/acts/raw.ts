// Owns steps that say themselves what goes over the wire.

import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { dataOf, isStream } from './bindings/http.ts';
import type { RawRequest, Step } from './document.ts';
import { members } from './document.ts';
import { judgeStream } from './events.ts';
import { withMessageId } from './requests.ts';
import type { World } from './world.ts';

const LONGEST_MS = 30_000;
/** It wants the refusal of a message without an id. */
const WITHOUT_MESSAGE_ID = 'CORE-ERR-008';

export async function runRaw(world: World, step: Step, raw: RawRequest): Promise<JsonValue> {
  const { judge } = world;
  const { expect = {}, expect_error, expect_stream } = step;
  if (expect_error !== undefined) throw new Error(`${step.id}: what a raw error is, is not said`);
  const { status, body: wanted } = members(expect, step.id, ['status', 'body']);
  const response = await send(world, raw);
  if (status !== undefined) judge.match(response.status, status, 'status');
  if (expect_stream !== undefined) {
    judge.check(isStream(response), 'the answer is no stream');
    const frames: JsonObject[] = [];
    for await (const frame of dataOf(response)) frames.push(frame);
    judgeStream(judge, frames, expect_stream, (frame) => frame);
    return frames;
  }
  const body = (await response.json()) as JsonValue;
  if (wanted !== undefined) judge.match(body, wanted, 'body');
  return body;
}

/** Only what the test says, and nothing of the runner's. */
function send(
  world: World,
  { method, path, headers, body, body_raw }: RawRequest,
): Promise<Response> {
  const isWhole = world.test.id === WITHOUT_MESSAGE_ID || body === undefined;
  const text = body_raw ?? (body && JSON.stringify(isWhole ? body : withMessageId(body)));
  return fetch(urlOf(world, path), {
    method,
    ...(headers !== undefined && { headers }),
    ...(text !== undefined && { body: text }),
    signal: AbortSignal.timeout(LONGEST_MS),
  });
}

/** `/` is the address of the binding itself. */
function urlOf({ agent, binding }: World, path: string): string {
  if (path.startsWith('/.well-known/')) return agent.http + path;
  const base = binding.name === 'jsonrpc' ? agent.jsonrpc : agent.rest;
  return path === '/' ? base : base + path;
}
