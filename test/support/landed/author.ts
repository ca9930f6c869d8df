// An author that works for commit b3437ec as for the version here, and notes in a file what it has done.

import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** What both versions give to an author. */
interface GivenTask {
  readonly id: string;
  readonly text?: string;
  readonly request?: { readonly goal: string };
}
interface Context {
  readonly attempt: number;
  readonly signal: AbortSignal;
  readonly restored: unknown;
  readonly progress: (words: string) => Promise<unknown>;
  readonly artifact: (artifact: {
    readonly name: string;
    readonly text: string;
    readonly append?: boolean;
  }) => Promise<unknown>;
  readonly ask: (question: string) => Promise<unknown>;
  readonly checkpoint: (value: number) => Promise<void>;
}

type OnTask = (task: GivenTask, ctx: Context) => Promise<void>;

/** Steps of an attempt that is not the first one, which never ends by itself. */
const LAST_STEPS = 3;
const STEP_MS = 100;

/**
 * By the first word of the goal: `quick` ends, `paced N` ends after so many steps, `fail` fails; `ask` hands over the
 * reply to its question, `kept` asks after a checkpoint. At their first attempt `steps` makes steps for ever, `replied`
 * too after a question, `hold` waits to be stopped, and `late` goes on at a signal, whoever has the task by then.
 */
export function authorNotingIn(notes: string): OnTask {
  const note = (...words: readonly unknown[]): void =>
    appendFileSync(notes, `${words.join(' ')} ${process.pid}\n`);
  return async ({ id, text, request }, ctx) => {
    const [kind, count] = (text ?? request!.goal).split(' ');
    const { attempt, signal } = ctx;
    const isFirst = attempt === 1;
    const answer = (words: string): Promise<unknown> =>
      ctx.artifact({ name: 'answer', text: words });
    const makeSteps = async (steps: number, isKept = true): Promise<void> => {
      const begin = Number(ctx.restored ?? 0);
      for (let step = begin; step < begin + steps; step += 1) {
        const piece = { name: 'log', text: `${step}:${attempt} `, append: true };
        if ((await ctx.artifact(piece)) === undefined) return;
        note('step', id, attempt);
        if (isKept) await ctx.checkpoint(step + 1);
        await pause(STEP_MS, undefined, { signal });
      }
    };
    note('begin', id, attempt);
    await ctx.progress('begun');
    if (kind === 'fail') throw new Error('it was to fail');
    if (kind === 'hold' && isFirst) await stopped(signal);
    if (kind === 'late' && isFirst)
      await new Promise((resolve) => process.once('SIGUSR2', resolve));
    if (kind === 'ask') await answer(String(await ctx.ask('which?')));
    if (kind === 'kept') {
      if (ctx.restored === undefined) {
        await ctx.artifact({ name: 'before', text: `attempt ${attempt}` });
        await ctx.checkpoint(1);
      }
      await answer(String(await ctx.ask('which?')));
    }
    const rest = isFirst ? Infinity : LAST_STEPS;
    if (kind === 'replied') {
      await answer(String(await ctx.ask('which?')));
      await makeSteps(rest, false);
    }
    if (kind === 'steps') await makeSteps(rest);
    if (kind === 'paced') await makeSteps(Number(count));
    if (['quick', 'hold', 'late'].includes(kind!)) await answer(`attempt ${attempt}`);
    note('done', id, attempt);
  };
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}
