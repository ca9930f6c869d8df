// Owns from where a sealed task may be gone on with: what the next message to it must name. SPEC.md section 22
// (#sealed-follows).

import { SdlError, isTerminal, isWaiting } from '../../../src/door/index.ts';
import type { Follows } from '../../../src/transport.ts';
import { A2aError } from '../errors/a2a-error.ts';
import { followsOther as wordsFor } from '../sealed/follows.ts';
import type { Rest, Transcript } from './transcript.ts';

/** Throws for a message that goes on from anything else. */
export function assertFollows(follows: Follows | undefined, transcript: Transcript): void {
  if (follows === undefined || !fits(follows, transcript)) throw followsOther(follows, true);
}

function fits(follows: Follows, { task, exchanges, rest }: Transcript): boolean {
  const { state } = task.status;
  const isOfTask = exchanges.some(({ source }) => source.facts['req'] === follows.req);
  // Nothing is done any more: who asks is told that it has ended.
  if (isTerminal(state)) return isOfTask;
  if (follows.n !== undefined) return rest !== undefined && names(follows, rest);
  // Who has not seen the question has not answered it.
  return isOfTask && !isWaiting(state);
}

function names({ req, n }: Follows, { exchanges, numbers }: Rest): boolean {
  return exchanges.some(
    ({ source, events }, at) => source.facts['req'] === req && numbers[at]! <= n! && n! <= events,
  );
}

export function followsOther(follows: Follows | undefined, isTask: boolean): A2aError {
  const words = wordsFor(follows, isTask);
  return new A2aError('SDL_FOLLOWS_OTHER', new SdlError('BINDING_INVALID', words), words);
}
