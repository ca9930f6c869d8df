// Owns the frames of a stream: what is told, written in the words of a wire, each with its place in the log. SPEC.md
// sections 20 and 22 (#a2a-streams, #sealed-streams).

import type { CallContext, JsonObject, Message, TaskStep } from '../../../src/door/index.ts';
import type { SealedTold } from '../sealed-tasks/streams.ts';
import type { Wire } from '../wires/wire.ts';
import type { Desk } from './desk.ts';
import { withoutBytes } from './received.ts';
import type { Told } from './streams.ts';

/** One frame of a stream; without data the stream has begun, and nothing is to be said yet. */
interface StreamFrame {
  readonly data?: JsonObject;
  /** Where it stands in the log of the task. */
  readonly generation?: number;
}

export interface Frames {
  readonly frames: AsyncGenerator<StreamFrame, void>;
}

interface Asking {
  readonly wire: Wire;
  readonly call: CallContext;
}

/** Of a sealed task, or the message that is all of the answer. */
export function sealedFrames(
  { tasks }: Desk,
  { wire, call }: Asking,
  told: AsyncIterable<SealedTold> | { readonly message: Message },
): Frames {
  if ('message' in told) return { frames: oneFrame(wire.writeAnswer(told.message)) };
  const following = withoutBytes(call);
  return { frames: sealedFramesOf(wire, told, (step) => tasks.sent(following, step)) };
}

async function* oneFrame(data: JsonObject): AsyncGenerator<StreamFrame, void> {
  yield { data };
}

async function* sealedFramesOf(
  wire: Wire,
  told: AsyncIterable<SealedTold>,
  sent: (step: TaskStep) => void,
): AsyncGenerator<StreamFrame, void> {
  for await (const one of told) {
    if (one === undefined) {
      yield {};
      continue;
    }
    const { steps, isLast, of } = one;
    sent(of);
    for (const [at, step] of steps.entries()) {
      const isEnd = at === steps.length - 1;
      const data = wire.writeStep(step, isLast && isEnd);
      // Who has not seen all of them is told all of them again.
      if (data !== undefined) yield { data, ...(isEnd && { generation: step.task.generation }) };
    }
  }
}

export function framesFor(
  { tasks }: Desk,
  { wire, call }: Asking,
  told: AsyncIterable<Told>,
): Frames {
  const following = withoutBytes(call);
  return { frames: framesOf(wire, told, (step) => tasks.sent(following, step)) };
}

async function* framesOf(
  wire: Wire,
  told: AsyncIterable<Told>,
  sent: (step: TaskStep) => void,
): AsyncGenerator<StreamFrame, void> {
  for await (const one of told) {
    if (one === undefined) yield {};
    else if ('message' in one) yield { data: wire.writeAnswer(one.message) };
    else {
      const { step, isLast } = one;
      const data = wire.writeStep(step, isLast);
      if (data === undefined) continue;
      sent(step);
      yield { data, generation: step.task.generation };
    }
  }
}
