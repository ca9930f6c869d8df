// Owns what the owner of a task says without being asked: sent on to the upstream, once. SPEC.md section 20.2
// (#bridge-states, #bridge-doubt).

import type { Message } from '../../../src/door/index.ts';
import { findSaid, hasNotArrived, isRefusal } from './doubt.ts';
import { UNKNOWN, saidBy } from './failures.ts';
import type { Sending } from './kept.ts';
import { messageOf } from './kept.ts';
import type { BridgeParts } from './parts.ts';
import { askedMessage, newSending, patienceOf, sendBackOff } from './parts.ts';
import { isIdempotent } from './upstreams.ts';

export class Saying {
  readonly #parts: BridgeParts;
  #isBegun = false;

  constructor(parts: BridgeParts) {
    this.#parts = parts;
  }

  /** Sends on what was being said when an earlier attempt ended, where that can be told, and all that is said from now on. */
  begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    // It ends with the attempt; what is wrong with the upstream shows elsewhere.
    void this.#goOn().catch(() => undefined);
  }

  async #goOn(): Promise<void> {
    const { ctx, teller, task } = this.#parts;
    const { saying } = teller.kept;
    if (saying !== undefined) await this.#resolve(saying, messageOf(task, saying.of));
    for (;;) {
      const message = await ctx.next();
      const sending = newSending(message);
      await teller.keep({ saying: sending });
      await this.#send(message, sending);
    }
  }

  async #send(message: Message, sending: Sending): Promise<void> {
    const { agent, ctx, teller, upstream } = this.#parts;
    const backOff = sendBackOff(this.#parts);
    const asked = { ...askedMessage(this.#parts, message, sending), isWaiting: false };
    for (;;) {
      try {
        await agent.send(asked, { signal: ctx.signal });
        teller.keepWith({ saying: undefined });
        return;
      } catch (thrown) {
        if (ctx.signal.aborted) throw thrown;
        if (isRefusal(thrown)) {
          return this.#tell(`the message was not taken: ${saidBy(upstream.name, thrown.words)}`);
        }
        if (!hasNotArrived(thrown)) return this.#resolve(sending, message);
        await backOff.after(thrown);
      }
    }
  }

  async #resolve(sending: Sending, message: Message | undefined): Promise<void> {
    const { agent, ctx, teller, upstream } = this.#parts;
    if (message !== undefined && isIdempotent(upstream, agent)) return this.#send(message, sending);
    const { taskId } = teller.kept;
    const patience = patienceOf(this.#parts);
    const isThere = await findSaid(agent, taskId!, sending.messageId, saysNothing, patience);
    if (ctx.signal.aborted) return;
    if (isThere === undefined) {
      this.#tell(`whether a message reached ${upstream.name} is not known (${UNKNOWN})`);
    } else teller.keepWith({ saying: undefined });
  }

  #tell(words: string): void {
    const { ctx, teller } = this.#parts;
    void ctx.progress(words);
    teller.keepWith({ saying: undefined });
  }
}

/** It may be the same or another, whether or not the message has arrived. */
function saysNothing(): boolean {
  return true;
}
