// Owns what is seen at the door as packets: which message, which task, which artifact, and where it came from. Never what
// was said, and nothing that is guessed. SPEC.md section 17 (#assay-sink).

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import type {
  AcceptedMessage,
  ArtifactContent,
  CallContext,
  TaskStatus,
  TaskStep,
} from '../../src/door/index.ts';
import type { RawReference } from './raw-reference.ts';

/** The version of the packet, which is a form of its own: that of the dialect stands under `attributes`. */
const PACKET = { protocol: 'a2a', version: '0.3' } as const;

/** A message to a task: `task.requested`, or for a task that is there a message event. */
export function acceptedPacket(
  { call, operation, message, taskId, kind }: AcceptedMessage,
  nowMs: number,
  raw: RawReference | undefined,
): JsonObject {
  const isStart = operation === 'start';
  return {
    ...PACKET,
    event_type: isStart ? 'task.requested' : 'task.message',
    timestamp: call.received?.sentAt ?? timeText(nowMs),
    agent: { id: clean(call.principal.id) },
    task: texts({ id: taskId, status: isStart ? 'requested' : undefined, kind }),
    message: { id: clean(message.id), role: message.role },
    attributes: { source: sourceOf(call), ...(raw !== undefined && { raw: { ...raw } }) },
  };
}

/** What a peer is told: a status, an artifact, or, without an event, the status and every artifact of the task. */
export function sentPackets(call: CallContext, step: TaskStep): readonly JsonObject[] {
  const { task, event } = step;
  if (event === undefined) {
    // Before its first event there is nothing to tell of it.
    if (task.generation === 0 && task.direct !== true) return [];
    const artifacts = task.artifacts.map((artifact) => artifactPacket(call, step, artifact));
    return [statusPacket(call, step, task.status), ...artifacts];
  }
  if (event.type === 'status') return [statusPacket(call, step, event.status)];
  if (event.type === 'artifact') return [artifactPacket(call, step, event.artifact)];
  // An answer to a question sets the task to work again; another message changes nothing of it.
  const isChange = event.type === 'message' && event.answers !== undefined;
  return isChange ? [statusPacket(call, step, task.status)] : [];
}

function statusPacket(call: CallContext, step: TaskStep, status: TaskStatus): JsonObject {
  const { message, state, at } = status;
  return {
    ...PACKET,
    event_type: 'task.updated',
    timestamp: timeText(at),
    agent: { id: clean(call.agentId) },
    task: taskOf(call, step, state),
    ...(message !== undefined && { message: { id: clean(message.id), role: message.role } }),
    attributes: sentTo(call, step),
  };
}

function artifactPacket(
  call: CallContext,
  step: TaskStep,
  { id, name, parts }: ArtifactContent,
): JsonObject {
  return {
    ...PACKET,
    event_type: 'artifact.shared',
    timestamp: timeText(step.event?.at ?? step.task.status.at),
    agent: { id: clean(call.agentId) },
    task: taskOf(call, step),
    artifact: texts({ id, name, media_type: parts[0]?.mediaType }),
    attributes: sentTo(call, step),
  };
}

function taskOf(call: CallContext, { task }: TaskStep, status?: string): JsonObject {
  return texts({ id: call.received?.taskId ?? task.id, status, kind: task.kind });
}

function sentTo(call: CallContext, { task }: TaskStep): JsonObject {
  return {
    source: sourceOf(call),
    peer: clean(call.principal.id),
    generation: task.generation,
  };
}

function sourceOf({ face, received }: CallContext): JsonObject {
  return texts({ protocol: face, version: received?.version, binding: received?.transport });
}

/** Only what is there. */
function texts(members: Readonly<Record<string, string | undefined>>): JsonObject {
  const result: Record<string, JsonValue> = {};
  for (const [name, text] of Object.entries(members)) {
    if (text !== undefined) result[name] = clean(text);
  }
  return result;
}

/** Half a surrogate pair cannot be written. */
function clean(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
