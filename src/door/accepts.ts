// Owns what an agent may say before a task exists: that it does not take it, or the answer at once.
// ARCHITECTURE.md ("The door").

import type { MaybePromise } from '../crypto/provider.ts';
import { SdlError } from '../errors.ts';
import { TaskError } from '../tasks/error.ts';
import { applyEvent, placeEvent } from '../tasks/event.ts';
import type { Message, Words } from '../tasks/message.ts';
import { agentMessage } from '../tasks/message.ts';
import { plainText } from '../tasks/plain-text.ts';
import type { Task, TaskOrigin } from '../tasks/task.ts';
import { optionalFacts, unstartedTask } from '../tasks/task.ts';
import type { CallContext } from './call.ts';

/** Refuses by throwing, answers at once by returning words or parts, or returns nothing: then the task begins. */
export type Accepts = (
  message: Message,
  call: CallContext,
) => MaybePromise<Words | undefined | void>;

const MAX_WORDS = 2_000;

/** The answer; `undefined` when there shall be a task. Throws TASK_REFUSED with the words of a TaskError. */
export async function askToAccept(
  accepts: Accepts,
  message: Message,
  call: CallContext,
  newId: () => string,
): Promise<Message | undefined> {
  try {
    const words = await accepts(message, call);
    return words === undefined ? undefined : agentMessage(words, newId());
  } catch (thrown) {
    if (!(thrown instanceof TaskError)) throw thrown;
    const { code, message: words } = thrown;
    throw new SdlError('TASK_REFUSED', words, {
      details: { code, message: plainText(words, MAX_WORDS) },
      cause: thrown,
    });
  }
}

/** A task that was answered before it existed: nothing of it is stored. */
export function answeredTask(
  origin: Omit<TaskOrigin, 'createdAt' | 'metadata'> & Partial<Pick<TaskOrigin, 'metadata'>>,
  answer: Message,
  nowMs: number,
): Task {
  const { tenant, owner, id, message, metadata = {}, source, authority } = origin;
  const unstarted = unstartedTask({
    tenant,
    owner,
    id,
    ...optionalFacts(origin),
    message,
    metadata,
    source,
    authority,
    createdAt: nowMs,
  });
  const submitted = applyEvent(
    unstarted,
    placeEvent({ type: 'status', status: { state: 'submitted' } }, 1, nowMs),
  );
  const end = {
    type: 'status',
    status: { state: 'completed', message: answer },
    direct: true,
  } as const;
  return Object.freeze(applyEvent(submitted, placeEvent(end, 2, nowMs)));
}
