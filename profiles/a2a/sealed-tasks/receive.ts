// Owns what becomes of a sealed message: a task of the agent that sealed it, or the continuation of one; the same again for
// every repeat. SPEC.md section 22 (#sealed-checks, #sealed-carrier, #sealed-repeat).

import { randomUUID } from 'node:crypto';

import type {
  CallContext,
  MessageContent,
  MessageOptions,
  NewHook,
  Task,
} from '../../../src/door/index.ts';
import { SdlError } from '../../../src/door/index.ts';
import type { OpenedRequest } from '../../../src/transport.ts';
import { invalidInput, noSuchTask } from '../errors/a2a-error.ts';
import type { SendInput } from '../operations/inputs.ts';
import { contextOf } from '../wires/forms.ts';
import { begunEnd, firstEnd, isFinal, refusedEnd } from './first-end.ts';
import { assertFollows, followsOther } from './follows.ts';
import { messageOf } from './neutral.ts';
import type { SealedRequest } from './recognise.ts';
import { rejected } from './recognise.ts';
import type { SealedTasks } from './sealed-tasks.ts';
import { SEALED_MARK, isSealedTask, sourceOf } from './source.ts';

/** A task that a sealed message began or went on with. */
export interface BegunTask {
  /** As it was then: nothing of it is sealed. */
  readonly task: Task;
  /** The call of the agent that sealed the message. */
  readonly call: CallContext;
}

/** What is stored together with the message. */
interface Asked {
  readonly hook?: NewHook;
}

/** Throws for what the agent does not take. @param owners the call of who sealed it. */
type AssertTakes = (owners: CallContext, message: MessageContent) => Promise<void>;

/** @param call of who carries it. */
export async function beginSealed(
  sealed: SealedTasks,
  call: CallContext,
  input: SendInput,
  request: SealedRequest,
  { assertTakes, ...asked }: Asked & { readonly assertTakes: AssertTakes },
): Promise<BegunTask> {
  const { opened } = request;
  const { use } = opened;
  const { face, received, signal, now } = call;
  const owners = opened.call({ face, ...(received && { received }), signal, now });
  const message = contentOf(request, input);
  if (use.kind === 'retry') {
    const task = await again(sealed, call, owners, input, { opened, message, asked });
    return { task, call: owners };
  }
  try {
    await assertTakes(owners, message);
    const task = await begin(sealed, call, owners, input, { opened, message, asked });
    await use.complete(begunEnd(task.id));
    await sealed.context.hasSealed(opened.agentId);
    return { task, call: owners };
  } catch (thrown) {
    const told = wordless(thrown);
    // What stands beside the envelope could be changed by anybody: by that alone it is not used up.
    if (isFinal(thrown)) await use.complete(refusedEnd(told, call.principal.id));
    else await use.abandon(thrown);
    throw told;
  }
}

/** What the agent says when it does not take a task is for who sealed it: who carries it hears that it does not. */
function wordless(thrown: unknown): unknown {
  const isWordy = thrown instanceof SdlError && thrown.code === 'TASK_REFUSED';
  return isWordy ? new SdlError(thrown.code, thrown.reason, { cause: thrown }) : thrown;
}

function contentOf(
  { opened, words, strength, envelope }: SealedRequest,
  input: SendInput,
): MessageContent {
  const { key, facts } = opened;
  const source = { key, strength, envelope, facts, messageId: input.message.id };
  // Its own id may be that of an earlier message: envelopes are told apart.
  return { ...messageOf(words, opened.id), source: sourceOf(source) };
}

interface Beginning {
  readonly opened: OpenedRequest;
  readonly message: MessageContent;
  readonly asked: Asked;
}

/** Doing it again changes nothing. */
async function begin(
  sealed: SealedTasks,
  { principal: carrier }: CallContext,
  owners: CallContext,
  input: SendInput,
  { opened, message, asked }: Beginning,
): Promise<Task> {
  const { tasks } = sealed.context;
  const { key, follows } = opened;
  const { version, contextId, taskId, acceptedOutputModes } = input;
  if (taskId !== undefined) {
    const known = await tasks.get(owners, taskId);
    if (known === undefined || !isSealedTask(known)) throw noSuchTask();
    if (contextId !== undefined && contextOf(known) !== contextId) throw wrongContext();
    return goOn(sealed, owners, taskId, { opened, message, asked: { ...asked, carrier } });
  }
  if (follows !== undefined) throw followsOther(follows, false);
  const { task } = await tasks.start(owners, {
    message,
    contextId: contextId ?? randomUUID(),
    metadata: acceptedOutputModes.length > 0 ? { acceptedOutputModes } : {},
    source: { face: owners.face, value: { version, ...SEALED_MARK } },
    idempotency: { id: key, digest: key, isDerived: true },
    carrier,
    ...asked,
  });
  return task;
}

/** Only from where the task stands; a message that is in it already came from there. */
async function goOn(
  sealed: SealedTasks,
  owners: CallContext,
  id: string,
  { opened, message, asked }: Beginning & { readonly asked: MessageOptions },
): Promise<Task> {
  for (;;) {
    const transcript = await sealed.transcript(owners, id);
    const isSaid = transcript.exchanges.some(({ source }) => source.key === opened.key);
    if (isSaid) return sealed.context.tasks.message(owners, id, message, asked);
    assertFollows(opened.follows, transcript);
    const whileAsked = transcript.task.status.asked ?? null;
    try {
      return await sealed.context.tasks.message(owners, id, message, { ...asked, whileAsked });
    } catch (thrown) {
      // It has asked something in between, or has its answer: look again.
      if (!(thrown instanceof SdlError) || thrown.code !== 'TASK_CONFLICT') throw thrown;
    }
  }
}

/** A repeat gets the task of the first, where the same caller brings it. */
async function again(
  sealed: SealedTasks,
  call: CallContext,
  owners: CallContext,
  input: SendInput,
  beginning: Beginning,
): Promise<Task> {
  const { opened } = beginning;
  const { tasks } = sealed.context;
  const first = await firstEnd(opened);
  // It is not known how far the first came.
  if (first === undefined) return begin(sealed, call, owners, input, beginning);
  const isOwner = call.principal.id === opened.agentId;
  if ('refusal' in first) {
    throw isOwner || call.principal.id === first.by ? first.refusal : hasCome();
  }
  const { taskId: id } = first;
  const isBringer = isOwner || (await tasks.carried(call, id)) !== undefined;
  const isSame = input.taskId === undefined || input.taskId === id;
  const task = isBringer && isSame ? await tasks.get(owners, id) : undefined;
  if (task === undefined) throw hasCome();
  return task;
}

function hasCome(): Error {
  return rejected('REPLAYED', 'this request has come before');
}

function wrongContext(): Error {
  return invalidInput([{ field: 'message.contextId', description: 'is not that of the task' }]);
}
