// What the tests of tasks share: starts, an engine with a clock of its own, and what happened in short.

import type { JsonValue } from '../../../src/codec/value.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import type { TaskEngineOptions } from '../../../src/tasks/engine/options.ts';
import { createTaskEngine } from '../../../src/tasks/engine/engine.ts';
import type { EngineStart, TaskEngine } from '../../../src/tasks/engine/contract.ts';
import type { TaskEvent, TaskStep } from '../../../src/tasks/event.ts';
import type { Message } from '../../../src/tasks/message.ts';
import { createMessage } from '../../../src/tasks/message.ts';
import type { Idempotency, StartedTask } from '../../../src/tasks/request.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { alice } from '../wire/envelopes.ts';
import { Gate, TestTime } from './time.ts';

export { Gate, TestTime };

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

/** What an owner says. */
export function said(words: string | JsonValue, id = 'said'): Message {
  const part = typeof words === 'string' ? { text: words } : { data: words };
  return createMessage({ id, role: 'user', parts: [part] });
}

export interface StartParts extends Partial<Omit<EngineStart, 'idempotency'>> {
  /** Makes it a task that an equal start joins. @default the engine makes one */
  readonly id?: string;
  readonly text?: string;
  readonly rerun?: Idempotency['rerun'];
  readonly extends?: true;
}

export function start(engine: TaskEngine, parts: StartParts = {}): Promise<StartedTask> {
  const { id, text = 'Do it', rerun, extends: isExtending, ...rest } = parts;
  return engine.start({
    tenant: '',
    owner: alice.agent_id,
    authority: { scheme: 'sdl' },
    share: 'known',
    message: said(text, 'asked'),
    source: { face: 'test', value: null },
    ...(id !== undefined && {
      idempotency: {
        id,
        digest: text,
        ...(rerun !== undefined && { rerun }),
        ...(isExtending === true && { extends: isExtending }),
      },
    }),
    ...rest,
  });
}

/** All that followed a generation. */
export function eventsOf(
  engine: TaskEngine,
  { owner, tenant, id }: Pick<Task, 'owner' | 'tenant' | 'id'>,
  after = 0,
): Promise<TaskEvent[]> {
  return eventsIn(engine.follow({ owner, tenant }, id, after));
}

async function eventsIn(steps: AsyncIterable<TaskStep>): Promise<TaskEvent[]> {
  return (await collect(steps)).flatMap(({ event }) => (event === undefined ? [] : [event]));
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The task at its end, and all of its events. */
export async function finished(
  engine: TaskEngine,
  { task: { owner, tenant, id } }: StartedTask,
): Promise<{ task: Task; events: TaskEvent[] }> {
  const events = await eventsOf(engine, { owner, tenant, id });
  const task = await engine.get({ owner, tenant }, id);
  if (task === undefined) throw new Error('the task is gone');
  return { task, events };
}

/** What happened, in short. */
export function namesOf(events: readonly TaskEvent[]): string[] {
  return events.map((event) => {
    if (event.type === 'message') return event.answers === undefined ? 'message' : 'reply';
    if (event.type === 'delegation') return event.child.id;
    if (event.type === 'artifact') return event.artifact.name ?? event.artifact.id;
    const { state, message } = event.status;
    return state === 'working' && event.attempt === undefined ? (message?.text ?? state) : state;
  });
}

/** Each artifact as text: of data its JSON. */
export function outputOf({ artifacts }: Pick<Task, 'artifacts'>): string[] {
  return artifacts.map(({ text, data }) => (data === undefined ? text : JSON.stringify(data)));
}
