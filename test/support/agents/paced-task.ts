// A task that goes on only as far as a test lets it: each step is one event, in turns progress and a piece of output.

import { expect } from 'vitest';

import type { TaskUpdate } from '../../../src/client/task-update.ts';
import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { INITIAL_STATE, applyState } from '../../../src/state/document.ts';
import type { OnTask } from '../../../src/tasks/context.ts';

export class PacedTask {
  #allowed = 0;
  #isEnding = false;
  #onChange: () => void = () => undefined;

  readonly onTask: OnTask = async (_task, ctx) => {
    ctx.signal.addEventListener('abort', () => this.end());
    for (let step = 1; await this.#mayGoOn(step); step += 1) {
      if (step % 2 === 1) await ctx.progress(`step ${step}`);
      else await ctx.artifact({ name: `part ${step}`, text: `text of ${step}` });
    }
  };

  /** Of these steps each is one event, after the two of the start. */
  get steps(): number {
    return this.#allowed;
  }

  allow(steps: number): void {
    this.#allowed += steps;
    this.#onChange();
  }

  end(): void {
    this.#isEnding = true;
    this.#onChange();
  }

  async #mayGoOn(step: number): Promise<boolean> {
    while (step > this.#allowed && !this.#isEnding) {
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
    }
    return step <= this.#allowed;
  }
}

/** What a client has seen of such a task. Each event must follow the one before it: a patch fits no other document. */
export class SeenEvents {
  readonly names: string[] = [];
  #state = INITIAL_STATE;

  get generation(): number {
    return this.names.length;
  }

  add(ct: string, payload: JsonValue): void {
    if (ct === 'artifact.v1') {
      const [item] = (payload as { readonly items: readonly JsonObject[] }).items;
      this.names.push(item!['name'] as string);
      return;
    }
    this.#state = applyState(this.#state, payload);
    this.#addState(this.#state.value as JsonObject);
  }

  /** As a client tells it that has put the patches together itself. */
  addUpdate({ received, artifacts, document }: TaskUpdate): void {
    if (received?.ct === 'artifact.v1') this.names.push(...artifacts.map(({ name }) => name!));
    else this.#addState(document);
  }

  #addState({ status, task, progress }: JsonObject): void {
    const { message } = (progress ?? {}) as JsonObject;
    this.names.push((status === 'working' ? (message ?? status) : status) as string);
    expect((task as JsonObject)['generation']).toBe(this.generation);
  }
}

/** The names of all events of such a task after so many steps. */
export function namesOfLog(steps: number): string[] {
  const names = Array.from({ length: steps }, (_, at) =>
    at % 2 === 0 ? `step ${at + 1}` : `part ${at + 1}`,
  );
  return ['submitted', 'working', ...names, 'completed'];
}

/** The same numbers for the same seed, from 0 up to `below`. */
export function seededNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
}
