// Owns following a task by the operations of an agent: the stream of a message, subscriptions, and questions.
// SPEC.md section 20 (#a2a-client-streams).

import type { A2aAgent, A2aCallOptions, FollowedFrom, Following } from '../agent.ts';
import type { AskedMessage } from '../asking/asked.ts';
import type { FollowOptions, NumberedEvent } from './follow.ts';
import { followTask } from './follow.ts';

/** What is needed of an agent. */
export type FollowedAgent = Pick<
  A2aAgent,
  'card' | 'chosen' | 'send' | 'stream' | 'get' | 'subscribe'
>;

type Times = Pick<FollowOptions, 'wait' | 'now'>;

export function followAgent(
  agent: FollowedAgent,
  start: FollowedFrom,
  { signal, timeoutMs, extensions, ...following }: Following & Times,
): ReturnType<typeof followTask> {
  const how = {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(extensions !== undefined && { extensions }),
  };
  const ending = signal ?? new AbortController().signal;
  const port = {
    isStreaming: agent.card.streaming,
    // Agents of 0.3 may tell only what happens from then on.
    tellsTask: agent.chosen.version !== '0.3',
    get: (id: string, until: AbortSignal) => agent.get(id, { ...how, signal: until }),
    subscribe: (id: string, lastEventId: string | undefined, until: AbortSignal) =>
      agent.subscribe(id, {
        ...how,
        signal: until,
        ...(lastEventId !== undefined && { lastEventId }),
      }),
  };
  const begun =
    'taskId' in start
      ? start
      : { ...start, events: begin(agent, start.send, { ...how, signal: ending }) };
  return followTask(port, begun, { ...following, signal: ending });
}

async function* begin(
  agent: FollowedAgent,
  asked: AskedMessage,
  options: A2aCallOptions,
): AsyncGenerator<NumberedEvent> {
  if (agent.card.streaming) {
    yield* agent.stream(asked, options);
    return;
  }
  const sent = await agent.send({ ...asked, isWaiting: false }, options);
  yield {
    event: 'task' in sent ? { type: 'task', task: sent.task } : { type: 'message', ...sent },
  };
}
