// Owns what a handler's artifacts become on the wire: partials, one final, or that they are none of it. A final follows
// from the stored task alone, so it has the same bytes for everybody and after every restart.
// SPEC.md section 18 (#steerqa-result).

import type {
  Artifact,
  ArtifactContent,
  JsonObject,
  JsonValue,
  Task,
} from '../../src/door/index.ts';
import { isTerminal } from '../../src/door/index.ts';
import { isJsonObject, writeJson } from '../../src/transport.ts';
import { envelopeFor } from './envelope.ts';
import { FINAL, PARTIAL } from './messages.ts';
import { offerOf } from './offer.ts';
import { Refusal } from './refusal.ts';
import { kindOf, misfitOf } from './schemas.ts';

/** Which body a final of an offer has. */
const FINAL_KINDS: Readonly<Record<string, string>> = {
  intent_offer: 'intent_result',
  dimension_offer: 'replica_result',
};

/** The partials in a piece of output. Throws a {@link Refusal} for what is none. */
export function partialsIn(
  task: Task,
  { id, name = id, parts }: ArtifactContent,
  nowMs: number,
): JsonObject[] {
  if (name !== PARTIAL) return [];
  return parts.map((part) => {
    const body = 'data' in part ? part.data : undefined;
    const message = resultOf(task, body, 'partial', nowMs);
    const kind = kindOf(message);
    if (kind !== 'early_partial' && kind !== 'hint_partial') {
      throw new Refusal('output', 'a partial of the agent has no body of its own');
    }
    return checked(task, message);
  });
}

/** The bytes of the final of a completed task. Throws a {@link Refusal} where its output is none. */
function finalOf(task: Task): Uint8Array {
  for (const artifact of task.artifacts) partialsIn(task, artifact, task.status.at);
  const bodies = task.artifacts.filter(isFinal).flatMap(({ parts }) => parts);
  const [part] = bodies;
  if (part === undefined || bodies.length > 1 || !('data' in part)) {
    throw new Refusal('output', 'the agent gave no final, or more than one');
  }
  const message = resultOf(task, part.data, 'final', task.status.at);
  if (kindOf(message) !== FINAL_KINDS[kindOf(offerOf(task)!)!]) {
    throw new Refusal('output', 'the final of the agent is none for such an offer');
  }
  return writeJson(checked(task, message));
}

/** How it ended: the final, or why there is none. */
export function outcomeOf(task: Task): Uint8Array | Refusal {
  const { state, failure } = task.status;
  if (state === 'completed') {
    try {
      return finalOf(task);
    } catch (thrown) {
      if (thrown instanceof Refusal) return thrown;
      throw thrown;
    }
  }
  if (failure?.code === 'DEADLINE') {
    return new Refusal('timeout', 'the agent was not done in time');
  }
  if (state === 'failed' || state === 'rejected') {
    return new Refusal('failed', failure?.message || 'the agent failed');
  }
  if (state === 'canceled') return new Refusal('failed', 'the work was canceled');
  return new Refusal('failed', 'the agent asks for something that cannot be answered here');
}

/** It goes on, or has a final to give again: an offer with its key is the same, or in conflict with it. */
export function isKept(task: Task): boolean {
  return !isTerminal(task.status.state) || !(outcomeOf(task) instanceof Refusal);
}

function isFinal({ id, name = id }: Artifact): boolean {
  return name === FINAL;
}

/** What the handler says, inside what is ours to say. */
function resultOf(
  task: Task,
  body: JsonValue | undefined,
  status: 'partial' | 'final',
  nowMs: number,
): JsonObject {
  if (!isJsonObject(body)) {
    throw new Refusal('output', `a ${status} of the agent is no JSON object`);
  }
  const ours = { ...envelopeFor(offerOf(task)!, 'task_result', nowMs), status };
  const elapsed = { elapsed_ms: Math.max(0, Math.round(nowMs - task.createdAt)) };
  return { ...ours, ...body, ...ours, ...elapsed };
}

function checked(task: Task, message: JsonObject): JsonObject {
  const misfit = misfitOf(kindOf(message)!, message, true);
  if (misfit !== undefined) {
    throw new Refusal('output', `the output of the agent does not fit: ${misfit.path}`);
  }
  const { dimension, run_id: runId } = offerOf(task)!;
  const { verdict, early_result: early = verdict } = message;
  if (isJsonObject(early) && (early['dimension'] !== dimension || early['run_id'] !== runId)) {
    throw new Refusal('output', 'the output of the agent is for another dimension or run');
  }
  return message;
}
