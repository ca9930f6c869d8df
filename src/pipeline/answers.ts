// Owns how what a handler gives back becomes events and one last answer, and what ends a handler that does not end.
// SPEC.md section 8 (#exchange).

import type { Answer, Handle } from '../content.ts';
import { untilAborted } from '../handlers/until-aborted.ts';

/** One message of the answer. */
export interface Part {
  readonly answer: Answer | undefined;
  /** It is the `res`; what came before are events. */
  readonly isLast: boolean;
}

/** The parts in order. Throws what the handler throws, and what `signal` was aborted with even if the handler goes on. */
export async function* partsOf(
  given: ReturnType<Handle>,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  if (isIterable(given)) yield* partsOfIterable(given, signal);
  else yield { answer: await untilAborted(given, signal), isLast: true };
}

/** An answer that does not say that it is an event is known to be the last only when no other follows it. */
async function* partsOfIterable(
  given: AsyncIterable<Answer>,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  const iterator = given[Symbol.asyncIterator]();
  let held: Answer | undefined;
  let isDone = false;
  try {
    for (;;) {
      // Each answer is waited for by itself: one wait for all would keep every answer in memory until the last.
      const next = await untilAborted(iterator.next(), signal);
      if (next.done === true) break;
      if (held !== undefined) yield { answer: held, isLast: false };
      held = next.value;
      if (held.isEvent !== true) continue;
      yield { answer: held, isLast: false };
      held = undefined;
    }
    isDone = true;
    yield { answer: held, isLast: true };
  } finally {
    // Not waited for: a handler that does not end would hold up its own refusal.
    if (!isDone) void iterator.return?.().catch(() => undefined);
  }
}

function isIterable(given: ReturnType<Handle>): given is AsyncIterable<Answer> {
  return typeof given === 'object' && given !== null && Symbol.asyncIterator in given;
}
