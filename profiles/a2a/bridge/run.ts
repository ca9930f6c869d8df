// Owns one task of a bridge, from what is kept of it to its end: sent once, followed, its questions asked and answered.
// SPEC.md section 20.2.

import { isPassingFault } from '../../../src/client/index.ts';
import type { AuthorTask, Message, Part, TaskContext } from '../../../src/door/index.ts';
import { TaskError } from '../../../src/door/index.ts';
import type { FollowedFrom } from '../client/agent.ts';
import { hasEnded, isResting } from '../client/following/fold.ts';
import type { A2aStatus } from '../client/model.ts';
import { connected } from './connecting.ts';
import { UNKNOWN, canceled, failed, notFollowed, rejected } from './failures.ts';
import { readKept, statusIn } from './kept.ts';
import type { ResolvedBridgeOptions } from './options.ts';
import { outlasting } from './outlasting.ts';
import type { BridgeParts } from './parts.ts';
import { garbageBound, notice } from './parts.ts';
import { contextAt, routeTo } from './route.ts';
import { Saying } from './saying.ts';
import { Sender } from './sender.ts';
import { Teller } from './teller.ts';
import type { Upstreams } from './upstreams.ts';

/** Answers that are none, of one task. */
const MOST_GARBAGE = 4;
/** How long the name of a task is waited for when nobody wants the task any more, and how long canceling it may take. */
const LAST_WORDS_MS = 5_000;

/** Does the task by its upstream. */
export async function bridgeTask(
  task: AuthorTask,
  ctx: TaskContext,
  upstreams: Upstreams,
  options: ResolvedBridgeOptions,
): Promise<void> {
  const before = readKept(ctx.restored);
  const upstream = before === undefined ? upstreams.choose(task) : upstreams.named(before.upstream);
  if (upstream === undefined) {
    throw new TaskError(`the agent that had the task is not known here any more: ${UNKNOWN}`, {
      code: 'UPSTREAM_TASK_LOST',
    });
  }
  const route = routeTo(upstream, task, ctx.hops, options.maxHops);
  const kept = before ?? { upstream: upstream.name, contextId: contextAt(upstream, task) };
  const parts = { task, ctx, upstream, route, teller: new Teller(task, ctx, kept), options };
  try {
    const agent = await connected(parts, upstreams);
    await new BridgedTask({ ...parts, agent }).run();
  } catch (thrown) {
    if (ctx.signal.aborted) throw ctx.signal.reason;
    // Its card may be another one by now.
    upstreams.forget(upstream);
    throw thrown;
  }
}

/** What it came to: an answer without a task, or a status that rests; `undefined` where whoever replied has to decide. */
type Rested = { readonly answer: Message } | { readonly status: A2aStatus };

class BridgedTask {
  readonly #parts: BridgeParts;
  readonly #sender: Sender;
  readonly #saying: Saying;
  readonly #isGarbage = garbageBound(MOST_GARBAGE);

  constructor(parts: BridgeParts) {
    this.#parts = parts;
    this.#sender = new Sender(parts);
    this.#saying = new Saying(parts);
  }

  async run(): Promise<void> {
    const { ctx } = this.#parts;
    let from = await this.#beginning();
    for (;;) {
      const rested = await this.#until(from ?? (await this.#askAgain()));
      if (rested === undefined) {
        from = undefined;
        continue;
      }
      if ('answer' in rested) {
        await ctx.answer(wordsOf(rested.answer));
        return;
      }
      const status = hasEnded(rested.status) ? rested.status : await this.#ask(rested.status);
      if ('state' in status) return this.#end(status);
      from = status;
    }
  }

  /** Where this attempt goes on. */
  async #beginning(): Promise<FollowedFrom | undefined> {
    const { task, ctx, teller } = this.#parts;
    const { taskId, isAsked = false, status } = teller.kept;
    if (this.#sender.isSending) return this.#sender.resolve();
    if (taskId === undefined) return this.#sender.send(task.history[0]!);
    if (!isAsked || status === undefined) return teller.following;
    const asked = statusIn(status);
    return this.#sender.send(await ctx.ask(questionIn(asked), kindOf(asked)));
  }

  async #until(from: FollowedFrom): Promise<Rested | undefined> {
    const { ctx, upstream } = this.#parts;
    for (let next: FollowedFrom | undefined = from; next !== undefined;) {
      try {
        return await this.#follow(next);
      } catch (thrown) {
        if (ctx.signal.aborted) throw ctx.signal.reason;
        if (!this.#sender.isSending) throw notFollowed(upstream.name, thrown);
        next = await this.#sender.after(thrown);
      }
    }
    return undefined;
  }

  async #follow(from: FollowedFrom): Promise<Rested> {
    const { ctx, teller, agent, options } = this.#parts;
    // A message that was sent is heard of, also when nobody wants the task any more: there may be something to cancel.
    const patient = outlasting(ctx.signal, 'send' in from ? LAST_WORDS_MS : 0);
    const isNew = teller.kept.taskId === undefined;
    try {
      const steps = agent.follow(from, {
        signal: patient.signal,
        maxAwayMs: options.maxAwayMs,
        onAway: () => notice(this.#parts, 'does not answer any more'),
        isPassing: this.#isPassing,
        isOver: ({ status }) => isResting(status) && !teller.isAnswered(status),
      });
      for await (const step of steps) {
        if ('type' in step) return { answer: step.message };
        patient.noLonger();
        await teller.tell(step);
        if (ctx.signal.aborted) await this.#leave(step.task.id, isNew);
        this.#saying.begin();
      }
      return { status: teller.known!.status };
    } finally {
      patient.end();
    }
  }

  readonly #isPassing = (thrown: unknown): boolean => {
    return isPassingFault(thrown) || this.#isGarbage(thrown);
  };

  /** What ended before it was known to be handed over is canceled here: nobody else knows of it. */
  async #leave(id: string, isNew: boolean): Promise<never> {
    const { ctx, agent } = this.#parts;
    const { reason } = ctx.signal as { readonly reason: unknown };
    if (isNew && reason instanceof TaskError && reason.code === 'TASK_ENDED') {
      const signal = AbortSignal.timeout(LAST_WORDS_MS);
      await agent.cancel(id, { signal }).catch(() => undefined);
    }
    throw reason;
  }

  /** What the upstream asks is asked here. Where it went on by itself meanwhile and has ended, that is how. */
  async #ask(status: A2aStatus): Promise<FollowedFrom | A2aStatus> {
    const { teller, ctx } = this.#parts;
    teller.keepAsking(status);
    const reply = ctx.ask(questionIn(status), kindOf(status));
    const end = status.state === 'auth-required' ? await this.#watch(reply) : undefined;
    return end ?? this.#sender.send(await reply);
  }

  /** Leave may be given elsewhere: then it goes on without a reply. */
  async #watch(reply: Promise<unknown>): Promise<A2aStatus | undefined> {
    const { teller, agent, options, ctx } = this.#parts;
    const watching = outlasting(ctx.signal, 0);
    const stop = (): void => watching.end();
    reply.then(stop, stop);
    try {
      const steps = agent.follow(teller.following, {
        signal: watching.signal,
        maxAwayMs: options.maxAwayMs,
        isPassing: this.#isPassing,
        isOver: (task) => hasEnded(task.status),
      });
      for await (const step of steps) if (!('type' in step)) await teller.tell(step);
      return teller.known?.status;
    } catch {
      // The reply is still waited for; what is wrong shows when it is sent on.
      return undefined;
    }
  }

  /** Whether the reply has arrived is not known: who gave it decides. */
  async #askAgain(): Promise<FollowedFrom> {
    const { teller, upstream, ctx } = this.#parts;
    const asked = statusIn(teller.kept.status ?? { state: 'input-required' });
    const words = `Whether the answer reached ${upstream.name} is not known (${UNKNOWN}). It asked:`;
    const parts: readonly Part[] = [{ text: words }, ...(asked.message?.parts ?? [])];
    teller.keepWith({ sending: undefined, isAsked: true });
    return this.#sender.send(await ctx.ask({ parts }, kindOf(asked)));
  }

  async #end({ state, message }: A2aStatus): Promise<void> {
    const { teller, upstream, ctx } = this.#parts;
    teller.ended(state);
    if (state === 'failed') throw failed(upstream.name, message);
    if (state === 'rejected') throw rejected(upstream.name, message);
    if (state === 'canceled') throw canceled(upstream.name);
    if (message !== undefined) await ctx.answer(wordsOf(message), { isTask: true });
  }
}

type Spoken = Pick<Message, 'parts' | 'metadata'>;

function wordsOf({ parts, metadata }: Message): Spoken {
  return { parts, ...(metadata !== undefined && { metadata }) };
}

function questionIn({ message }: A2aStatus): Spoken | undefined {
  return message && wordsOf(message);
}

function kindOf({ state }: A2aStatus): { readonly kind: 'input' | 'auth' } {
  return { kind: state === 'auth-required' ? 'auth' : 'input' };
}
