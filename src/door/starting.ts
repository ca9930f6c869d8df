// Owns how a task that was let in begins: where somebody decides about that, it is asked first. ARCHITECTURE.md ("The
// door").

import type { AskedHook } from '../tasks/engine/hooks.ts';
import type { EngineStart, TaskEngine } from '../tasks/engine/contract.ts';
import type { NewHook } from '../tasks/hook.ts';
import type { Message } from '../tasks/message.ts';
import type { StartedTask } from '../tasks/request.ts';
import type { ShareClass } from '../tasks/share.ts';
import type { TaskSource } from '../tasks/task.ts';
import { optionalFacts } from '../tasks/task.ts';
import { readMessage } from './accepted.ts';
import type { Accepts } from './accepts.ts';
import { answeredTask, askToAccept } from './accepts.ts';
import type { CallContext } from './call.ts';
import { carriedScope, isCovered } from './covered.ts';
import { authorityOf, ownScope } from './ownership.ts';
import type { Principal } from './principal.ts';
import type { Standing } from './rights.ts';
import type { StartTask } from './service.ts';
import type { TellSent } from './witness.ts';

export interface StartingServices {
  readonly engine: TaskEngine;
  readonly accepts: Accepts | undefined;
  readonly now: () => number;
  readonly newId: () => string;
  readonly sent: TellSent;
}

export async function startTask(
  { engine, accepts, now, newId, sent }: StartingServices,
  call: CallContext,
  start: StartTask,
  { share }: Standing,
): Promise<StartedTask> {
  const message = readMessage(start.message);
  if (accepts === undefined || start.rejection !== undefined) {
    return engine.start(requestOf(call, start, message, share));
  }
  const { idempotency } = start;
  if (idempotency !== undefined) {
    const { id: owner, tenant } = call.principal;
    // What is known was accepted before.
    const known = await engine.get({ tenant, owner }, idempotency.id);
    if (known !== undefined) return engine.start(requestOf(call, start, message, share));
  }
  const answer = await askToAccept(accepts, message, call, newId);
  if (answer === undefined) return engine.start(requestOf(call, start, message, share));
  const started =
    idempotency === undefined
      ? { task: answeredTask(originOf(call, start, message, newId()), answer, now()), isNew: true }
      : await engine.start({ ...requestOf(call, start, message, share), answer });
  // What came in an envelope is answered by a face that says so by itself.
  if (!isCovered(call)) sent(call, { task: started.task });
  return started;
}

function requestOf(
  call: CallContext,
  { hook, carrier, ...start }: StartTask,
  message: Message,
  share: ShareClass,
): EngineStart {
  const { id: owner, tenant } = call.principal;
  return {
    ...start,
    message,
    source: sourceOf(call, start),
    tenant,
    owner,
    authority: authorityOf(call),
    share,
    ...(hook !== undefined && { hook: askedHook(call, hook, carrier) }),
    ...(carrier !== undefined && { carrier: ownScope(carrier) }),
  };
}

/** Of a task that is answered and never stored. */
function originOf(
  call: CallContext,
  start: StartTask,
  message: Message,
  id: string,
): Parameters<typeof answeredTask>[0] {
  const { id: owner, tenant } = call.principal;
  const { metadata = {} } = start;
  const source = sourceOf(call, start);
  const authority = authorityOf(call);
  return { facts: optionalFacts(start), tenant, owner, id, message, metadata, source, authority };
}

function sourceOf({ face }: CallContext, { source }: Pick<StartTask, 'source'>): TaskSource {
  return source ?? { face, value: null };
}

/**
 * A hook is of the face that asks for it, and is told on the word of who asks; of a task that the caller carries, on that
 * of its owner too.
 */
export function askedHook(call: CallContext, hook: NewHook, carrier?: Principal): AskedHook {
  const asked = { ...hook, face: call.face, authority: authorityOf(call) };
  if (carrier === undefined) return asked;
  const { scheme, caller } = carrier;
  const authority = { scheme, ...(caller !== undefined && { caller }) };
  return { ...asked, carrier: { ...ownScope(carrier), authority } };
}

/** Of a task that is there already. */
export function hookOf(call: CallContext, hook: NewHook, taskId: string): AskedHook {
  if (carriedScope(call, taskId) === undefined) return askedHook(call, hook);
  // Who owns what is carried has proven itself by an envelope.
  return { ...askedHook(call, hook, call.principal), authority: { scheme: 'sdl' } };
}
