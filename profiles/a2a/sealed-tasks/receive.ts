// Owns what becomes of a sealed message: a task of the agent that sealed it, or the continuation of one; the same again for
// every repeat. SPEC.md section 22 (#sealed-checks, #sealed-carrier, #sealed-repeat).

import { randomUUID } from 'node:crypto';

import type { CallContext, MessageContent, NewHook, Task } from '../../../src/door/index.ts';
import { SdlError } from '../../../src/door/index.ts';
import type { OpenedRequest } from '../../../src/transport.ts';
import { invalidInput, noSuchTask } from '../errors/a2a-error.ts';
import type { SendInput } from '../operations/inputs.ts';
import { contextOf } from '../wires/forms.ts';
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
    await use.complete(new TextEncoder().encode(task.id));
    await sealed.context.hasSealed(opened.agentId);
    return { task, call: owners };
  } catch (thrown) {
    await use.abandon(thrown);
    throw wordless(thrown);
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
  { context: { tasks } }: SealedTasks,
  { principal: carrier }: CallContext,
  owners: CallContext,
  input: SendInput,
  { opened: { key }, message, asked }: Beginning,
): Promise<Task> {
  const { version, contextId, taskId, acceptedOutputModes } = input;
  if (taskId !== undefined) {
    const known = await tasks.get(owners, taskId);
    if (known === undefined || !isSealedTask(known)) throw noSuchTask();
    if (contextId !== undefined && contextOf(known) !== contextId) throw wrongContext();
    return tasks.message(owners, taskId, message, { ...asked, carrier });
  }
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
  const id = await firstId(opened);
  // It is not known how far the first came.
  if (id === undefined) return begin(sealed, call, owners, input, beginning);
  const isBringer =
    call.principal.id === opened.agentId || (await tasks.carried(call, id)) !== undefined;
  const isSame = input.taskId === undefined || input.taskId === id;
  const task = isBringer && isSame ? await tasks.get(owners, id) : undefined;
  if (task === undefined) throw rejected('REPLAYED', 'this request has come before');
  return task;
}

/** `undefined` where it ended without a word, in a crash or in a process that does not answer. */
async function firstId({ use }: OpenedRequest): Promise<string | undefined> {
  if (use.kind === 'new') return undefined;
  try {
    return new TextDecoder().decode(await use.reply);
  } catch (thrown) {
    if (thrown instanceof SdlError && thrown.code === 'DEADLINE') return undefined;
    throw thrown;
  }
}

function wrongContext(): Error {
  return invalidInput([{ field: 'message.contextId', description: 'is not that of the task' }]);
}
