// Owns tools that tell how far they are: what they yield becomes events, each a step of one state document.
// SPEC.md sections 8 and 9 (#exchange, #state-base).

import type { JsonObject, JsonValue } from '../../codec/value.ts';
import type { Answer } from '../../content.ts';
import { contentHash } from '../../schema/content-hash.ts';
import { INITIAL_STATE, makeState } from '../../state/document.ts';
import type { StateDocument } from '../../state/document.ts';
import { isAnswer } from '../answer.ts';
import type { ToolContext } from './tool.ts';
import { untilAborted } from '../until-aborted.ts';

/** Yields the events, if the caller takes any, and returns what the tool returned, or else yielded last. */
export async function* streamTool(
  output: AsyncIterable<JsonValue | Answer>,
  { signal, wantsStream, callId }: ToolContext,
): AsyncGenerator<Answer, JsonValue | Answer | undefined> {
  const iterator = output[Symbol.asyncIterator]();
  let document = INITIAL_STATE;
  let last: JsonValue | undefined;
  let hasEnded = false;
  try {
    for (;;) {
      const step = await untilAborted(iterator.next(), signal);
      if (step.done === true) {
        hasEnded = true;
        const returned = step.value as JsonValue | Answer | undefined;
        return returned === undefined ? last : returned;
      }
      if (!isAnswer(step.value)) last = step.value;
      if (!wantsStream) continue;
      if (isAnswer(step.value)) {
        yield { ...step.value, isEvent: true };
        continue;
      }
      const next = documentOf({ call_id: callId, progress: step.value });
      yield { ct: 'state.v1', payload: { ...makeState(document, next.value) }, isEvent: true };
      document = next;
    }
  } finally {
    // Not awaited: a tool that ignores the signal would hold up the answer.
    if (!hasEnded) void close(iterator);
  }
}

function documentOf(value: JsonObject): StateDocument {
  return { value, hash: contentHash(value) };
}

async function close(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // The call has failed already, and its caller knows why.
  }
}
