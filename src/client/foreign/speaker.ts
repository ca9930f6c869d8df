// Owns what is asked of an agent of another dialect, and what comes back of it, as a client shows both. It is loaded with
// the first question. SPEC.md section 20 (#a2a-client-tasks).

import type { JsonObject, JsonValue } from '../../codec/value.ts';
import { createMessage } from '../../tasks/message.ts';
import { readMessage } from '../../tasks/part-json.ts';
import type { TaskState } from '../../tasks/task.ts';
import type { ForeignAgent, ForeignSkill, ForeignStep, ForeignTask } from './dialect.ts';
import type { ExchangeOptions } from '../exchange.ts';
import { abortError, deadlineOf } from '../exchange.ts';
import { cannotSay, givenTask } from './request.ts';
import { foreignAnswer, foreignDocument, foreignSummary, foreignUpdate } from './task.ts';
import type { ListTasksOptions, RemoteTasks } from '../remote-tasks.ts';
import { pageOf } from '../remote-tasks.ts';
import { replyOf, wordsOf } from '../said-words.ts';
import type { TaskInput } from '../task-content.ts';
import type { TaskOptions } from '../task-exchange.ts';
import type { RemoteTask, TaskUpdate } from '../task-update.ts';
import { taskOf } from '../task-update.ts';

/** Where a lost connection is waited for by default, as for tasks over envelopes. */
const MAX_AWAY_MS = 5_000;
const TOOL_LIST = 'tool.list';

/** Finds the agent: what cannot be said is refused before that. */
export type OpenForeign = () => Promise<ForeignAgent>;

export async function callSkill(
  open: OpenForeign,
  dialect: string,
  tool: string,
  args: JsonObject,
  options: ExchangeOptions,
): Promise<JsonValue> {
  assertSayable(dialect, options);
  const signal = deadlineOf(options);
  const agent = await open();
  // What an agent of another dialect can be asked for is told as the tools of others are.
  if (tool === TOOL_LIST) return { tools: (await agent.skills({ signal })).map(toolOf) };
  return agent.call(tool, args, { signal, maxAwayMs: MAX_AWAY_MS });
}

function toolOf({ name, title, description }: ForeignSkill): JsonObject {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  };
}

export async function* giveTask(
  open: OpenForeign,
  dialect: string,
  task: TaskInput | string,
  options: TaskOptions,
): AsyncGenerator<TaskUpdate> {
  assertSayable(dialect, options);
  const { budgetMs, ...request } = givenTask(task, dialect);
  const { maxAwayMs = MAX_AWAY_MS, onAway, onBack, wait } = options;
  const signal = deadlineOf(options);
  const budget = budgetMs === undefined ? signal : withBudget(signal, budgetMs);
  const steps = (await open()).task(request, {
    signal: budget,
    maxAwayMs: options.retries === 0 ? 0 : maxAwayMs,
    ...(onAway !== undefined && { onAway }),
    ...(onBack !== undefined && { onBack }),
    ...(wait !== undefined && { wait }),
  });
  let last: ForeignTask | undefined;
  try {
    for await (const update of updatesOf(steps, (told) => (last = told))) yield update;
  } catch (thrown) {
    // The time that the answer may take is over, and not that of the exchange: the task goes on.
    const isBudget = budget.aborted && !signal.aborted && last !== undefined;
    if (!isBudget) throw signal.aborted ? abortError(signal, thrown) : thrown;
  }
  if (last !== undefined) yield foreignAnswer(last);
}

/** 0 is for the agent: it answers at once. */
function withBudget(signal: AbortSignal, budgetMs: number): AbortSignal {
  return budgetMs === 0 ? signal : deadlineOf({ signal, timeoutMs: budgetMs });
}

async function* updatesOf(
  steps: AsyncIterable<ForeignStep>,
  onTask: (task: ForeignTask) => void,
): AsyncGenerator<TaskUpdate> {
  let before: ForeignTask | undefined;
  for await (const step of steps) {
    const update = foreignUpdate(step, before);
    before = step.task;
    onTask(step.task);
    yield update;
  }
}

/** What of an exchange only envelopes have. */
function assertSayable(
  dialect: string,
  { session, authz }: Pick<TaskOptions, 'session' | 'authz'>,
): void {
  if (session !== undefined) throw cannotSay(dialect, 'session');
  if (authz !== undefined) throw cannotSay(dialect, 'authz');
}

export function createForeignTasks(open: OpenForeign, dialect: string): RemoteTasks {
  const howOf = (
    options: Parameters<RemoteTasks['cancel']>[1] = {},
  ): { readonly signal: AbortSignal } => {
    assertSayable(dialect, options);
    if (options.owner !== undefined) throw cannotSay(dialect, 'owner');
    return { signal: deadlineOf(options) };
  };
  const say: RemoteTasks['send'] = async (id, words, options = {}) => {
    if (options.generation !== undefined) throw cannotSay(dialect, 'generation');
    const how = howOf(options);
    const message = readMessage(wordsOf(words), 'message');
    return remote(await (await open()).say(id, message, how));
  };
  return {
    async get(id, options = {}) {
      const { request = false, historyLength } = options;
      const how = { ...howOf(options), ...(historyLength !== undefined && { historyLength }) };
      const task = await (await open()).get(id, how);
      const document = foreignDocument(task);
      return taskOf(request ? { ...document, ...requestIn(task) } : document);
    },
    async list(options = {}) {
      const how = howOf(options);
      const { tasks, next, total } = await (await open()).list(listOf(options), how);
      return pageOf({
        tasks: tasks.map(foreignSummary),
        ...(next !== undefined && { next }),
        ...(total !== undefined && { total }),
      });
    },
    watch: (id, options = {}) => ({
      async *[Symbol.asyncIterator]() {
        const { maxAwayMs, onAway, onBack, wait, timeoutMs, signal, ...others } = options;
        howOf(others);
        if (options.after !== undefined && options.after > 0) throw cannotSay(dialect, 'after');
        const steps = (await open()).watch(id, {
          signal: signal ?? new AbortController().signal,
          ...(timeoutMs !== undefined && { timeoutMs }),
          ...(maxAwayMs !== undefined && { maxAwayMs }),
          ...(onAway !== undefined && { onAway }),
          ...(onBack !== undefined && { onBack }),
          ...(wait !== undefined && { wait }),
        });
        let last: ForeignTask | undefined;
        yield* updatesOf(steps, (told) => (last = told));
        if (last !== undefined) yield foreignAnswer(last);
      },
    }),
    async cancel(id, options) {
      const how = howOf(options);
      return remote(await (await open()).cancel(id, how));
    },
    async reply(id, reply, options) {
      const { value, message } = replyOf(reply);
      const part = typeof value === 'string' ? { text: value } : { data: value };
      const words = message === undefined ? part : createMessage(readMessage(message, 'message'));
      return say(id, words, options);
    },
    send: say,
  };
}

function remote(task: ForeignTask): RemoteTask {
  return taskOf(foreignDocument(task));
}

/** What was asked, in the form in which it can be asked again. */
function requestIn({ history }: ForeignTask): JsonObject {
  const asked = history.find(({ role }) => role === 'user');
  if (asked === undefined) return {};
  const { parts, metadata } = asked;
  const message = wordsOf({ parts, ...(metadata !== undefined && { metadata }) });
  return { request: { kind: 'task.v1', goal: asked.text, context: { message } } };
}

function listOf({ state, contextId, since, cursor, limit }: ListTasksOptions): {
  readonly state?: TaskState;
} {
  return {
    ...(state !== undefined && { state: state as TaskState }),
    ...(contextId !== undefined && { contextId }),
    ...(since !== undefined && { since }),
    ...(cursor !== undefined && { cursor }),
    ...(limit !== undefined && { limit }),
  };
}
