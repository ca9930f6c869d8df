// Owns what an owner does with its tasks at another agent after it gave them: look, follow, cancel, answer. They are
// tools over `toolcall.v1`. SPEC.md section 8 (#task-ids, #parts).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonArray, isJsonObject } from '../codec/value.ts';
import { formatTimestamp, parseTimestamp } from '../envelope/timestamp.ts';
import type { Words } from '../tasks/message.ts';
import { TransportError } from '../transport.ts';
import type { AwayOptions } from './back-off.ts';
import { BackOff } from './back-off.ts';
import type { ClientServices, ExchangeOptions, Received } from './exchange.ts';
import { followTask } from './follow.ts';
import { RemoteError } from './remote-error.ts';
import type { SaidWords } from './said-words.ts';
import { replyOf, wordsOf } from './said-words.ts';
import type { RemoteTask, TaskUpdate } from './task-update.ts';
import { failureIn, progressIn, taskOf, textIn } from './task-update.ts';
import { resultIn } from './tool-call.ts';
import type { Understanding } from './understanding.ts';

interface RemoteTaskOptions extends ExchangeOptions {
  /** Whose task it is, for administrators. @default our own */
  readonly owner?: string;
}

interface GetTaskOptions extends RemoteTaskOptions {
  /** With what was asked, as `document.request`. @default false */
  readonly request?: boolean;
  /** With so many of the last messages. @default none */
  readonly historyLength?: number;
}

export interface ListTasksOptions extends RemoteTaskOptions {
  /** Those in this state, such as `working`. @default in any */
  readonly state?: string;
  readonly contextId?: string;
  /** Those whose last status is not older. Milliseconds since the epoch. @default all */
  readonly since?: number;
  /** The page after the one that ended with this `next`. */
  readonly cursor?: string;
  /** At most so many. @default as many as the agent likes */
  readonly limit?: number;
}

interface WatchTaskOptions extends RemoteTaskOptions, AwayOptions {
  /** What happened up to this generation is not told again. @default 0 */
  readonly after?: number;
  /** Of one exchange: the next one goes on where it was. @default 300000 */
  readonly timeoutMs?: number;
}

interface ReplyOptions extends RemoteTaskOptions {
  /** Of the question that is answered, so that no other one is. @default the one that is open */
  readonly generation?: number;
}

/** A task in a list. */
interface RemoteTaskSummary {
  readonly id: string;
  readonly owner: string;
  readonly status: string;
  readonly generation: number;
  readonly goal: string;
  readonly kind?: string;
  readonly parent?: string;
  readonly contextId?: string;
  readonly progress?: NonNullable<RemoteTask['progress']>;
  readonly failure?: NonNullable<RemoteTask['failure']>;
  /** Milliseconds since the epoch. */
  readonly createdAt?: number;
  readonly updatedAt?: number;
  /** As it came. */
  readonly document: JsonObject;
}

interface RemoteTaskPage {
  /** The last status first; agents of earlier versions list the newest first. */
  readonly tasks: readonly RemoteTaskSummary[];
  /** The `cursor` of the next page; none on the last one. */
  readonly next?: string;
  /** How many there are on all pages; absent from agents that do not tell. */
  readonly total?: number;
}

export interface RemoteTasks {
  get(id: string, options?: GetTaskOptions): Promise<RemoteTask>;
  list(options?: ListTasksOptions): Promise<RemoteTaskPage>;
  /**
   * Every event of the task, each once and with the task after it, and last all of the task when it has ended. A lost
   * connection is made again, and an agent that is away is waited for. Aborting `signal` leaves the task alone.
   */
  watch(id: string, options?: WatchTaskOptions): AsyncIterable<TaskUpdate>;
  /** Ends it; one that has ended stays as it is. */
  cancel(id: string, options?: RemoteTaskOptions): Promise<RemoteTask>;
  /** Answers the question that it waits with: by a plain value, or by a message with parts. */
  reply(id: string, reply: JsonValue | SaidWords, options?: ReplyOptions): Promise<RemoteTask>;
  /** Says something to it: the answer if it waits, else more to know. For agents that understand parts. */
  send(id: string, words: Words, options?: ReplyOptions): Promise<RemoteTask>;
}

/** What the tools are called with. */
export interface TaskCaller {
  readonly call: (tool: string, args: JsonObject, options: ExchangeOptions) => Promise<JsonValue>;
  /** A call whose events are told one by one, and none twice. */
  readonly stream: (
    tool: string,
    args: JsonObject,
    options: ExchangeOptions,
  ) => AsyncIterable<Received>;
  readonly services: () => Promise<Pick<ClientServices, 'now' | 'wait'>>;
  readonly understanding: Understanding;
}

/** One exchange follows for so long. */
const FOLLOW_MS = 300_000;
const WATCH = 'task.watch';

export function createRemoteTasks(caller: TaskCaller): RemoteTasks {
  const { call, understanding } = caller;
  const say = async (
    id: string,
    message: JsonObject,
    { owner, generation, ...how }: ReplyOptions,
  ): Promise<RemoteTask> => {
    await understanding.assertParts(how);
    const args = { ...named(id, owner), message, ...(generation !== undefined && { generation }) };
    return taskOf(await call('task.send', args, how));
  };
  return {
    async get(id, { owner, request, historyLength, ...how } = {}) {
      const args = {
        ...named(id, owner),
        ...(request === true && { request }),
        ...(historyLength !== undefined && { history_length: historyLength }),
      };
      return taskOf(await call('task.get', args, how));
    },
    async list({ owner, state, contextId, since, cursor, limit, ...how } = {}) {
      const args = {
        ...(owner !== undefined && { owner }),
        ...(state !== undefined && { state }),
        ...(contextId !== undefined && { context_id: contextId }),
        ...(since !== undefined && { since: formatTimestamp(since) }),
        ...(cursor !== undefined && { cursor }),
        ...(limit !== undefined && { limit }),
      };
      return pageOf(await call('task.list', args, how));
    },
    watch: (id, options = {}) => ({
      [Symbol.asyncIterator]: () => watchTask(caller, id, options),
    }),
    async cancel(id, { owner, ...how } = {}) {
      return taskOf(await call('task.cancel', named(id, owner), how));
    },
    async reply(id, reply, options = {}) {
      const { value, message } = replyOf(reply);
      if (message !== undefined) return say(id, message, options);
      const { owner, generation, ...how } = options;
      const about = { ...named(id, owner), ...(generation !== undefined && { generation }) };
      return taskOf(await call('task.reply', { ...about, reply: value }, how));
    },
    send: async (id, words, options = {}) => say(id, wordsOf(words), options),
  };
}

async function* watchTask(
  { call, stream, services, understanding }: TaskCaller,
  id: string,
  { owner, after = 0, maxAwayMs, onAway, onBack, wait, ...how }: WatchTaskOptions,
): AsyncGenerator<TaskUpdate> {
  const own = await services();
  const { signal = new AbortController().signal } = how;
  const backOff = new BackOff({
    ...(maxAwayMs !== undefined && { maxAwayMs }),
    ...(onAway !== undefined && { onAway }),
    ...(onBack !== undefined && { onBack }),
    wait: wait ?? own.wait,
    now: own.now,
    signal,
  });
  const args = named(id, owner);
  async function* ask(seen: number): AsyncGenerator<Received> {
    // Who does not tell the whole first is read from the first event on: patches start from what came before.
    const asked = (await understanding.knowsParts())
      ? { after: Math.max(seen, after), whole: true }
      : { after: seen };
    yield* stream(WATCH, { ...args, ...asked }, { timeoutMs: FOLLOW_MS, ...how });
  }
  const source = {
    ask,
    documentOf: ({ payload }: Received) => resultIn(WATCH, payload),
    probe: () => call('task.get', args, how),
    isQuiet,
  };
  for await (const update of followTask(source, { backOff, signal, isOver })) {
    const isNews = update.isAnswer ? update.hasEnded : (update.generation ?? after + 1) > after;
    if (isNews) yield update;
  }
}

function isOver({ hasEnded }: TaskUpdate): boolean {
  return hasEnded;
}

/** Nothing happened for as long as one exchange follows, or as the agent lets anybody wait. */
function isQuiet(thrown: unknown): boolean {
  if (thrown instanceof TransportError) return thrown.fault === 'timeout';
  return thrown instanceof RemoteError && thrown.code === 'DEADLINE';
}

function named(id: string, owner: string | undefined): JsonObject {
  return { id, ...(owner !== undefined && { owner }) };
}

export function pageOf(result: JsonValue): RemoteTaskPage {
  const { tasks, next, total } = isJsonObject(result) ? result : {};
  return {
    tasks: (isJsonArray(tasks) ? tasks.filter(isJsonObject) : []).map(summaryOf),
    ...(typeof next === 'string' && { next }),
    ...(typeof total === 'number' && { total }),
  };
}

function summaryOf(document: JsonObject): RemoteTaskSummary {
  const text = (member: string): string => textIn(document, member) ?? '';
  const optional = { kind: 'kind', parent: 'parent', context_id: 'contextId' } as const;
  const moments = { created: 'createdAt', updated: 'updatedAt' } as const;
  const progress = progressIn(document);
  const failure = failureIn(document);
  const rest: Record<string, string | number> = {};
  for (const [member, name] of Object.entries(optional)) {
    if (text(member) !== '') rest[name] = text(member);
  }
  for (const [member, name] of Object.entries(moments)) {
    const moment = parseTimestamp(text(member));
    if (moment !== undefined) rest[name] = moment;
  }
  return {
    id: text('id'),
    owner: text('owner'),
    status: text('status'),
    generation: Number(document['generation'] ?? 0),
    goal: text('goal'),
    ...rest,
    ...(progress !== undefined && { progress }),
    ...(failure !== undefined && { failure }),
    document,
  };
}
