// Owns tasks in every state, and how each of them ends after an upgrade.

import { expect } from 'vitest';

import type { RemoteAgent } from '../../../src/client/remote-agent.ts';
import { PLACES } from './homes.ts';
import type { Notes } from './notes.ts';
import { give } from './workload.ts';

/** Gives a task and resolves when it is in this state. */
export async function reach(
  agent: RemoteAgent,
  id: string,
  goal: string,
  state: string,
): Promise<void> {
  await give(agent, id, goal);
  for await (const { status } of agent.tasks.watch(id)) if (status === state) return;
}

/** How a task has ended, with all of its output. */
export async function endOf(agent: RemoteAgent, id: string): Promise<readonly [string, object]> {
  for await (const update of agent.tasks.watch(id)) {
    if (!update.hasEnded || !update.isWhole) continue;
    const output = update.artifacts.map(({ name, text }) => [name, text]);
    return [update.status, Object.fromEntries(output) as object];
  }
  throw new Error(`${id} is not told to its end`);
}

const hasBegun = (notes: Notes, task: string): Promise<void> =>
  notes.until(({ what, id }) => what === 'begin' && id === task);

/** Tasks in every state at one node, as its operator gives them and as a stranger does who has no place left. */
export class States {
  readonly #at: number;
  readonly #notes: Notes;

  constructor(at: number, notes: Notes) {
    this.#at = at;
    this.#notes = notes;
  }

  async make(operator: RemoteAgent, stranger: RemoteAgent): Promise<void> {
    const id = (name: string): string => `${name}-${this.#at}`;
    await reach(operator, id('done'), 'quick', 'completed');
    await reach(operator, id('failed'), 'fail', 'failed');
    await give(operator, id('canceled'), 'hold');
    await hasBegun(this.#notes, id('canceled'));
    await operator.tasks.cancel(id('canceled'));
    await reach(operator, id('ask'), 'ask', 'input-required');
    await reach(operator, id('kept'), 'kept', 'input-required');
    await reach(operator, id('replied'), 'replied', 'input-required');
    await operator.tasks.reply(id('replied'), 'before');
    await give(operator, id('steps'), 'steps');
    await give(operator, id('late'), 'late');
    for (let place = 0; place < PLACES; place += 1) {
      await give(stranger, id(`hold-${place}`), 'hold');
      await hasBegun(this.#notes, id(`hold-${place}`));
    }
    for (const task of ['steps', 'replied']) {
      await this.#notes.until((note) => note.what === 'step' && note.id === id(task));
    }
    await hasBegun(this.#notes, id('late'));
  }

  /** How each of the operator's ends. */
  ends(): readonly (readonly [id: string, status: string, output: object])[] {
    const id = (name: string): string => `${name}-${this.#at}`;
    const steps = expect.stringMatching(/^0:1 /) as string;
    return [
      [id('done'), 'completed', { answer: 'attempt 1' }],
      [id('failed'), 'failed', {}],
      [id('canceled'), 'canceled', {}],
      [id('ask'), 'completed', { answer: 'after' }],
      [id('kept'), 'completed', { before: 'attempt 1', answer: 'after' }],
      [id('replied'), 'completed', { answer: 'before', log: '0:2 1:2 2:2 ' }],
      [id('steps'), 'completed', { log: steps }],
      [id('late'), 'completed', { answer: 'attempt 2' }],
    ];
  }
}
