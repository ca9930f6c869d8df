// Owns the steps of a test: what is asked, and the comparison of what comes back.

import { setTimeout as delay } from 'node:timers/promises';

import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { misfits } from '../../support/a2a/published-form.ts';
import { abstractForm } from './abstract-form.ts';
import type { CollectionAssertion, Step, StreamExpectation } from './document.ts';
import { members } from './document.ts';
import { find, findAll, isTrue } from './dot-path.ts';
import { errorForm } from './errors.ts';
import { eventForm, judgeStream } from './events.ts';
import { runRaw } from './raw.ts';
import type { Asked } from './requests.ts';
import { ANSWERS, STREAMS, askedBy } from './requests.ts';
import { filled } from './variables.ts';
import type { World } from './world.ts';

export async function runStep(world: World, given: Step): Promise<void> {
  const { assertions = [], ...others } = given;
  const step = filled(others as unknown as JsonObject, world.variables) as unknown as Step;
  const { id, repeat, capture = {} } = step;
  let got = await once(world, step);
  if (repeat !== undefined) {
    for (let attempt = 1; !isTrue(repeat.until, got); attempt += 1) {
      const words = `not "${repeat.until}" after ${attempt} attempts`;
      world.judge.check(attempt < repeat.max_attempts, words);
      await delay(repeat.delay_ms);
      got = await once(world, step);
    }
  }
  world.responses.set(id, got);
  for (const [name, path] of Object.entries(capture)) {
    const found = find(got, path);
    world.judge.check(typeof found === 'string', `nothing to capture at ${path}`);
    world.variables.set(`${id}.${name}`, found as string);
  }
  for (const assertion of assertions) judgeCollection(world, assertion);
}

function once(world: World, step: Step): Promise<JsonValue> {
  if (step.raw !== undefined) return runRaw(world, step, step.raw);
  return runOperation(world, step, askedBy(step.operation!, step.params ?? {}));
}

async function runOperation(world: World, step: Step, asked: Asked): Promise<JsonValue> {
  const { expect, expect_error, expect_stream } = step;
  if (asked !== 'card' && STREAMS.has(asked.method)) {
    return runStream(world, step, asked, expect_stream);
  }
  if (expect_stream !== undefined) throw new Error(`${step.id}: no stream was asked for`);
  const got = asked === 'card' ? await publicCard(world) : await answered(world, asked);
  judgeAnswer(world, got, expect, expect_error);
  return got;
}

async function runStream(
  world: World,
  { id, expect, expect_error }: Step,
  { method, request }: Exclude<Asked, 'card'>,
  expected: StreamExpectation | undefined,
): Promise<JsonValue> {
  const { binding, judge, token } = world;
  const streamed = await binding.stream(method, request, token);
  if (expected === undefined) {
    if ('events' in streamed) await streamed.events.return();
    const got = 'error' in streamed ? { error: errorForm(streamed.error) } : {};
    judgeAnswer(world, got, expect, expect_error);
    return got;
  }
  if (expect !== undefined || expect_error !== undefined) {
    throw new Error(`${id}: a stream and an answer are expected`);
  }
  if ('error' in streamed) judge.check(false, `no stream: ${streamed.error.message}`);
  const events = await allOf(world, streamed as Extract<typeof streamed, { events: unknown }>);
  judgeStream(judge, events, expected, eventForm);
  return events;
}

/** Until the agent ends it. */
export async function allOf(
  { judge }: World,
  { events }: { readonly events: AsyncIterable<JsonObject> },
): Promise<readonly JsonObject[]> {
  const all: JsonObject[] = [];
  for await (const event of events) {
    assertFits({ judge }, 'StreamResponse', event);
    all.push(event);
  }
  return all;
}

async function answered(
  { binding, judge, token }: World,
  { method, request }: Exclude<Asked, 'card'>,
): Promise<JsonObject> {
  const answer = await binding.call(method, request, token);
  if ('error' in answer) return { error: errorForm(answer.error) };
  assertFits({ judge }, ANSWERS[method], answer.value);
  return abstractForm(answer.value ?? {});
}

async function publicCard({ agent, judge }: World): Promise<JsonObject> {
  const response = await fetch(agent.card);
  judge.check(response.status === 200, `the card is answered with ${response.status}`);
  const card = (await response.json()) as JsonObject;
  assertFits({ judge }, 'AgentCard', card);
  return abstractForm(card);
}

/** All that comes back has the published form, whatever else a test looks at. */
export function assertFits(
  { judge }: Pick<World, 'judge'>,
  message: string | undefined,
  value: JsonObject,
): void {
  const faults = message === undefined ? [] : misfits(message, value);
  judge.check(faults.length === 0, faults.join('; '));
}

/** 200 of an abstract operation means that it went well, whatever the binding says for that. */
function judgeAnswer(
  { judge }: World,
  got: JsonObject,
  expect: JsonObject | undefined,
  expectError: JsonObject | undefined,
): void {
  const { error } = got;
  if (expectError !== undefined) {
    members(expectError, 'expect_error', ['code', 'error_type', 'message', 'data']);
    judge.check(error !== undefined, `no error, but ${JSON.stringify(got)}`);
    judge.match(error, expectError, 'error');
  }
  if (expect === undefined) return;
  const { status, body, ...direct } = members(expect, 'expect', [
    'status',
    'body',
    'task',
    'error',
  ]);
  if (status !== undefined && status !== 200 && status !== 'error') {
    throw new Error(`no abstract operation has the status ${JSON.stringify(status)}`);
  }
  const isRefusal = status === 'error' || direct['error'] !== undefined;
  judge.check((error !== undefined) === isRefusal, `it went ${JSON.stringify(got)}`);
  if (body !== undefined) judge.match(got, body, 'body');
  if (Object.keys(direct).length > 0) judge.match(got, direct as JsonObject, 'answer');
}

const RESPONSE = /^\{\{(.+)\.response\}\}$/;

/** What a step got is named as a whole. */
function judgeCollection(world: World, { source, any }: CollectionAssertion): void {
  const [, id = ''] = RESPONSE.exec(source) ?? [];
  const response = world.responses.get(id);
  if (response === undefined) throw new Error(`there is no response "${source}"`);
  const match = filled(any.match, world.variables);
  world.judge.matchSome(findAll(response, any.path), match, any.path);
}
