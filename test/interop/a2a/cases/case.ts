// Owns what a case of the matrix is given: an agent of ours, and clients of others that speak to it.

import { expect, onTestFinished } from 'vitest';

import type { A2aOptions } from '../../../../profiles/a2a/index.ts';
import type { TestAgent } from '../../../support/a2a/agent.ts';
import type { Place } from '../../../support/dialect/stores.ts';
import type { Answer, Client, SeenTask, Step } from '../client.ts';
import { Refused } from '../client.ts';
import type { Connection, Driver, Operation, Reason } from '../drivers/driver.ts';

export interface Bench {
  readonly driver: Driver;
  /** Shared by the cases. */
  readonly agent: TestAgent;
  /** A client that shows the token of this caller. @param as @default 'user' */
  readonly client: (as?: string, agent?: TestAgent) => Promise<Client>;
  /** A client that shows something else, or speaks to another agent. */
  readonly open: (connection: Connection, agent?: TestAgent) => Promise<Client>;
  /** Another agent, closed after the suite at the latest. @param place @default one of its own */
  readonly newAgent: (
    face?: A2aOptions,
    place?: Place,
  ) => Promise<TestAgent & { close(): Promise<void> }>;
  readonly newPlace: () => Place;
}

export interface Case {
  readonly number: number;
  readonly title: string;
  run(bench: Bench): Promise<void>;
}

/** The task that came back. */
export function taskIn(answer: Answer): SeenTask {
  if ('task' in answer) return answer.task;
  throw new Error(`it is no task: ${JSON.stringify(answer)}`);
}

export async function allOf(steps: AsyncIterable<Step>): Promise<Step[]> {
  const all: Step[] = [];
  for await (const step of steps) all.push(step);
  return all;
}

/** What it was refused with is what the client tells of that reason. */
export async function expectRefusal(
  { driver }: Bench,
  operation: Operation | 'stream' | 'subscribe',
  reason: Reason,
  asked: Promise<unknown>,
): Promise<void> {
  const thrown = await asked.then(
    (value) => new Error(`it was answered: ${JSON.stringify(value)}`),
    (cause: unknown) => cause,
  );
  if (!(thrown instanceof Refused)) throw thrown;
  const told = driver.tells?.(reason, operation) ?? reason;
  expect([operation, thrown.code, thrown.message]).toEqual([operation, told, expect.any(String)]);
}

/** Reads a stream in the background from now on; left after the test. */
export function watching(follow: (signal: AbortSignal) => AsyncIterable<Step>): {
  /** Resolves when something fits. */
  until(fits: (step: Step) => boolean): Promise<Step>;
  /** All of it, once it has ended or was left. */
  readonly end: Promise<readonly Step[]>;
  leave(): void;
} {
  const leaving = new AbortController();
  const steps = follow(leaving.signal);
  const told: Step[] = [];
  let wake = (): void => undefined;
  let isOver = false;
  const read = async (): Promise<readonly Step[]> => {
    try {
      for await (const step of steps) {
        told.push(step);
        wake();
      }
      return told;
    } finally {
      isOver = true;
      wake();
    }
  };
  const end = read();
  // A case that fails for another reason tells that one.
  end.catch(() => undefined);
  onTestFinished(() => leaving.abort());
  return {
    end,
    until: async (fits) => {
      for (;;) {
        const found = told.find(fits);
        if (found !== undefined) return found;
        if (isOver) throw new Error(`it ended before: ${JSON.stringify(await end)}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    leave: () => leaving.abort(),
  };
}
