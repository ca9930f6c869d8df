// Owns one offer from its key to its final, whatever wire it came by: begun, joined or given again, then followed until
// its end or until who asked has no more time. SPEC.md section 18 (#steerqa-idempotency, #steerqa-deadline).

import { randomUUID } from 'node:crypto';

import type {
  ArtifactContent,
  CallContext,
  JsonObject,
  Task,
  TaskService,
  TaskStep,
} from '../../src/door/index.ts';
import {
  ERRORS,
  SdlError,
  isResting,
  isTerminal,
  isWaiting,
  changedCall,
} from '../../src/door/index.ts';
import { writeJson } from '../../src/transport.ts';
import { FACE } from './messages.ts';
import type { ReadOffer } from './offer.ts';
import { isKept, outcomeOf, partialsIn } from './output.ts';
import { Refusal, refusalOf } from './refusal.ts';

export interface ExchangeOptions {
  readonly tasks: TaskService;
  readonly call: CallContext;
  /** Builds that are served. None: any. */
  readonly agents: readonly string[];
  readonly now: () => number;
}

/** One message of the answer. */
export interface Sent {
  readonly type: 'partial' | 'final';
  readonly bytes: Uint8Array;
}

/** Deadlines of the work are whole multiples, so that those who join at the same time do not move it one by one. */
const GRAIN_MS = 100;
const MAX_TIMER_MS = 2_147_483_647;

/** Partials, then the final. Throws a {@link Refusal}. Who leaves ends nothing: the work goes on until its deadline. */
export async function* exchange(
  read: ReadOffer,
  given: ExchangeOptions,
): AsyncGenerator<Sent, undefined> {
  const options = { ...given, call: namedCall(given.call, read.offer) };
  const begun = await beginOrJoin(read, options);
  if (isTerminal(begun.status.state)) {
    yield* partialsOf(begun, begun.artifacts, begun.status.at);
    yield finalIn(begun);
    return undefined;
  }
  const { signal, end } = patienceFor(read.deadline - options.now(), options.call.signal);
  try {
    let last = begun;
    for await (const { task, event } of stepsOf(options, begun.id, signal)) {
      last = task;
      const { status, artifacts } = task;
      const at = event?.at ?? (isTerminal(status.state) ? status.at : options.now());
      if (event === undefined) yield* partialsOf(task, artifacts, at);
      else if (event.type === 'artifact') yield* partialsOf(task, [event.artifact], at);
      if (isResting(task.status.state)) break;
    }
    if (!isTerminal(last.status.state)) throw unended(last, options.call);
    yield finalIn(last);
    return undefined;
  } catch (thrown) {
    // What cannot become a final must not keep those waiting who offer it again.
    if (thrown instanceof Refusal && ENDLESS.has(thrown.kind)) await cancelWork(begun.id, options);
    throw thrown;
  } finally {
    end();
  }
}

/** Evidence names the task as the offer does. */
function namedCall(
  call: CallContext,
  { task_id: taskId, issued_at: sentAt }: JsonObject,
): CallContext {
  if (call.received === undefined) return call;
  // An offer names its task, and itself by nothing else.
  const named = { taskId: taskId as string, sentAt: sentAt as string, messageId: null };
  return changedCall(call, { received: { ...call.received, ...named } });
}

/** Of work that goes on to no purpose: its output does not fit, or it waits for an answer. */
const ENDLESS: ReadonlySet<string> = new Set(['output', 'failed']);

async function cancelWork(id: string, { tasks, call }: ExchangeOptions): Promise<void> {
  const { signal } = new AbortController();
  await tasks.cancel(changedCall(call, { signal }), id).catch(() => undefined);
}

async function beginOrJoin(
  read: ReadOffer,
  { tasks, call, agents, now }: ExchangeOptions,
): Promise<Task> {
  const { offer, taskId: id, fingerprint: digest } = read;
  const verdict = timeVerdict(read, now()) ?? pinVerdict(offer, agents);
  if (verdict !== undefined) {
    const known = await told(tasks.get(call, id));
    if (known !== undefined && isKept(known)) {
      if (digestOf(known) !== digest) throw conflict();
      // A final that is there is given, however late and for whichever build it is asked.
      if (isTerminal(known.status.state)) return known;
    }
    throw verdict;
  }
  const { task } = await told(
    tasks.start(call, {
      message: {
        id: randomUUID(),
        role: 'user',
        parts: [{ text: offer['prompt'] as string }, { data: offer }],
      },
      deadline: Math.ceil(read.deadline / GRAIN_MS) * GRAIN_MS,
      source: { face: FACE, value: { fingerprint: digest } },
      idempotency: { id, digest, rerun: (ended) => !isKept(ended), extends: true },
    }),
  );
  return task;
}

function timeVerdict({ expiresAt }: ReadOffer, nowMs: number): Refusal | undefined {
  return nowMs > expiresAt ? new Refusal('expired', 'the ttl of the offer is over') : undefined;
}

function pinVerdict(offer: JsonObject, agents: readonly string[]): Refusal | undefined {
  if (agents.length === 0 || agents.includes(offer['agent_version'] as string)) return undefined;
  return new Refusal('pin', 'this build of the agent is not served here');
}

function conflict(cause?: SdlError): Refusal {
  const { words } = ERRORS.TASK_CONFLICT;
  return new Refusal('conflict', `${words}: the key was used for another offer`, { cause });
}

function digestOf({ source }: Task): unknown {
  return (source.value as JsonObject | null)?.['fingerprint'];
}

/** In the words of the dialect. Of what the door throws, the audit log has only that somebody may not do this. */
async function told<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (thrown) {
    if (!(thrown instanceof SdlError)) throw thrown;
    if (thrown.code === 'TASK_CONFLICT') throw conflict(thrown);
    throw refusalOf(thrown, thrown.code === 'NOT_AUTHORIZED');
  }
}

async function* stepsOf(
  { tasks, call }: ExchangeOptions,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<TaskStep, undefined> {
  const steps = tasks.follow(changedCall(call, { signal }), id)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const step = await told(steps.next());
      if (step.done === true) return undefined;
      yield step.value;
    }
  } finally {
    await steps.return?.();
  }
}

function* partialsOf(
  task: Task,
  artifacts: readonly ArtifactContent[],
  atMs: number,
): Generator<Sent> {
  for (const artifact of artifacts) {
    for (const partial of partialsIn(task, artifact, atMs)) {
      yield { type: 'partial', bytes: writeJson(partial) };
    }
  }
}

function finalIn(task: Task): Sent {
  const outcome = outcomeOf(task);
  if (outcome instanceof Refusal) throw outcome;
  return { type: 'final', bytes: outcome };
}

/** Why who asked gets nothing although the work goes on. */
function unended(task: Task, { signal }: CallContext): Refusal {
  if (isWaiting(task.status.state)) return outcomeOf(task) as Refusal;
  const reason: unknown = signal.reason;
  if (reason instanceof SdlError) return refusalOf(reason, false);
  return new Refusal('timeout', 'the agent was not done in time');
}

/** Aborts when the time is over, or when nobody waits any more. */
function patienceFor(
  delayMs: number,
  gone: AbortSignal,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const over = new AbortController();
  const stop = (): void => over.abort();
  const timer = setTimeout(stop, Math.min(Math.max(0, delayMs), MAX_TIMER_MS));
  gone.addEventListener('abort', stop, { once: true });
  if (gone.aborted) stop();
  return {
    signal: over.signal,
    end: () => {
      clearTimeout(timer);
      gone.removeEventListener('abort', stop);
    },
  };
}
