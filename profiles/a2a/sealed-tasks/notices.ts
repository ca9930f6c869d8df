// Owns what a web hook is told of a sealed task: each step by itself, with envelopes in the place of all content. SPEC.md
// section 22 (#sealed-push).

import type { HookNotice, TaskStep } from '../../../src/door/index.ts';
import { renderSteps, renderTask } from './render.ts';
import type { SealedTasks } from './sealed-tasks.ts';
import { isSealedTask } from './source.ts';
import type { Transcript } from './transcript.ts';

/** Hooks whose transcripts are kept between two steps. */
const MAX_HOOKS = 64;

export class SealedNotices {
  readonly #sealed: SealedTasks;
  /** By the hook; the one that was told last comes last. */
  readonly #transcripts = new Map<string, Transcript>();

  constructor(sealed: SealedTasks) {
    this.#sealed = sealed;
  }

  /** The step as it may be told; `undefined` where there is nothing to say. */
  async of(notice: HookNotice): Promise<TaskStep | undefined> {
    const { step } = notice;
    if (!isSealedTask(step.task)) return step;
    const { transcript, spoken } = await this.#upTo(notice);
    const { sealer } = this.#sealed;
    if (step.event === undefined) return { task: await renderTask(transcript, sealer) };
    const steps = await renderSteps(step.task, spoken, sealer);
    return steps.at(-1);
  }

  async #upTo({ step, deliveryId, earlier }: HookNotice): Promise<{
    readonly transcript: Transcript;
    readonly spoken: ReturnType<Transcript['take']>;
  }> {
    const { generation } = step.task;
    const hook = deliveryId.slice(0, deliveryId.lastIndexOf('.'));
    const known = this.#transcripts.get(hook);
    this.#transcripts.delete(hook);
    if (known?.generation === generation - 1) {
      const spoken = known.take(step);
      this.#keep(hook, known);
      return { transcript: known, spoken };
    }
    const transcript = this.#sealed.newTranscript();
    for await (const one of earlier()) {
      const spoken = transcript.take(one);
      if (transcript.generation < generation) continue;
      this.#keep(hook, transcript);
      return { transcript, spoken };
    }
    throw new Error('the log of a task ends before what is told of it');
  }

  #keep(hook: string, transcript: Transcript): void {
    this.#transcripts.set(hook, transcript);
    const [oldest] = this.#transcripts.keys();
    if (this.#transcripts.size > MAX_HOOKS) this.#transcripts.delete(oldest!);
  }
}
