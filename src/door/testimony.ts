// Owns what the door tells its witness, and that a witness never harms a stream. ARCHITECTURE.md ("The door").

import { SdlError } from '../errors.ts';
import type { TaskStep } from '../tasks/event.ts';
import type { CallContext } from './call.ts';
import { isWalk } from './covered.ts';
import type { AcceptedMessage, EvidenceHashes, TellSent, Witness } from './witness.ts';

const nothing = (): void => undefined;

export class Testimony {
  readonly #witness: Witness | undefined;
  readonly #onError: (cause: unknown) => void;

  /** @param witness `undefined` where nobody keeps evidence. */
  constructor(witness: Witness | undefined, onError: (cause: unknown) => void) {
    this.#witness = witness;
    this.#onError = onError;
  }

  /** Is there anybody to tell? */
  get isGiven(): boolean {
    return this.#witness !== undefined;
  }

  /** Throws UNAVAILABLE where the witness does not let it happen unseen. */
  async accepted(message: AcceptedMessage): Promise<EvidenceHashes | undefined> {
    try {
      return await this.#witness?.accepted(message);
    } catch (cause) {
      throw new SdlError('UNAVAILABLE', 'no evidence of it can be kept', { cause });
    }
  }

  readonly sent: TellSent = (call, step) => {
    try {
      this.#witness?.sent(call, step);
    } catch (cause) {
      this.#onError(cause);
    }
  };

  /** For who follows a task. Who gave a generation has seen what was before it, and the first step repeats that. */
  followed(call: CallContext, after: number | undefined): (step: TaskStep) => void {
    if (this.#witness === undefined || isWalk(call)) return nothing;
    let isSeen = after !== undefined;
    return (step) => {
      if (!isSeen) this.sent(call, step);
      isSeen = false;
    };
  }
}
