// Owns how a task is told on the SWP wire: an Event for what happens, one Result for its end.
// SPEC.md section 19 (#swp-event, #swp-result).

import { writeJcs, writeJson } from '../../../src/codec/index.ts';
import type { Artifact, JsonObject, JsonValue, Part, Task } from '../../../src/door/index.ts';
import type { TaskEvent } from '../../../src/door/index.ts';
import { SdlError, writeMessage, writeParts } from '../../../src/door/index.ts';
import { isJsonObject } from '../../../src/transport.ts';
import type { EventMessage, ResultMessage } from '../wire/message.ts';
import { FACE } from './asked.ts';
import type { Condition } from './conditions.ts';
import { failureText } from './conditions.ts';

const NOTHING = new Uint8Array(0);
const CANCELED = { code: 'CANCELED', message: 'the task was canceled' };

export function eventMessage(taskId: Uint8Array, event: TaskEvent): EventMessage {
  const said = event.type === 'status' ? event.status.message?.text : undefined;
  return { type: 'event', taskId, message: said ?? '', eventPayload: jcs(eventForm(event)) };
}

/** Of a task that has ended. */
export function resultMessage(taskId: Uint8Array, task: Task): ResultMessage {
  const { state, failure } = task.status;
  if (state === 'completed') {
    return { type: 'result', taskId, ok: true, output: outputOf(task), errorMessage: '' };
  }
  const why = failure ?? (state === 'canceled' ? CANCELED : { code: 'FAILED', message: state });
  return failedResult(taskId, failureText(why, conditionIn(task)));
}

export function failedResult(taskId: Uint8Array, errorMessage: string): ResultMessage {
  return { type: 'result', taskId, ok: false, output: NOTHING, errorMessage };
}

/** The condition that was found when the task was refused. */
function conditionIn({ source }: Task): Condition | undefined {
  const { face, value } = source;
  const condition = face === FACE && isJsonObject(value) ? value['condition'] : undefined;
  return condition as Condition | undefined;
}

/** What a single part holds, as it is; of more than one all that was made. */
function outputOf({ artifacts, status, direct }: Task): Uint8Array {
  const made =
    direct === true && status.message !== undefined
      ? [{ id: 'answer', parts: status.message.parts }]
      : artifacts;
  const parts = made.flatMap((artifact) => artifact.parts);
  return (
    (parts.length === 1 ? plainOutput(parts[0]!) : undefined) ??
    jcs({ artifacts: made.map(artifactForm) })
  );
}

function plainOutput(part: Part): Uint8Array | undefined {
  if ('text' in part) return new TextEncoder().encode(part.text);
  if ('data' in part) return jcs(part.data);
  return 'bytes' in part ? part.bytes : undefined;
}

function artifactForm(artifact: Pick<Artifact, 'id' | 'parts'> & Partial<Artifact>): JsonObject {
  const { id, name, description, parts, metadata, extensions } = artifact;
  return {
    id,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    parts: writeParts(parts),
    ...(metadata !== undefined && { metadata }),
    ...(extensions !== undefined && { extensions: [...extensions] }),
  };
}

/** The event with its messages and parts in their form for wires. */
function eventForm(event: TaskEvent): JsonObject {
  if (event.type === 'status') {
    const { status, ...rest } = event;
    const { message, ...facts } = status;
    const told = message === undefined ? {} : { message: writeMessage(message) };
    return {
      ...(rest as unknown as JsonObject),
      status: { ...(facts as unknown as JsonObject), ...told },
    };
  }
  if (event.type === 'message') return { ...event, message: writeMessage(event.message) };
  if (event.type === 'artifact') {
    const { artifact, ...rest } = event;
    return { ...rest, artifact: artifactForm(artifact) };
  }
  return { ...event, child: { ...event.child } as unknown as JsonObject };
}

/** A number that this form would have to round is written with all its digits instead. */
function jcs(value: JsonValue): Uint8Array {
  try {
    return writeJcs(value);
  } catch (thrown) {
    if (!(thrown instanceof SdlError) || thrown.code !== 'NUMBER_INEXACT') throw thrown;
    return writeJson(value);
  }
}
