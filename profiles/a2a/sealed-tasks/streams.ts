// Owns what a stream tells of a sealed task: from the log, in its order, until the request is answered. SPEC.md section 22
// (#sealed-streams).

import type { CallContext, TaskStep } from '../../../src/door/index.ts';
import { isResting, isTerminal } from '../../../src/door/index.ts';
import { noSuchTask } from '../errors/a2a-error.ts';
import type { SealedExchange } from './exchange.ts';
import { renderSteps, renderTask } from './render.ts';
import type { SealedTasks } from './sealed-tasks.ts';
import { shown } from './sealed-tasks.ts';
import type { Transcript } from './transcript.ts';

/** Steps of a sealed task, as they may be shown, or nothing yet: the stream has begun. */
export type SealedTold =
  | {
      readonly steps: readonly TaskStep[];
      readonly isLast: boolean;
      /** What it says, for evidence. */
      readonly of: TaskStep;
    }
  | undefined;

export interface SealedFollow {
  readonly id: string;
  /** The generation that it begins with. */
  readonly from: number;
  /** That one is known already. */
  readonly isKnown: boolean;
  /** Told where nothing can follow; a stream that only waits for the end may not begin after it. */
  readonly hasEnded?: () => Error;
}

/** It ends when the task has ended or waits for its owner. */
export async function* followSealed(
  sealed: SealedTasks,
  call: CallContext,
  { id, from, isKnown, hasEnded }: SealedFollow,
): AsyncGenerator<SealedTold, void> {
  const transcript = sealed.newTranscript();
  let known: ReadonlySet<SealedExchange> | undefined;
  for await (const step of sealed.steps(call, id)) {
    const { task } = step;
    const spoken = transcript.take(step);
    if (task.generation < from) continue;
    const { state } = task.status;
    const isLast = isResting(state);
    if (known === undefined) {
      if (hasEnded !== undefined && isTerminal(state)) throw hasEnded();
      known = new Set(transcript.exchanges);
      if (isKnown) {
        yield undefined;
        continue;
      }
      yield { steps: [await whole(transcript, sealed, known)], isLast, of: { task } };
    } else {
      const readers = known;
      const steps = await shown(() => renderSteps(task, spoken, sealed.sealer, readers));
      if (steps.length > 0) yield { steps, isLast, of: step };
    }
    if (isLast) return;
  }
}

async function whole(
  transcript: Transcript,
  { sealer }: SealedTasks,
  known: ReadonlySet<SealedExchange>,
): Promise<TaskStep> {
  return { task: await shown(() => renderTask(transcript, sealer, known)) };
}

/** The generation that the task is at. */
export async function generationOf(
  { context: { tasks } }: SealedTasks,
  call: CallContext,
  id: string,
): Promise<number> {
  const task = await tasks.get(call, id, { historyLength: 0, includeArtifacts: false });
  if (task === undefined) throw noSuchTask();
  return task.generation;
}
