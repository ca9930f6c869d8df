// Owns the work that tasks of the dialect suite do: a case says what an author does, and gets the words that ask for it.
// All agents of the process know all works, so that any node can go on with a task of another.

import type { OnTask } from '../../../src/tasks/context.ts';

const works = new Map<string, OnTask>();

/** @returns the text of a task that does this. */
export function doing(work: OnTask): string {
  const name = `work-${works.size + 1}`;
  works.set(name, work);
  return name;
}

export const onTask: OnTask = (task, ctx) => {
  const work = works.get(task.text.split(/\s/, 1)[0]!);
  if (work === undefined) throw new Error(`nobody does ${JSON.stringify(task.text.slice(0, 80))}`);
  return work(task, ctx);
};

export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function newGate(): Gate {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  );
}
