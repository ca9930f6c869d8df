// Owns the operations on sealed tasks: the same as on any other, by who carries them, with envelopes in the place of all
// content. SPEC.md section 22 (#sealed-tasks, #sealed-carrier).

import type { CallContext, Message } from '../../../src/door/index.ts';
import { untilRest } from '../../../src/door/index.ts';
import { askedHook } from '../push/operations.ts';
import { envelopeOf, openSealed } from '../sealed-tasks/recognise.ts';
import type { Carriage, FoundEnvelope } from '../sealed-tasks/recognise.ts';
import type { BegunTask } from '../sealed-tasks/receive.ts';
import { beginSealed } from '../sealed-tasks/receive.ts';
import { renderAnswer, renderTask } from '../sealed-tasks/render.ts';
import type { SealedTasks } from '../sealed-tasks/sealed-tasks.ts';
import { SUBMITTED, shown } from '../sealed-tasks/sealed-tasks.ts';
import type { SealedTold } from '../sealed-tasks/streams.ts';
import { followSealed, generationOf } from '../sealed-tasks/streams.ts';
import type { Transcript } from '../sealed-tasks/transcript.ts';
import type { Desk } from './desk.ts';
import type { SendInput, Sent } from './inputs.ts';
import { secretCall, withoutBytes } from './received.ts';
import { assertContext, assertTakes } from './send.ts';
import { hasEnded, seenUpTo } from './streams.ts';

/** `undefined` for a plain message. Throws for one that has to be sealed. */
export async function sealedMessageIn(
  { sealed }: Desk,
  call: CallContext,
  input: SendInput,
): Promise<FoundEnvelope | undefined> {
  if (sealed === undefined) return undefined;
  const found = envelopeOf(input.message);
  if (found === undefined) await sealed.assertMayBePlain(call, input);
  return found;
}

/** What a sealed message needs beside itself. */
interface Sending {
  readonly desk: Desk;
  readonly sealed: SealedTasks;
  readonly call: CallContext;
  readonly carriage: Carriage;
}

async function begin(
  { desk, sealed, call, carriage }: Sending,
  input: SendInput,
  found: FoundEnvelope,
): Promise<BegunTask> {
  const { push } = input;
  const request = await openSealed(input.message, found, sealed.context, carriage);
  const asked = push === undefined ? {} : { hook: askedHook(desk, push) };
  const carrier = push === undefined ? call : secretCall(call);
  return beginSealed(sealed, carrier, input, request, {
    ...asked,
    assertTakes: async (owners, message) => {
      assertTakes(desk, message);
      if (input.taskId === undefined) await assertContext(desk, owners, input);
    },
  });
}

export async function sendSealed(
  sending: Sending,
  input: SendInput,
  found: FoundEnvelope,
): Promise<Sent> {
  const { sealed } = sending;
  const begun = await begin(sending, input, found);
  const call = withoutBytes(begun.call);
  const { tasks } = sealed.context;
  const { id, generation } = begun.task;
  if (input.isWaiting) {
    await untilRest(tasks.follow(call, id, generation, { isSilent: true }), call.signal);
  }
  const transcript = await sealed.transcript(call, id);
  const { task } = transcript;
  tasks.sent(call, { task });
  if (task.direct === true) return { message: await answerIn(transcript, sealed) };
  return { task: await shown(() => renderTask(transcript, sealed.sealer)) };
}

function answerIn(transcript: Transcript, { sealer }: SealedTasks): Promise<Message> {
  return shown(() => renderAnswer(transcript, sealer));
}

/** The task has begun when this resolves. */
export async function streamSealed(
  sending: Sending,
  input: SendInput,
  found: FoundEnvelope,
): Promise<AsyncIterable<SealedTold> | { readonly message: Message }> {
  const { sealed } = sending;
  const { task, call: owners } = await begin(sending, input, found);
  const call = withoutBytes(owners);
  const { id, generation, direct } = task;
  if (direct === true) {
    return { message: await answerIn(await sealed.transcript(call, id), sealed) };
  }
  const from = input.taskId === undefined ? SUBMITTED : generation;
  return followSealed(sealed, call, { id, from, isKnown: false });
}

export async function* subscribeSealed(
  desk: Desk,
  sealed: SealedTasks,
  call: CallContext,
  id: string,
  lastEventId: string | undefined,
): AsyncGenerator<SealedTold, void> {
  const seen = await seenUpTo(desk, call, id, lastEventId);
  const from = seen ?? (await generationOf(sealed, call, id));
  yield* followSealed(sealed, call, { id, from, isKnown: seen !== undefined, hasEnded });
}
