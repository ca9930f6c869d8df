// What the tests of tasks share: requests, an engine with a clock of its own, and answers as a peer sees them.

import { readJson } from '../../../src/codec/json/read.ts';
import { writeJson } from '../../../src/codec/json/write.ts';
import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import type { Answer, ContentHandler, RequestContext } from '../../../src/content.ts';
import { INITIAL_STATE, applyState } from '../../../src/state/document.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import type { TaskEngineOptions } from '../../../src/tasks/engine/options.ts';
import { createTaskEngine } from '../../../src/tasks/engine/engine.ts';
import type { StartedTask, TaskEngine } from '../../../src/tasks/engine/engine.ts';
import type { TaskEvent } from '../../../src/tasks/events.ts';
import { parseTaskRequest } from '../../../src/tasks/request.ts';
import type { Task } from '../../../src/tasks/task.ts';
import type { SetTimer } from '../../../src/tasks/engine/timer.ts';
import { alice, bob, registry, taskPayload, taskRequest } from '../wire/envelopes.ts';
import { makePeer } from '../trust/peers.ts';

const START_MS = 1_000_000;

/** Time that passes only when a test says so. */
export class TestTime {
  now = START_MS;
  readonly #timers = new Map<() => void, number>();

  readonly setTimer: SetTimer = (callback, delayMs) => {
    this.#timers.set(callback, this.now + delayMs);
    return () => void this.#timers.delete(callback);
  };

  get waiting(): number {
    return this.#timers.size;
  }

  pass(ms: number): void {
    this.now += ms;
    for (const [callback, due] of this.#timers) {
      if (due > this.now) continue;
      this.#timers.delete(callback);
      callback();
    }
  }
}

/** A promise that the test settles. */
export class Gate {
  open: () => void = () => undefined;
  readonly opened: Promise<void> = new Promise((resolve) => {
    this.open = resolve;
  });
}

export interface TestEngine {
  readonly engine: TaskEngine;
  readonly time: TestTime;
  readonly errors: unknown[];
}

export function testEngine(onTask: OnTask, options: Partial<TaskEngineOptions> = {}): TestEngine {
  const time = new TestTime();
  const errors: unknown[] = [];
  let ids = 0;
  const engine = createTaskEngine({
    onTask,
    now: () => time.now,
    setTimer: time.setTimer,
    newId: () => `task-${(ids += 1)}`,
    onError: (cause) => void errors.push(cause),
    ...options,
  });
  return { engine, time, errors };
}

export function payloadWith(id?: string, members: JsonObject = {}): JsonObject {
  return { ...taskPayload, ...(id !== undefined && { context: { task: { id } } }), ...members };
}

export function start(
  engine: TaskEngine,
  { owner = alice.agent_id, id, members }: StartParts = {},
): Promise<StartedTask> {
  return engine.start({ owner, request: parseTaskRequest(payloadWith(id, members)) });
}

interface StartParts {
  readonly owner?: string;
  readonly id?: string;
  readonly members?: JsonObject;
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The task at its end, and all of its events. */
export async function finished(
  engine: TaskEngine,
  started: StartedTask,
): Promise<{ task: Task; events: TaskEvent[] }> {
  const events = await collect(started.events(0));
  const task = await engine.get(started.task.owner, started.task.id);
  if (task === undefined) throw new Error('the task is gone');
  return { task, events };
}

/** What happened, in short. */
export function namesOf(events: readonly TaskEvent[]): string[] {
  return events.map((event) => {
    if (event.type === 'status') return event.state;
    if (event.type === 'reply') return 'reply';
    if (event.type === 'delegation') return event.child.id;
    return event.type === 'progress' ? event.progress.message : event.artifact.name;
  });
}

export function contextWith(parts: Partial<RequestContext> = {}): RequestContext {
  return {
    request: taskRequest() as RequestContext['request'],
    peer: makePeer(alice.agent_id),
    mode: 'sig',
    agentId: bob.agent_id,
    wantsStream: true,
    signal: new AbortController().signal,
    now: () => START_MS,
    ...parts,
  };
}

/** The answers as a peer reads them: through the wire, and each fitting the schema of its type. */
export async function answersOf(
  handler: ContentHandler,
  payload: JsonValue,
  context: RequestContext = contextWith(),
  onAnswer: (answer: Answer) => void = () => undefined,
): Promise<(Answer & { readonly payload: JsonObject })[]> {
  const answers: (Answer & { readonly payload: JsonObject })[] = [];
  for await (const answer of handler.handle(payload, context) as AsyncIterable<Answer>) {
    const received = readJson(writeJson(answer.payload)) as JsonObject;
    registry.checkOwn({
      ct: answer.ct,
      payload: received,
      descriptor: registry.descriptorFor(answer.ct),
    });
    answers.push({ ...answer, payload: received });
    onAnswer(answer);
  }
  return answers;
}

/** The document that a `res` describes to a peer that saw nothing before. */
export function documentIn({ payload }: Answer): JsonObject {
  return applyState(INITIAL_STATE, payload).value as JsonObject;
}
