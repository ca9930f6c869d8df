// Owns an agent of official A2A in the words that every client of this package uses: tasks, steps and skills.
// SPEC.md section 20 (#a2a-client-tasks).

import type {
  FollowHow,
  ForeignAgent,
  ForeignStep,
  ForeignTask,
  HowOptions,
} from '../../../src/client/index.ts';
import { ToolCallError } from '../../../src/client/index.ts';
import type { JsonObject, JsonValue, Message, MessageContent } from '../../../src/door/index.ts';
import { isJsonObject } from '../../../src/transport.ts';
import type { A2aAgent } from './agent.ts';
import type { AnsweredStep } from './following/follow.ts';
import type { A2aStep } from './following/fold.ts';
import { hasEnded, isResting } from './following/fold.ts';
import type { A2aSent, A2aStatus, A2aTask } from './model.ts';

/** What one page may hold in A2A. */
const LARGEST_PAGE = 100;
/** Where agents are told which of their skills is meant. */
const SKILL = 'skill';

/** @param closing aborts when the client is closed. */
export function createForeignA2a(agent: A2aAgent, closing: AbortSignal): ForeignAgent {
  const both = ({ signal, timeoutMs }: HowOptions): HowOptions => ({
    signal: AbortSignal.any([signal, closing]),
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  async function* follow(
    start: Parameters<A2aAgent['follow']>[0],
    isOver: (task: A2aTask) => boolean,
    how: FollowHow,
  ): AsyncGenerator<ForeignStep> {
    const steps = agent.follow(start, { ...how, ...both(how), isOver });
    for await (const step of steps) yield foreignStep(step);
  }
  const task: ForeignAgent['task'] = ({ message, contextId, isDetached }, how) => {
    const asked = { message, ...(contextId !== undefined && { contextId }) };
    return isDetached
      ? sendDetached(agent, asked, both(how))
      : follow({ send: asked }, ({ status }) => isResting(status), how);
  };
  return {
    task,
    watch: (id, how) => follow({ taskId: id }, ({ status }) => hasEnded(status), how),
    async say(id, message, how) {
      const sent = await agent.send({ message, taskId: id, isWaiting: false }, both(how));
      return sentTask(sent);
    },
    get: async (id, { historyLength, ...how }) =>
      foreignTask(
        await agent.get(id, {
          ...both(how),
          ...(historyLength !== undefined && { historyLength }),
        }),
      ),
    async list({ cursor, limit, ...filter }, how) {
      const asked = {
        ...filter,
        ...(cursor !== undefined && { pageToken: cursor }),
        ...(limit !== undefined && { pageSize: Math.min(limit, LARGEST_PAGE) }),
      };
      const { tasks, nextPageToken, totalSize } = await agent.list(asked, both(how));
      return {
        tasks: tasks.map(foreignTask),
        ...(nextPageToken !== undefined && { next: nextPageToken }),
        ...(totalSize !== undefined && { total: totalSize }),
      };
    },
    cancel: async (id, how) => foreignTask(await agent.cancel(id, both(how))),
    skills: async () =>
      agent.card.skills.map(({ id, name, description }) => ({
        name: id,
        title: name,
        description,
      })),
    async call(skill, args, how) {
      if (!agent.card.skills.some(({ id }) => id === skill)) throw unknownSkill(skill);
      return callSkill(skill, args, (message) => task({ message, isDetached: false }, how));
    },
  };
}

/** Somebody wants to know only that the agent has it. */
async function* sendDetached(
  agent: A2aAgent,
  asked: { readonly message: MessageContent; readonly contextId?: string },
  how: HowOptions,
): AsyncGenerator<ForeignStep> {
  const sent = await agent.send({ ...asked, isWaiting: false }, how);
  yield { task: sentTask(sent), isWhole: true };
}

/** A skill is asked with a data part; what it gives back is the data of its output, or its text. */
async function callSkill(
  skill: string,
  args: JsonObject,
  give: (message: MessageContent) => AsyncIterable<ForeignStep>,
): Promise<JsonValue> {
  let last: ForeignTask | undefined;
  const message: MessageContent = {
    id: globalThis.crypto.randomUUID(),
    role: 'user',
    parts: [{ data: args }],
    metadata: { [SKILL]: skill },
  };
  for await (const { task } of give(message)) last = task;
  const { status, artifacts } = last!;
  if (status.state !== 'completed') throw failedSkill(skill, status);
  const told = [...artifacts, ...(status.message === undefined ? [] : [status.message])];
  const data = told.map((one) => one.data).find((value) => value !== undefined);
  return data ?? told.map(({ text }) => text).find((text) => text !== '') ?? null;
}

function unknownSkill(skill: string): ToolCallError {
  const message = 'the agent has no such skill';
  return new ToolCallError(skill, { error: { code: 'TOOL_UNKNOWN', message } });
}

function failedSkill(skill: string, { state, message }: ForeignTask['status']): ToolCallError {
  const words = message?.text ?? '';
  const said = words === '' ? `its task is ${state}` : words;
  return new ToolCallError(skill, { error: { code: 'TOOL_FAILED', message: said } });
}

function sentTask(sent: A2aSent): ForeignTask {
  return 'task' in sent ? foreignTask(sent.task) : answered(sent.message, sent.contextId);
}

function foreignStep(step: A2aStep | AnsweredStep): ForeignStep {
  if ('type' in step) return { task: answered(step.message, step.contextId), isWhole: true };
  return { ...step, task: foreignTask(step.task) };
}

/** An answer without a task is as good as one that was completed with it. */
function answered(message: Message, contextId: string | undefined): ForeignTask {
  return {
    ...(contextId !== undefined && { contextId }),
    status: { state: 'completed', message },
    artifacts: [],
    history: [],
  };
}

function foreignTask(task: A2aTask): ForeignTask {
  return { ...task, status: { ...task.status, ...failureIn(task.status) } };
}

/** Agents of this package tell the code of a failure beside its words. */
function failureIn({ message }: A2aStatus): Pick<ForeignTask['status'], 'failure'> {
  const failure = message?.metadata?.['failure'];
  if (failure === undefined || !isJsonObject(failure)) return {};
  const { code, retryable } = failure;
  if (typeof code !== 'string') return {};
  return {
    failure: {
      code,
      message: message!.text,
      ...(typeof retryable === 'boolean' && { retryable }),
    },
  };
}
