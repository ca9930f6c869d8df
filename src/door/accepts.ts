// Owns what an agent may say before a task exists: that it does not take it, or the answer at once.
// ARCHITECTURE.md ("The door").

import type { MaybePromise } from '../crypto/provider.ts';
import { SdlError } from '../errors.ts';
import { TaskError } from '../tasks/error.ts';
import type { Message, Words } from '../tasks/message.ts';
import { agentMessage } from '../tasks/message.ts';
import { plainText } from '../tasks/plain-text.ts';
import type { Task, TaskOrigin } from '../tasks/task.ts';
import type { optionalFacts } from '../tasks/task.ts';
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

type AnsweredMember = 'tenant' | 'owner' | 'id' | 'message' | 'metadata' | 'source' | 'authority';

interface AnsweredOrigin extends Pick<TaskOrigin, AnsweredMember> {
  readonly facts: ReturnType<typeof optionalFacts>;
}

/** A task that was answered before it existed: nothing of it is stored. */
export function answeredTask(
  { facts, tenant, owner, id, message, metadata, source, authority }: AnsweredOrigin,
  answer: Message,
  nowMs: number,
): Task {
  return Object.freeze({
    tenant,
    owner,
    id,
    // Not before the others: V8 takes a hundred times as long then.
    ...facts,
    direct: true,
    status: Object.freeze({ state: 'completed', at: nowMs, message: answer }),
    generation: SUBMITTED_AND_COMPLETED,
    attempt: 0,
    history: [message, answer],
    artifacts: [],
    children: [],
    metadata,
    source,
    authority,
    createdAt: nowMs,
  });
}

/** The events that such a task would have in its log. */
const SUBMITTED_AND_COMPLETED = 2;
