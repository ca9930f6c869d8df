// Owns following a task of another agent through lost connections: every event once, in order, until the task is over
// for who follows it. SPEC.md sections 8 and 9 (#exchange, #task-ids, #state-task).

import { TransportError } from '../transport.ts';
import type { BackOff } from './back-off.ts';
import type { Received } from './exchange.ts';
import { abortError } from './exchange.ts';
import type { DocumentOf, TaskUpdate } from './task-update.ts';
import { TaskFold } from './task-update.ts';

/** How a task is asked for. */
export interface TaskSource {
  /** One exchange: what happened after this generation, and last the task as it stands. */
  ask(after: number): AsyncIterable<Received>;
  /** Each exchange tells the events from the first on. @default false */
  readonly startsOver?: boolean;
  /** All of the task, in the message that ends an exchange. */
  readonly documentOf: DocumentOf;
  /** Something that is answered at once, to see whether the agent is back: `ask` may have nothing to tell for long. */
  readonly probe?: () => Promise<unknown>;
  /** Does it only say that nothing happened for as long as one exchange follows? @default never */
  readonly isQuiet?: (thrown: unknown) => boolean;
}

export interface FollowOptions {
  readonly backOff: BackOff;
  /** Ends it; the task goes on. */
  readonly signal: AbortSignal;
  /** Does nothing that matters follow this answer? */
  readonly isOver: (answer: TaskUpdate) => boolean;
}

/** Yields every event and every answer; the last is one that is over. Throws when the agent stays away, or refuses. */
export async function* followTask(
  source: TaskSource,
  { backOff, signal, isOver }: FollowOptions,
): AsyncGenerator<TaskUpdate, undefined> {
  const fold = new TaskFold(source.documentOf);
  for (;;) {
    const { generation } = fold;
    let failure: { readonly thrown: unknown } | undefined;
    try {
      if (backOff.isAway && source.probe !== undefined) {
        await source.probe();
        backOff.answered();
      }
      if (source.startsOver === true) fold.startOver();
      let isAnswered = false;
      for await (const received of source.ask(generation)) {
        backOff.answered();
        const update = fold.take(received);
        if (update === undefined) continue;
        yield update;
        if (update.isAnswer && isOver(update)) return undefined;
        isAnswered ||= update.isAnswer;
      }
      if (!isAnswered) throw new TransportError('lost', 'the exchange ended without an answer');
    } catch (thrown) {
      failure = { thrown };
    }
    if (signal.aborted) throw abortError(signal);
    if (failure === undefined) await backOff.rest(fold.generation > generation);
    else if (source.isQuiet?.(failure.thrown) === true) await backOff.rest(false);
    else await backOff.after(failure.thrown);
    if (signal.aborted) throw abortError(signal);
  }
}
