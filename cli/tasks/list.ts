// Owns the command `tasks list`: a page of tasks, or a view of it that follows what happens.

import type { JsonObject } from '../../src/codec/index.ts';
import type { ListTasksOptions } from '../../src/client/index.ts';
import { BackOff } from '../../src/client/index.ts';
import type { Action, CommandContext } from '../kit/command.ts';
import type { ExitCode } from '../kit/exit.ts';
import { EXIT } from '../kit/exit.ts';
import { AwayNotes, WAIT_OPTION } from '../client/away.ts';
import type { TaskPeer } from './client.ts';
import { TASK_OPTIONS, withTasks } from './client.ts';
import { taskRows } from './view.ts';

const STATES = [
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'failed',
  'canceled',
  'rejected',
] as const;
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 200;
const LIVE_EVERY_MS = 1_000;
const HOW_TO_GO_ON = 'see that the agent runs, and start this again';
const NONE = 'there are no such tasks';
/** Only ever sent to a terminal: to its first place, and clear what is below. */
const CLEAR_SCREEN = '\u001B[H\u001B[J';

export const tasksListCommand: Action = {
  name: 'list',
  summary: 'list tasks, the newest first',
  options: {
    state: { type: 'string', value: 'STATE', description: `one of ${STATES.join(', ')}` },
    context: { type: 'string', value: 'ID', description: 'those that belong to this context' },
    limit: {
      type: 'string',
      value: 'N',
      description: `how many at the most (default ${DEFAULT_LIMIT})`,
    },
    after: {
      type: 'string',
      value: 'CURSOR',
      description: 'the next page: the cursor that the page before it ended with',
    },
    all: {
      type: 'boolean',
      description: 'those of every owner; only for who looks after the agent',
    },
    live: { type: 'boolean', description: 'go on showing them until you interrupt it' },
    wait: WAIT_OPTION,
    ...TASK_OPTIONS,
  },
  notes: [
    'With --json there is one line for each task, and a last line {"next": CURSOR} when there are more. With --live a task is printed again when it has changed.',
  ],
  examples: [
    'a2a-sdl tasks list',
    'a2a-sdl tasks list --all --state working --live',
    'a2a-sdl tasks list --peer bob --limit 100 --json',
  ],
  async run(context) {
    const filter = filterOf(context);
    return withTasks(context, (peer) =>
      context.options.flag('live')
        ? showLive(peer, filter, context)
        : showPage(peer, filter, context),
    );
  },
};

interface Page {
  readonly tasks: readonly JsonObject[];
  readonly next?: string;
}

function filterOf({ options }: CommandContext): ListTasksOptions {
  const state = options.oneOf('state', STATES);
  const contextId = options.text('context');
  const cursor = options.text('after');
  return {
    limit: options.integer('limit', 1, MAX_LIMIT) ?? DEFAULT_LIMIT,
    ...(state !== undefined && { state }),
    ...(contextId !== undefined && { contextId }),
    ...(cursor !== undefined && { cursor }),
    ...(options.flag('all') && { owner: '*' }),
  };
}

async function readPage({ agent, how }: TaskPeer, filter: ListTasksOptions): Promise<Page> {
  const { tasks, ...page } = await agent.tasks.list({ ...how, ...filter });
  return { tasks: tasks.map(({ document }) => document), ...page };
}

async function showPage(
  peer: TaskPeer,
  filter: ListTasksOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const { tasks, next } = await readPage(peer, filter);
  if (terminal.isJson) {
    for (const task of tasks) terminal.json(task);
    if (next !== undefined) terminal.json({ next });
    return EXIT.ok;
  }
  if (tasks.length > 0) printRows(tasks, context);
  else terminal.note(await noneText(peer, filter));
  if (next !== undefined) terminal.note(`there are more: --after ${next}`);
  return EXIT.ok;
}

/** An empty list is a surprise to who looks after an agent that works for others. */
async function noneText(peer: TaskPeer, filter: ListTasksOptions): Promise<string> {
  if (filter.owner !== undefined || filter.cursor !== undefined) return NONE;
  try {
    const { tasks, next } = await readPage(peer, { ...filter, owner: '*', limit: MAX_LIMIT });
    if (tasks.length === 0) return NONE;
    const count = `${tasks.length}${next === undefined ? '' : ' or more'}`;
    return `none of yours; such tasks of other owners, shown with --all: ${count}`;
  } catch {
    // Only who looks after the agent may see them.
    return NONE;
  }
}

async function showLive(
  peer: TaskPeer,
  filter: ListTasksOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  const { signal } = peer.how;
  const isDrawn = terminal.isStdoutTerminal && !terminal.isJson;
  const seen = new Map<string, string>();
  const notes = new AwayNotes({ context, name: peer.name, next: HOW_TO_GO_ON });
  const backOff = new BackOff({ ...notes.options, now: context.now, signal });
  while (!signal.aborted) {
    let tasks: Page['tasks'];
    try {
      ({ tasks } = await readPage(peer, filter));
    } catch (thrown) {
      if (signal.aborted) break;
      await backOff.after(thrown).catch((cause: unknown) => {
        throw notes.explain(cause);
      });
      continue;
    }
    backOff.answered();
    const changed = tasks.filter((task) => isChanged(task, seen));
    if (isDrawn) {
      terminal.raw(CLEAR_SCREEN);
      printRows(tasks, context, terminal.width);
    } else if (terminal.isJson) {
      for (const task of changed) terminal.json(task);
    } else if (changed.length > 0) {
      printRows(changed, context);
    }
    await context.wait(LIVE_EVERY_MS, signal);
  }
  return EXIT.interrupted;
}

/** Remembers what it was asked about. */
function isChanged(task: JsonObject, seen: Map<string, string>): boolean {
  const key = JSON.stringify([task['owner'] ?? null, task['id'] ?? null]);
  const state = JSON.stringify([task['status'] ?? null, task['generation'] ?? null]);
  const isNew = seen.get(key) !== state;
  seen.set(key, state);
  return isNew;
}

/** `width`: longer lines are cut. */
function printRows(
  tasks: readonly JsonObject[],
  { terminal, now, options }: CommandContext,
  width?: number,
): void {
  if (tasks.length === 0) terminal.note(NONE);
  else terminal.table(taskRows(tasks, { nowMs: now(), hasOwners: options.flag('all') }), width);
}
