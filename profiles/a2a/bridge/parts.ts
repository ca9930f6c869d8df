// Owns what belongs to one task of a bridge while it is worked on, and how it is asked for.

import { BackOff } from '../../../src/client/index.ts';
import type { AuthorTask, Message, TaskContext } from '../../../src/door/index.ts';
import { TransportError } from '../../../src/transport.ts';
import type { A2aAgent } from '../client/agent.ts';
import type { AskedMessage } from '../client/asking/asked.ts';
import type { Sending } from './kept.ts';
import { hasNotArrived } from './doubt.ts';
import type { ResolvedBridgeOptions, Upstream } from './options.ts';
import type { Route } from './route.ts';
import { askedOf } from './route.ts';
import type { Teller } from './teller.ts';

export interface BridgeParts {
  readonly task: AuthorTask;
  readonly ctx: TaskContext;
  readonly upstream: Upstream;
  readonly agent: A2aAgent;
  readonly route: Route;
  readonly teller: Teller;
  readonly options: ResolvedBridgeOptions;
}

/** How long an upstream is waited for. */
export type Patience = Pick<ResolvedBridgeOptions, 'now' | 'wait' | 'maxAwayMs' | 'doubtMs'> & {
  readonly signal: AbortSignal;
};

export function patienceOf({ options, ctx }: Pick<BridgeParts, 'options' | 'ctx'>): Patience {
  const { now, wait, maxAwayMs, doubtMs } = options;
  return { now, wait, maxAwayMs, doubtMs, signal: ctx.signal };
}

/** Between two tries to send what has certainly not arrived. */
export function sendBackOff(parts: BridgeParts): BackOff {
  const { doubtMs: _doubt, ...patience } = patienceOf(parts);
  const onAway = (): void => notice(parts, 'does not answer');
  return new BackOff({ ...patience, isKnown: true, isPassing: hasNotArrived, onAway });
}

/** What the upstream is sent. */
export function askedMessage(
  { task, route, teller }: BridgeParts,
  message: Message,
  { messageId }: Sending,
): AskedMessage {
  const { taskId, contextId } = teller.kept;
  return {
    ...askedOf(message, messageId, route, task),
    contextId,
    ...(taskId !== undefined && { taskId }),
  };
}

export function newSending(message: Message): Sending {
  return { messageId: globalThis.crypto.randomUUID(), of: message.id };
}

export function notice(
  { options, upstream, task }: Pick<BridgeParts, 'options' | 'upstream' | 'task'>,
  words: string,
): void {
  options.onNotice(`${upstream.name} ${words}`, { id: task.id, owner: task.owner });
}

/** Answers that are none are asked for again a few times. */
export function garbageBound(most: number): (thrown: unknown) => boolean {
  let seen = 0;
  return (thrown) => {
    if (!(thrown instanceof TransportError && thrown.fault === 'protocol')) return false;
    seen += 1;
    return seen <= most;
  };
}
