// Owns how the commands for tasks speak to an agent: as the operator, with the tools for tasks.

import { isJsonObject } from '../../src/codec/index.ts';
import { SdlError } from '../../src/errors.ts';
import type { ExchangeOptions, RemoteAgent } from '../../src/client/index.ts';
import { RemoteError, ToolCallError } from '../../src/client/index.ts';
import { CLIENT_OPTIONS, connectPeer, withClient } from '../client/client.ts';
import type { CommandContext, CommandOption, Parameter } from '../kit/command.ts';
import { explainExchange } from '../client/error.ts';
import type { CliError } from '../kit/exit.ts';
import { failure } from '../kit/exit.ts';
import { isPrefix, onlyId } from '../kit/prefix.ts';
import { textIn } from './view.ts';

/** Options of every command for tasks. */
export const TASK_OPTIONS: Readonly<Record<string, CommandOption>> = {
  peer: {
    type: 'string',
    value: 'PEER',
    description:
      'whose tasks: a name or id of the peer book, or the address of a peer or of an A2A agent (default agent)',
  },
  timeout: { type: 'string', value: 'SECONDS', description: 'for one exchange (default 60)' },
  'sign-only': { type: 'boolean', description: 'do not encrypt' },
  ...CLIENT_OPTIONS,
};

/** Of commands for one task. */
export const OWNER_OPTION: CommandOption = {
  type: 'string',
  value: 'AGENT_ID',
  description: 'who gave the task, if it was not you; only for who looks after the agent',
};

export const TASK_PARAMETER: Parameter = {
  name: 'ID',
  description: 'the id of the task, or its beginning, as "tasks list" shows it',
};

/** Stands for an id in examples. */
export const EXAMPLE_ID = '0198f2c4-6a1b-7c3d-8e5f-9a0b1c2d3e4f';

/** An agent that is asked about tasks. */
export interface TaskPeer {
  readonly name: string;
  readonly agent: RemoteAgent;
  readonly how: ExchangeOptions & { readonly signal: AbortSignal };
}

export async function withTasks<T>(
  context: CommandContext,
  use: (peer: TaskPeer) => Promise<T>,
): Promise<T> {
  const { options } = context;
  const name = options.text('peer') ?? 'agent';
  const how = {
    mode: options.flag('sign-only') ? 'sig' : 'enc+sig',
    timeoutMs: (options.integer('timeout', 1) ?? 60) * 1_000,
    signal: context.interrupted(),
  } as const;
  return withClient(context, async (client) => {
    const agent = connectPeer(client, name);
    try {
      return await use({ name, agent, how });
    } catch (thrown) {
      throw explainTask(thrown, name);
    }
  });
}

/** A task as the user names it. */
export interface TaskName {
  readonly id: string;
  readonly owner?: string;
}

/** Like {@link withTasks}, for the task that the user names. */
export function withTask<T>(
  context: CommandContext,
  use: (peer: TaskPeer, name: TaskName) => Promise<T>,
): Promise<T> {
  const owner = context.options.text('owner');
  const name = { id: context.words[0]!, ...(owner !== undefined && { owner }) };
  return withTasks(context, async (peer) => use(peer, await wholeName(peer, name)));
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Who names a task by the beginning of its id means one of late. */
const PAGES = 10;
const PAGE_LENGTH = 200;

/** The beginning of an id stands for the whole; what begins no id is left as it is, for the agent to judge. */
async function wholeName(
  { agent, how }: Pick<TaskPeer, 'agent' | 'how'>,
  name: TaskName,
): Promise<TaskName> {
  const { id, ...whose } = name;
  if (UUID.test(id) || !isPrefix(id)) return name;
  try {
    await agent.tasks.get(id, { ...how, ...whose });
    return name;
  } catch (thrown) {
    if (!isUnknown(thrown)) throw thrown;
    // Not every wire of another dialect has lists.
    if (agent.dialect !== 'sdl' && !(await hasLists({ agent, how }))) throw thrown;
  }
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page += 1) {
    const from = cursor === undefined ? {} : { cursor };
    const filter = { ...how, ...whose, ...from, limit: PAGE_LENGTH };
    const { tasks, next } = await agent.tasks.list(filter);
    ids.push(...tasks.map((task) => task.id));
    cursor = next;
    if (cursor === undefined) break;
  }
  return { ...name, id: onlyId(id, ids, 'tasks') ?? id };
}

function isUnknown(thrown: unknown): boolean {
  const isTold = thrown instanceof ToolCallError || thrown instanceof RemoteError;
  return isTold && thrown.code === 'TASK_UNKNOWN';
}

async function hasLists({ agent, how }: Pick<TaskPeer, 'agent' | 'how'>): Promise<boolean> {
  try {
    await agent.tasks.list({ ...how, limit: 1 });
    return true;
  } catch (thrown) {
    if (thrown instanceof SdlError) return false;
    throw thrown;
  }
}

const NEXT: Readonly<Record<string, string>> = {
  TASK_UNKNOWN:
    'give its id, or enough of the beginning, as "a2a-sdl tasks list" shows it; the task of another agent needs --owner, and one that has ended is kept for a while only',
  TASK_CONFLICT: 'see "a2a-sdl tasks show ID" for what it waits for',
  SECURITY_UNSUPPORTED:
    'the tasks of others are only for the operator of the home that the daemon runs on',
  TOOL_UNKNOWN: 'the agent takes no tasks, or keeps no account of them',
};

function explainTask(thrown: unknown, name: string): CliError {
  if (!(thrown instanceof ToolCallError)) return explainExchange(thrown, name);
  const { code, wireCode } = thrown;
  const next = NEXT[code] ?? NEXT[wireCode];
  return failure(wordsOf(thrown), { code, ...(next !== undefined && { next }), cause: thrown });
}

/** Without the name of the tool, which the user did not call. */
function wordsOf({ result, message }: ToolCallError): string {
  const error = isJsonObject(result) && isJsonObject(result['error']) ? result['error'] : {};
  return textIn(error, 'message') ?? message;
}
