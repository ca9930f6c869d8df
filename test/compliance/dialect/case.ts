// Owns what a case of the dialect suite is given: a face, an agent that is spoken to through it, and ways to make more.

import { expect, onTestFinished } from 'vitest';

import type { RuntimeOptions } from '../../../src/runtime/options.ts';
import type { DialectAgent } from '../../support/dialect/agent.ts';
import type { Caller, Told, View } from '../../support/dialect/caller.ts';
import { Refused } from '../../support/dialect/caller.ts';
import type { Face } from '../../support/dialect/faces.ts';
import type { Place } from '../../support/dialect/stores.ts';

export interface Bench {
  readonly face: Face;
  /** Shared by the cases, each with owners of its own. */
  readonly agent: DialectAgent;
  /** How often what may go either way is tried. */
  readonly races: number;
  /** A new owner. */
  readonly caller: () => Promise<Caller>;
  readonly newPlace: () => Place;
  /** Another agent, on a store of its own unless one is given; closed after the test. */
  readonly newAgent: (
    options?: Partial<RuntimeOptions>,
    as?: DialectAgent,
  ) => Promise<DialectAgent>;
}

export interface Case {
  /** Of the brief of the suite. */
  readonly number: number;
  readonly title: string;
  run(bench: Bench): Promise<void>;
}

/** What it was refused with. Fails where it was not. */
export async function refusalOf(answer: Promise<unknown>): Promise<Refused> {
  const thrown = await answer.then(
    (value) => new Error(`it was answered: ${JSON.stringify(value)}`),
    (cause: unknown) => cause,
  );
  if (thrown instanceof Refused) return thrown;
  throw thrown;
}

export async function allOf(steps: AsyncIterable<Told>): Promise<Told[]> {
  const all: Told[] = [];
  for await (const step of steps) all.push(step);
  return all;
}

/** The task when it has ended. */
export async function ended(caller: Caller, id: string): Promise<View> {
  await allOf(caller.follow(id));
  return caller.get(id);
}

/** The task once it is in this state. */
export async function reached(caller: Caller, id: string, state: View['state']): Promise<View> {
  for await (const step of caller.follow(id)) if (step.state === state) break;
  const view = await caller.get(id);
  expect(view.state).toBe(state);
  return view;
}

/** Reads a stream in the background from now on. */
export function watching(follow: (signal: AbortSignal) => AsyncIterable<Told>): {
  readonly told: readonly Told[];
  readonly end: Promise<unknown>;
  /** Resolves when something fits. */
  until(fits: (told: Told) => boolean): Promise<Told>;
  leave(): void;
} {
  const leaving = new AbortController();
  const steps = follow(leaving.signal);
  const told: Told[] = [];
  let wake = (): void => undefined;
  let isOver = false;
  const read = async (): Promise<undefined> => {
    for await (const step of steps) {
      told.push(step);
      wake();
    }
  };
  const end = read()
    .catch((cause: unknown) => cause)
    .finally(() => {
      isOver = true;
      wake();
    });
  onTestFinished(() => leaving.abort());
  return {
    told,
    end,
    until: async (fits) => {
      for (;;) {
        const found = told.find(fits);
        if (found !== undefined) return found;
        if (isOver) throw new Error('the stream ended before it was told', { cause: await end });
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    leave: () => leaving.abort(),
  };
}
