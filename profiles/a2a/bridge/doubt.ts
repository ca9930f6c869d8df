// Owns whether a message has arrived at an upstream, where its answer did not come back: the upstream is asked before
// anybody says that it is not known. SPEC.md section 20.2 (#bridge-doubt).

import { BackOff } from '../../../src/client/index.ts';
import { TransportError } from '../../../src/transport.ts';
import type { A2aAgent } from '../client/agent.ts';
import type { A2aStatus, A2aTask } from '../client/model.ts';
import { A2aRemoteError } from '../client/remote-error.ts';
import type { Patience } from './parts.ts';

const FIRST_PAUSE_MS = 200;
/** Messages of a history, and tasks of a context, that are looked at. */
const MOST = 100;
const RATE = 429;
const UNAVAILABLE = 503;

/** It was not taken: nothing was sent, or it was turned away before anything was done. */
export function hasNotArrived(thrown: unknown): boolean {
  if (thrown instanceof TransportError) return thrown.fault === 'unreachable';
  return (
    thrown instanceof A2aRemoteError && (thrown.status === RATE || thrown.status === UNAVAILABLE)
  );
}

/** The agent itself said no, and why. What a server on the way says of itself is no such word. */
export function isRefusal(thrown: unknown): thrown is A2aRemoteError {
  return thrown instanceof A2aRemoteError && (thrown.status ?? 0) < 500;
}

/** The task that the message began; `undefined` where that cannot be told. */
export function findBegun(
  agent: A2aAgent,
  contextId: string,
  messageId: string,
  patience: Patience,
): Promise<A2aTask | undefined> {
  // It has no lists.
  if (agent.chosen.version === '0.3') return Promise.resolve(undefined);
  const { signal } = patience;
  return untilTold(patience, async () => {
    const asked = { contextId, pageSize: MOST, historyLength: MOST };
    const { tasks } = await agent.list(asked, { signal });
    for (const task of tasks) {
      const history = task.history.length > 0 ? task.history : await historyOf(agent, task, signal);
      if (history.some(({ id }) => id === messageId)) return task;
    }
    return undefined;
  });
}

async function historyOf(
  agent: A2aAgent,
  { id }: A2aTask,
  signal: AbortSignal,
): Promise<A2aTask['history']> {
  return (await agent.get(id, { historyLength: MOST, signal })).history;
}

/** Whether a task has got a message. `undefined` where that cannot be told. */
export function findSaid(
  agent: A2aAgent,
  taskId: string,
  messageId: string,
  isBefore: (status: A2aStatus) => boolean,
  patience: Patience,
): Promise<true | undefined> {
  return untilTold(patience, async () => {
    const task = await agent.get(taskId, { historyLength: MOST, signal: patience.signal });
    const isThere = task.history.some(({ id }) => id === messageId) || !isBefore(task.status);
    return isThere || undefined;
  });
}

/** Asks until it tells, or has told nothing for a while. Who is away is waited for. */
async function untilTold<T>(
  { now, wait, maxAwayMs, doubtMs, signal }: Patience,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const backOff = new BackOff({ wait, now, signal, maxAwayMs, isKnown: true });
  let pauseMs = FIRST_PAUSE_MS;
  let since: number | undefined;
  while (!signal.aborted) {
    try {
      const told = await look();
      if (told !== undefined) return told;
      backOff.answered();
      since ??= now();
      if (now() - since >= doubtMs) return undefined;
      await wait(pauseMs, signal);
      pauseMs *= 2;
    } catch (thrown) {
      try {
        await backOff.after(thrown);
      } catch {
        return undefined;
      }
    }
  }
  return undefined;
}
