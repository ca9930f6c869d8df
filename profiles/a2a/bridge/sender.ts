// Owns how the message that begins the upstream's task, and each reply to a question of it, is sent: once, unless it has
// certainly not arrived. SPEC.md section 20.2 (#bridge-kept, #bridge-doubt).

import type { BackOff } from '../../../src/client/index.ts';
import type { Message } from '../../../src/door/index.ts';
import { TransportError } from '../../../src/transport.ts';
import type { FollowedFrom } from '../client/agent.ts';
import { A2aRemoteError } from '../client/remote-error.ts';
import { findBegun, findSaid, hasNotArrived, isRefusal } from './doubt.ts';
import { inDoubt, neverReached, refused } from './failures.ts';
import { messageOf } from './kept.ts';
import type { BridgeParts } from './parts.ts';
import { askedMessage, newSending, patienceOf, sendBackOff } from './parts.ts';
import { isIdempotent } from './upstreams.ts';

export class Sender {
  readonly #parts: BridgeParts;
  readonly #backOff: BackOff;
  /** Replies that came since this attempt began. */
  readonly #replies = new Map<string, Message>();

  constructor(parts: BridgeParts) {
    this.#parts = parts;
    this.#backOff = sendBackOff(parts);
  }

  /** Something is being sent, and nobody knows yet what became of it. */
  get isSending(): boolean {
    return this.#parts.teller.kept.sending !== undefined;
  }

  /** Stored as being sent before it is. */
  async send(message: Message): Promise<FollowedFrom> {
    const { teller } = this.#parts;
    const isAnswered = teller.kept.taskId !== undefined;
    this.#replies.set(message.id, message);
    await teller.keep({ sending: newSending(message), isAsked: false, isAnswered });
    return this.#again();
  }

  /** Where to go on when it was not answered; `undefined` where whoever said it has to decide. Throws a TaskError. */
  async after(thrown: unknown): Promise<FollowedFrom | undefined> {
    const { upstream, teller, ctx } = this.#parts;
    if (hasNotArrived(thrown)) {
      await this.#backOff.after(thrown).catch(() => {
        throw neverReached(upstream.name, thrown);
      });
      if (ctx.signal.aborted) throw ctx.signal.reason;
      return this.#again();
    }
    if (isForbidden(thrown)) throw neverReached(upstream.name, thrown);
    if (isRefusal(thrown)) throw refused(upstream.name, thrown, teller.kept.taskId === undefined);
    const isDoubt = thrown instanceof TransportError || thrown instanceof A2aRemoteError;
    if (!isDoubt) throw thrown;
    return this.resolve();
  }

  /** The same, for what an earlier attempt was sending. */
  async resolve(): Promise<FollowedFrom | undefined> {
    const { agent, teller, upstream, ctx } = this.#parts;
    const { taskId } = teller.kept;
    if (isIdempotent(upstream, agent)) return this.#again();
    const found = taskId === undefined ? await this.#findBegun() : await this.#findReply(taskId);
    if (ctx.signal.aborted) throw ctx.signal.reason;
    return found;
  }

  async #findBegun(): Promise<FollowedFrom> {
    const { agent, teller, upstream, ctx } = this.#parts;
    const { contextId, sending } = teller.kept;
    const patience = patienceOf(this.#parts);
    const found = await findBegun(agent, contextId, sending!.messageId, patience);
    if (found === undefined && !ctx.signal.aborted) throw inDoubt(upstream.name);
    const taskId = found?.id ?? '';
    // All that was ever told of it, where its events have numbers. It has arrived: it is never sent again.
    if (found !== undefined) await teller.keep({ sending: undefined, taskId, eventId: '0' });
    return { taskId, eventId: '0' };
  }

  async #findReply(taskId: string): Promise<FollowedFrom | undefined> {
    const { agent, teller } = this.#parts;
    const { messageId } = teller.kept.sending!;
    const isBefore = teller.isAnswered.bind(teller);
    const isThere = await findSaid(agent, taskId, messageId, isBefore, patienceOf(this.#parts));
    if (isThere === undefined) return undefined;
    await teller.keep({ sending: undefined });
    return teller.following;
  }

  #again(): FollowedFrom {
    const { task, teller } = this.#parts;
    const { known, kept } = teller;
    const sending = kept.sending!;
    const message = this.#replies.get(sending.of) ?? messageOf(task, sending.of);
    return {
      send: askedMessage(this.#parts, message ?? task.history[0]!, sending),
      ...(known !== undefined && { known }),
    };
  }
}

/** The rules here do not allow the address. */
function isForbidden(thrown: unknown): boolean {
  return thrown instanceof TransportError && thrown.fault === 'forbidden';
}
