// The SDL face of a real engine behind a real door, with a clock of its own, and its answers as a peer reads them.

import { readJson } from '../../../src/codec/json/read.ts';
import { writeJson } from '../../../src/codec/json/write.ts';
import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import type { Answer, ContentHandler, RequestContext } from '../../../src/content.ts';
import type { Accepts } from '../../../src/door/accepts.ts';
import { Door } from '../../../src/door/door.ts';
import type { DoorOutcome } from '../../../src/door/operation.ts';
import type { Rights } from '../../../src/door/rights.ts';
import { createTaskHandler } from '../../../src/handlers/task/handler.ts';
import { createTaskTools } from '../../../src/handlers/task/operations.ts';
import { createToolsFor } from '../../../src/handlers/task/tools.ts';
import { ToolRegistry } from '../../../src/handlers/tools/registry.ts';
import { createToolCallHandler } from '../../../src/handlers/tools/toolcall.ts';
import { INITIAL_STATE, applyState } from '../../../src/state/document.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import type { TaskEngine } from '../../../src/tasks/engine/contract.ts';
import { createTaskEngine } from '../../../src/tasks/engine/engine.ts';
import type { TaskEngineOptions } from '../../../src/tasks/engine/options.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { rightsOf } from '../trust/rights.ts';
import { alice, bob, registry, taskPayload } from '../wire/envelopes.ts';
import type { ContextParts } from './handler-context.ts';
import { requestContext } from './handler-context.ts';
import { START_MS, TestTime } from './time.ts';

/** An answer as it was read. */
export type ReadAnswer = Answer & { readonly payload: JsonObject };

export interface TaskFace {
  readonly engine: TaskEngine;
  readonly door: Door;
  readonly tools: ToolRegistry;
  /** Of `task.v1` and `toolcall.v1`. */
  readonly task: ContentHandler;
  readonly toolcall: ContentHandler;
  /** Of the engine. */
  readonly time: TestTime;
  /** How long peers wait is a matter of their own. */
  readonly patience: TestTime;
  readonly outcomes: DoorOutcome[];
  /** Gives a task, with this context. */
  readonly give: (payload: JsonValue, parts?: ContextParts) => Promise<ReadAnswer[]>;
  /** Calls a tool of tasks: the events, and the payload of its result. */
  readonly call: (tool: string, args: JsonObject, parts?: ContextParts) => Promise<ToolAnswers>;
  /** The task of alice. */
  readonly get: (id: string) => Promise<Task | undefined>;
}

interface ToolAnswers {
  readonly events: readonly ReadAnswer[];
  readonly last: JsonObject;
  readonly result: JsonObject;
}

export interface FaceOptions extends Partial<TaskEngineOptions> {
  readonly rights?: Rights;
  readonly tools?: ToolRegistry;
  readonly accepts?: Accepts;
}

export function taskFace(onTask: OnTask, options: FaceOptions = {}): TaskFace {
  const { rights = rightsOf(), tools = new ToolRegistry(), accepts, ...engineOptions } = options;
  const [time, patience] = [new TestTime(), new TestTime()];
  const now = (): number => time.now;
  const outcomes: DoorOutcome[] = [];
  let ids = 0;
  const newId = (): string => `task-${(ids += 1)}`;
  const toolsFor = createToolsFor({ tools, rights, agentId: bob.agent_id, now });
  const engine = createTaskEngine({
    onTask,
    now,
    setTimer: time.setTimer,
    newId,
    toolsFor: ({ tenant, owner, authority, source: { face } }) => {
      const { scheme, ceiling } = authority;
      const principal = { id: owner, tenant, scheme };
      return toolsFor({ principal, face, ...(ceiling !== undefined && { ceiling }) });
    },
    ...engineOptions,
  });
  const door = new Door({
    engine,
    opening: async () => undefined,
    admit: async () => () => undefined,
    accepts,
    onOutcome: (outcome) => void outcomes.push(outcome),
    onError: (cause) => {
      throw cause;
    },
    newId,
    now,
    setTimer: time.setTimer,
  });
  door.open({ rights, audit: undefined });
  for (const tool of createTaskTools(door)) tools.add(tool);
  const task = createTaskHandler({ tasks: door, setTimer: patience.setTimer });
  const toolcall = createToolCallHandler({ tools, rights });
  return {
    engine,
    door,
    tools,
    task,
    toolcall,
    time,
    patience,
    outcomes,
    give: (payload, parts) => answersOf(task, payload, contextWith(parts)),
    call: async (tool, args, parts) => {
      const payload = { tool, call_id: 'c', args, expect: {} };
      const answers = await answersOf(toolcall, payload, contextWith(parts));
      const last = answers.at(-1)!.payload;
      return { events: answers.slice(0, -1), last, result: last['result'] as JsonObject };
    },
    get: (id) => engine.get({ owner: alice.agent_id, tenant: '' }, id),
  };
}

/** A signed request of alice that takes events. */
export function contextWith(parts: ContextParts = {}): RequestContext {
  return requestContext({ wantsStream: true, now: () => START_MS, ...parts });
}

export function payloadWith(id?: string, members: JsonObject = {}): JsonObject {
  return { ...taskPayload, ...(id !== undefined && { context: { task: { id } } }), ...members };
}

/** The answers as a peer reads them: through the wire, and each fitting the schema of its type. */
export async function answersOf(
  handler: ContentHandler,
  payload: JsonValue,
  context: RequestContext = contextWith(),
  onAnswer: (answer: Answer) => void = () => undefined,
): Promise<ReadAnswer[]> {
  const answers: ReadAnswer[] = [];
  for await (const answer of handler.handle(payload, context) as AsyncIterable<Answer>) {
    const { ct } = answer;
    const received = readJson(writeJson(answer.payload)) as JsonObject;
    registry.checkOwn({ ct, payload: received, descriptor: registry.descriptorFor(ct) });
    answers.push({ ...answer, payload: received });
    onAnswer(answer);
  }
  return answers;
}

/** The document that a `res` describes to a peer that saw nothing before. */
export function documentIn({ payload }: Answer): JsonObject {
  return applyState(INITIAL_STATE, payload).value as JsonObject;
}
