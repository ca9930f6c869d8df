// Owns the tasks that one connection has to do with: started or joined through the door, followed, and told to their end.
// SPEC.md section 19 (#swp-lifecycle, #swp-task, #swp-result).

import { isUtf8 } from 'node:buffer';

import type { CallContext, SdlError, StartTask, StartedTask } from '../../../src/door/index.ts';
import { isTerminal, toSdlError } from '../../../src/door/index.ts';
import type { ListenContext, PeerFacts } from '../../../src/transport.ts';
import type { HandshakeMessage, TaskMessage } from '../wire/message.ts';
import { toHex } from '../wire/form.ts';
import { SwpRefusal } from '../wire/refusal.ts';
import { FACE, rejected, startOf } from './asked.ts';
import { MAP, failureText } from './conditions.ts';
import type { Outbox } from './outbox.ts';
import { taskDigest } from './task-id.ts';
import { eventMessage, failedResult, resultMessage } from './told.ts';
import type { Tunnels } from './tunnel.ts';
import { TUNNEL_KIND, passEnvelope } from './tunnel.ts';

export interface DeskServices {
  readonly call: CallContext;
  readonly peer: PeerFacts;
  readonly context: ListenContext;
  readonly tunnels: Tunnels;
  readonly outbox: Outbox;
  /** Nothing is followed any more. */
  readonly onIdle: () => void;
  /** The agent stops: who wants to know more has to come back. */
  readonly onStop: () => void;
  /** The other end may not see its tasks any more. */
  readonly onDisallowed: () => void;
}

export interface Asked {
  readonly task: TaskMessage;
  /** Of the engine. */
  readonly id: string;
  /** Of the owner and the task together. */
  readonly key: string;
  readonly claim: HandshakeMessage | undefined;
  /** Of the frame that it came in, in hexadecimal digits. */
  readonly msgId: string;
  /** That frame, without its length. */
  readonly body: Uint8Array;
}

interface Started extends StartedTask {
  /** By this face: it was stored as rejected. */
  readonly isRefused: boolean;
}

/** There was no room to follow it, or the store did not answer: it is tried again. */
const AGAIN_AFTER_MS = 1_000;
const NO_OCTETS = new Uint8Array(0);

export class TaskDesk {
  readonly #services: DeskServices;
  readonly #followed = new Set<string>();

  constructor(services: DeskServices) {
    this.#services = services;
  }

  get isBusy(): boolean {
    return this.#followed.size > 0;
  }

  /** Resolves when the task is stored, or its refusal told. Throws a refusal that is not told on the wire. */
  async begin(asked: Asked): Promise<void> {
    if (asked.task.kind === TUNNEL_KIND) {
      await this.#pass(asked);
      return;
    }
    const { context, outbox, tunnels } = this.#services;
    const { task, id, key, claim } = asked;
    if (tunnels.digestOf(key) !== undefined) throw conflict();
    const started = await this.#start(asked, startOf(task, claim, context));
    if (started === undefined) return;
    const hasEnded = isTerminal(started.task.status.state);
    // The door has told the evidence of what it answered by itself, and of no other end.
    if (hasEnded && started.isNew && !started.isRefused) {
      if (!this.#followed.has(id)) outbox.push(() => resultMessage(task.taskId, started.task), id);
      return;
    }
    // What happens from its start on is told to who gave it; who joins is told what happens from now on.
    const isSeen = started.isNew && !hasEnded;
    void this.#follow(task.taskId, id, isSeen ? started.task.generation : undefined);
  }

  /** `undefined` when the end of the Task, or that of the agent, was told. */
  async #start({ task, msgId, body }: Asked, start: StartTask): Promise<Started | undefined> {
    const { context, outbox, onStop } = this.#services;
    const received = { ...receivedOf(task.taskId, body), messageId: msgId };
    const call = { ...this.#services.call, received };
    try {
      const started = await context.tasks.start(call, start);
      return { ...started, isRefused: start.rejection !== undefined };
    } catch (thrown) {
      const error = toSdlError(thrown);
      if (error.code === 'TASK_CONFLICT') throw conflict();
      const kept = await this.#keepRefusal(call, start, error);
      if (kept !== undefined) return { ...kept, isRefused: true };
      if (error.code === 'DRAINING') onStop();
      else {
        const words = failureText(failureOf(error), MAP[error.code]);
        outbox.push(() => failedResult(task.taskId, words));
      }
      return undefined;
    }
  }

  /** A refusal that no repeat changes is stored, as the end of the task, before it is told. */
  async #keepRefusal(
    call: CallContext,
    start: StartTask,
    error: SdlError,
  ): Promise<StartedTask | undefined> {
    const condition = MAP[error.code];
    const isOfTask = condition === 'malformed task input' || condition === 'unsupported capability';
    if (!isOfTask || error.row.retryable || start.rejection !== undefined) return undefined;
    const { context } = this.#services;
    const refused = rejected(start, failureOf(error), condition);
    return context.tasks.start(call, refused).catch((thrown: unknown) => {
      const { code } = toSdlError(thrown);
      if (code === 'TASK_CONFLICT') throw conflict();
      // Then it is told without being kept.
      return undefined;
    });
  }

  async #follow(taskId: Uint8Array, id: string, from: number | undefined): Promise<void> {
    if (this.#followed.has(id)) return;
    this.#followed.add(id);
    const seen = { generation: from };
    const { signal } = this.#services.call;
    while (!signal.aborted) {
      try {
        await this.#tell(taskId, id, seen);
        break;
      } catch (thrown) {
        if (!this.#mayTryAgain(taskId, id, toSdlError(thrown))) break;
        await elapsed(AGAIN_AFTER_MS, signal);
      }
    }
    this.#leave(id);
  }

  async #tell(
    taskId: Uint8Array,
    id: string,
    seen: { generation: number | undefined },
  ): Promise<void> {
    const { call, context, outbox } = this.#services;
    // What it came in is not kept for as long as it lasts.
    const following = { ...call, received: receivedOf(taskId, NO_OCTETS) };
    for await (const { task, event } of context.tasks.follow(following, id, seen.generation)) {
      if (isTerminal(task.status.state)) {
        outbox.push(() => resultMessage(taskId, task), id);
        return;
      }
      seen.generation = task.generation;
      if (event !== undefined) outbox.event(id, () => eventMessage(taskId, event));
    }
  }

  #mayTryAgain(taskId: Uint8Array, id: string, error: SdlError): boolean {
    const { outbox, onStop, onDisallowed } = this.#services;
    if (error.code === 'DRAINING') onStop();
    else if (MAP[error.code] === 'authorization denied') onDisallowed();
    else if (error.code === 'TASK_UNKNOWN') {
      outbox.push(
        () => failedResult(taskId, failureText(failureOf(error), 'execution failed')),
        id,
      );
    } else return true;
    return false;
  }

  async #pass({ task, id, key }: Asked): Promise<void> {
    const { call, context, tunnels } = this.#services;
    const digest = taskDigest(task.kind, task.input);
    const known = tunnels.digestOf(key);
    if (known === undefined) {
      const other = await context.tasks.get(call, id).catch((thrown: unknown) => {
        // Who may not look at tasks may still send envelopes: they have rights of their own.
        if (MAP[toSdlError(thrown).code] === 'authorization denied') return undefined;
        throw refusalFrom(toSdlError(thrown));
      });
      if (other !== undefined) throw conflict();
    } else if (known !== digest) throw conflict();
    tunnels.remember(key, digest);
    if (!this.#followed.has(id)) void this.#passThrough(task, id);
  }

  async #passThrough(task: TaskMessage, id: string): Promise<void> {
    const { call, context, peer, outbox } = this.#services;
    this.#followed.add(id);
    const { signal } = call;
    try {
      const result = await passEnvelope(task, {
        context,
        peer: { ...peer, transport: FACE },
        signal,
        sendEvent: (event) => ended(signal, (done) => outbox.event(id, () => event, done)),
      });
      outbox.push(() => result, id);
    } catch (thrown) {
      context.onError(thrown);
      outbox.push(() => failedResult(task.taskId, failureText(failureOf(toSdlError(thrown)))), id);
    }
    this.#leave(id);
  }

  #leave(id: string): void {
    this.#followed.delete(id);
    if (this.#followed.size === 0) this.#services.onIdle();
  }
}

/** For evidence, which names the task as the wire does. */
function receivedOf(taskId: Uint8Array, bytes: Uint8Array): NonNullable<CallContext['received']> {
  const name = isUtf8(taskId) ? Buffer.from(taskId).toString('utf8') : toHex(taskId);
  return { bytes, mediaType: 'application/swp', version: '1', transport: FACE, taskId: name };
}

function conflict(): SwpRefusal {
  return new SwpRefusal('INVALID_PROFILE_PAYLOAD', 'another Task has this task_id', {
    cause: 'TASK_CONFLICT',
  });
}

function refusalFrom({ code, reason }: SdlError): SwpRefusal {
  return new SwpRefusal('INTERNAL_ERROR', reason, { cause: code });
}

/** What an agent said when it did not take the task are its own words; all else are those of the table. */
function failureOf({ code, details, row }: SdlError): {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
} {
  const { code: own, message: words } = code === 'TASK_REFUSED' ? details : {};
  return {
    code: typeof own === 'string' ? own : code,
    message: typeof words === 'string' ? words : row.words,
    retryable: row.retryable,
  };
}

function elapsed(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout;
  const waited = ended(signal, (done) => (timer = setTimeout(done, ms)));
  return waited.finally(() => clearTimeout(timer));
}

/** Resolves when it is done, or when the signal aborts. */
function ended(signal: AbortSignal, begin: (done: () => void) => unknown): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener('abort', done);
      resolve();
    };
    signal.addEventListener('abort', done);
    begin(done);
  });
}
