// Owns what a Task asks of the door: the goal and its input, or a whole task payload. What it cannot be is stored as
// rejected, so that an equal Task is answered alike. SPEC.md section 19 (#swp-task, #swp-task-id).

import { randomUUID } from 'node:crypto';
import type { JsonObject, StartTask, TaskFailure } from '../../../src/door/index.ts';
import { SdlError } from '../../../src/door/index.ts';
import type { ListenContext } from '../../../src/transport.ts';
import { readJson } from '../../../src/transport.ts';
import type { HandshakeMessage, TaskMessage } from '../wire/message.ts';
import type { Condition } from './conditions.ts';
import { conditionOf } from './conditions.ts';
import { engineId, taskDigest } from './task-id.ts';

export const FACE = 'swp';
/** The kind whose input is a task payload. */
const TASK_PAYLOAD = 'task.v1';
/** Of what a peer claims, as much is kept with each of its tasks. */
const MAX_CLAIM_BYTES = 4_096;

/** @param claim what the other end says of itself, if it said anything. */
export function startOf(
  task: TaskMessage,
  claim: HandshakeMessage | undefined,
  context: Pick<ListenContext, 'readTask' | 'limits'>,
): StartTask {
  const { taskId, kind, input } = task;
  const named = {
    kind,
    idempotency: { id: engineId(taskId), digest: taskDigest(kind, input) },
    ...(claim !== undefined && { metadata: { [FACE]: claimOf(claim) } }),
  };
  const source = {
    face: FACE,
    value: { task_id: Buffer.from(taskId).toString('base64url'), kind },
  };
  if (kind !== TASK_PAYLOAD) {
    return { ...named, message: goalOf(task), source };
  }
  try {
    const asked = context.readTask(readJson(input, context.limits));
    return { ...named, ...asked, source };
  } catch (thrown) {
    if (!(thrown instanceof SdlError)) throw thrown;
    const { code, row } = thrown;
    const rejection = { code, message: row.words, retryable: false };
    return { ...named, message: goalOf(task), source, rejection };
  }
}

/** The same start, which is not done. */
export function rejected(
  start: StartTask,
  rejection: TaskFailure,
  condition: Condition = conditionOf(rejection.code),
): StartTask {
  const value = { ...(start.source!.value as JsonObject), condition };
  return { ...start, source: { face: FACE, value }, rejection };
}

function goalOf({ kind, input }: TaskMessage): StartTask['message'] {
  const file = input.length === 0 ? [] : [{ bytes: input }];
  return { id: randomUUID(), role: 'user', parts: [{ text: kind }, ...file] };
}

function claimOf({ agentId, capabilities }: HandshakeMessage): JsonObject {
  let room = MAX_CLAIM_BYTES;
  const kept = capabilities.filter(
    (capability) => (room -= Buffer.byteLength(capability) + 4) >= 0,
  );
  const leftOut = capabilities.length - kept.length;
  return {
    agent_id: agentId,
    capabilities: kept,
    ...(leftOut > 0 && { capabilities_left_out: leftOut }),
  };
}
