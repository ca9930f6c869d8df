// Owns how much a run may report: so much output, so many events, so many of them not yet stored.
// SPEC.md section 8 (#exchange).

import { ITEM_WEIGHT, contentWeight, continuable, continuedBy, isTooLate } from '../artifact.ts';
import type { TaskArtifact } from '../artifact.ts';
import { TaskError } from '../error.ts';
import type { TaskChange } from '../events.ts';

export interface OutputLimits {
  readonly maxOutputBytes: number;
  readonly maxEvents: number;
  readonly maxPendingReports: number;
}

interface Known {
  readonly name: string;
  readonly isText: boolean;
  readonly isLast: boolean;
  readonly length: number;
}

/** What one attempt has reported, without the content. */
export class OutputTally {
  readonly #limits: OutputLimits;
  readonly #artifacts: Known[] = [];
  #bytes = 0;
  #events = 0;

  /** @param artifacts what the attempt goes on from. */
  constructor(limits: OutputLimits, artifacts: readonly TaskArtifact[]) {
    this.#limits = limits;
    for (const artifact of artifacts) {
      const whole = { ...artifact, append: false };
      this.#add(whole, this.#weightOf(whole));
    }
  }

  /** How long each artifact is, and which have not ended. */
  get standing(): { readonly keep: readonly number[]; readonly open: readonly number[] } {
    return {
      keep: this.#artifacts.map(({ length }) => length),
      open: this.#artifacts.flatMap(({ isLast }, at) => (isLast ? [] : [at])),
    };
  }

  /**
   * Does it get a place? Progress that comes too often or too fast does not; output that is too much, or comes too
   * fast, is an error, because it must not get lost.
   */
  admit(change: TaskChange, pending: number): boolean {
    const { maxEvents, maxPendingReports, maxOutputBytes } = this.#limits;
    if (change.type === 'progress') {
      // Half of the events are kept for output.
      if (this.#events >= maxEvents / 2 || pending >= maxPendingReports) return false;
    } else if (change.type === 'artifact') {
      if (isTooLate(this.#artifacts, change.artifact)) {
        const name = JSON.stringify(change.artifact.name);
        throw new TypeError(
          `"append" came after the "lastChunk" of ${name}: begin another artifact`,
        );
      }
      const weight = this.#weightOf(change.artifact);
      if (this.#bytes + weight > maxOutputBytes) {
        throw tooMuch(`the output is larger than ${maxOutputBytes} bytes`);
      }
      if (this.#events >= maxEvents) {
        throw tooMuch(`the output comes in more than ${maxEvents} pieces`);
      }
      if (pending >= maxPendingReports) {
        throw new TaskError('the output comes faster than it is stored: await ctx.artifact()', {
          code: 'OUTPUT_TOO_FAST',
        });
      }
      this.#add(change.artifact, weight);
    }
    this.#events += 1;
    return true;
  }

  #weightOf(artifact: TaskArtifact): number {
    return contentWeight(artifact) + (continuedBy(this.#artifacts, artifact) < 0 ? ITEM_WEIGHT : 0);
  }

  #add(artifact: TaskArtifact, weight: number): void {
    this.#bytes += weight;
    const at = continuedBy(this.#artifacts, artifact);
    const { length } = artifact.content;
    if (at < 0) {
      this.#artifacts.push({ ...continuable(artifact), length });
      return;
    }
    const begun = this.#artifacts[at]!;
    const isLast = artifact.isLast ?? false;
    this.#artifacts[at] = { ...begun, isLast, length: begun.length + length };
  }
}

function tooMuch(message: string): TaskError {
  return new TaskError(message, { code: 'OUTPUT_TOO_LARGE' });
}
