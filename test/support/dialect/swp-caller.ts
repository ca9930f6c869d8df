// The driver of the dialect suite for SWP: a Task for each call, on a connection of its own. What the wire cannot say it
// does not pretend to.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';

import type { JsonObject } from '../../../src/codec/value.ts';
import type { TaskState } from '../../../src/tasks/task.ts';
import { frame, hex, textOf } from '../swp/frames.ts';
import type { OfType } from '../swp/raw-connection.ts';
import { RawConnection } from '../swp/raw-connection.ts';
import type { Ask, Caller, Told, View } from './caller.ts';
import { GONE, Refused } from './caller.ts';

interface SwpCallerOptions {
  readonly address: string;
  /** The address of this machine that it calls from. */
  readonly from: string;
  readonly owner: string;
}

type Task = OfType<'task'>;

const RESTS: ReadonlySet<string> = new Set(['input-required', 'auth-required']);

export function swpCaller({ address, from, owner }: SwpCallerOptions): Caller {
  const asked = new Map<string, Task>();
  const opened = new Set<RawConnection>();

  async function give(task: Task): Promise<RawConnection> {
    const [host, port] = address.split(':');
    const socket = connect({ host: host!, port: Number(port), localAddress: from });
    const connection = new RawConnection(socket);
    opened.add(connection);
    await once(socket, 'connect');
    connection.send(frame(task));
    return connection;
  }

  function taskOf(ask: Ask | string): Task {
    const whole = typeof ask === 'string' ? { text: ask } : ask;
    const { text, parts, id = randomUUID(), contextId, deadline } = whole;
    if (parts !== undefined || contextId !== undefined)
      throw new Error('the wire has no place for it');
    const task: Task = {
      type: 'task',
      task_id: hex(id),
      kind: deadline === undefined ? text : 'task.v1',
      input: deadline === undefined ? '' : hex(JSON.stringify(payloadOf(text, deadline))),
    };
    asked.set(id, task);
    return task;
  }

  const known = (id: string): Task => {
    const task = asked.get(id);
    if (task === undefined) throw new Error('the wire knows only Tasks that were given');
    return task;
  };

  async function* follow(id: string, after?: number, signal?: AbortSignal): AsyncGenerator<Told> {
    if (after !== undefined) throw new Error('the wire has no generations to go on from');
    const connection = await give(known(id));
    signal?.addEventListener('abort', () => connection.socket.destroy());
    let isOver = false;
    void connection.closed.then(() => (isOver = true));
    for (let seen = 0; ;) {
      for (const message of connection.messages.slice(seen)) {
        seen += 1;
        if (message.type === 'event') yield toldOf(message);
        if (message.type === 'result') {
          yield { type: 'state', generation: Infinity, state: viewOf(id, message).state };
          return;
        }
      }
      if (isOver) throw new Refused(GONE, true, 'the connection was closed');
      if (seen === connection.messages.length)
        await Promise.race([connection.more(), connection.closed]);
    }
  }

  const unsaid = (): Promise<never> => Promise.reject(new Error('the wire cannot say this'));
  return {
    owner,
    start: async (ask) => {
      const task = taskOf(ask);
      await give(task);
      return runningView(textOf(task.task_id));
    },
    run: async (ask, waitMs = 60_000) => {
      const task = taskOf(ask);
      const connection = await give(task);
      return restOf(connection, textOf(task.task_id), waitMs);
    },
    // An equal Task brings the Result again.
    get: async (id) => restOf(await give(known(id)), id, 60_000),
    say: unsaid,
    list: unsaid,
    cancel: unsaid,
    follow,
    close: async () => {
      for (const { socket } of opened) socket.destroy();
    },
  };
}

async function restOf(connection: RawConnection, id: string, waitMs: number): Promise<View> {
  const over = AbortSignal.timeout(waitMs);
  const ended = new Promise<void>((resolve) => over.addEventListener('abort', () => resolve()));
  let isClosed = false;
  void connection.closed.then(() => (isClosed = true));
  for (;;) {
    const [result] = connection.of('result');
    if (result !== undefined) return viewOf(id, result);
    const last = connection.of('event').at(-1);
    const state = last && stateOf(last);
    if (state !== undefined && RESTS.has(state)) {
      return { ...runningView(id), state, words: last!.message };
    }
    if (over.aborted) return runningView(id);
    if (isClosed) throw new Refused(GONE, true, 'the connection was closed');
    await Promise.race([connection.more(), connection.closed, ended]);
  }
}

/** All that is known before the first sign of it. */
function runningView(id: string): View {
  return { id, state: 'working', generation: 0, words: '', history: [], artifacts: [] };
}

function viewOf(id: string, { ok, output, error_message: reason }: OfType<'result'>): View {
  const view = runningView(id);
  if (ok) {
    const parts = [{ text: textOf(output) }];
    return { ...view, state: 'completed', artifacts: [{ id: 'output', name: 'output', parts }] };
  }
  const [, code = '', message = ''] = /^[a-z ]+: ([A-Z_]+) (.*)$/s.exec(reason) ?? [];
  return { ...view, state: 'failed', failure: { code, message } };
}

function toldOf(event: OfType<'event'>): Told {
  const value = JSON.parse(textOf(event.event_payload)) as { readonly generation: number };
  const state = stateOf(event);
  return { type: 'state', generation: value.generation, ...(state !== undefined && { state }) };
}

function stateOf({ event_payload: payload }: OfType<'event'>): TaskState | undefined {
  const { status } = JSON.parse(textOf(payload)) as {
    readonly status?: { readonly state: TaskState };
  };
  return status?.state;
}

function payloadOf(goal: string, deadline: number): JsonObject {
  return {
    kind: 'task.v1',
    goal,
    inputs: {},
    constraints: { time_budget_s: 0, compute_budget: 'low', safety: {} },
    deliverables: [],
    acceptance: [],
    context: { task: { deadline: new Date(deadline).toISOString() } },
  };
}
