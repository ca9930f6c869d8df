// Owns what is seen at the door as the facts of packets: which message, which task, which artifact, and where it came
// from. Never what was said, and nothing that is guessed. SPEC.md section 17 (#assay-sink).

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import type {
  AcceptedMessage,
  ArtifactContent,
  CallContext,
  TaskStatus,
  TaskStep,
} from '../../src/door/index.ts';
import { PROTOCOL } from './content.ts';
import type { Facts } from './facts.ts';
import type { RawReference } from './raw-reference.ts';

type Message = AcceptedMessage['message'];

/** The packet is a form of its own, with a version of its own: that of the dialect stands under `attributes`. */
const VERSION = '0.3';

/** A message to a task: `task.requested`, or for a task that is there a message event. */
export function acceptedFacts(
  { call, operation, message, taskId, kind }: AcceptedMessage,
  nowMs: number,
  raw: RawReference | undefined,
): Facts {
  const isStart = operation === 'start';
  const source = sourceOf(call);
  return {
    protocol: PROTOCOL,
    version: VERSION,
    eventType: isStart ? 'task.requested' : 'task.message',
    timestamp: call.received?.sentAt ?? timeText(nowMs),
    agent: { id: clean(call.principal.id) },
    task: {
      id: cleanIf(taskId),
      status: isStart ? 'requested' : undefined,
      kind: cleanIf(kind),
    },
    message: messageFacts(call, message),
    attributes: raw === undefined ? { source } : { raw: rawFacts(raw), source },
    unknownMembers: 0,
  };
}

/** Of one that was made here, neither its id nor its role came with it. */
function messageFacts({ received }: CallContext, message: Message): NonNullable<Facts['message']> {
  const { messageId } = received ?? {};
  if (messageId === undefined) return { id: clean(message.id), role: message.role };
  return { id: messageId === null ? undefined : clean(messageId) };
}

/** What a peer is told: a status, an artifact, or, without an event, the status and every artifact of the task. */
export function sentFacts(call: CallContext, step: TaskStep): readonly Facts[] {
  const { task, event } = step;
  if (event === undefined) {
    // Before its first event there is nothing to tell of it.
    if (task.generation === 0 && task.direct !== true) return [];
    const artifacts = task.artifacts.map((artifact) => artifactFacts(call, step, artifact));
    return [statusFacts(call, step, task.status), ...artifacts];
  }
  if (event.type === 'status') return [statusFacts(call, step, event.status)];
  if (event.type === 'artifact') return [artifactFacts(call, step, event.artifact)];
  // An answer to a question sets the task to work again; another message changes nothing of it.
  const isChange = event.type === 'message' && event.answers !== undefined;
  return isChange ? [statusFacts(call, step, task.status)] : [];
}

function statusFacts(call: CallContext, step: TaskStep, status: TaskStatus): Facts {
  const { message, state, at } = status;
  return {
    protocol: PROTOCOL,
    version: VERSION,
    eventType: 'task.updated',
    timestamp: timeText(at),
    agent: { id: clean(call.agentId) },
    task: { id: taskIdOf(call, step), status: state, kind: cleanIf(step.task.kind) },
    ...(message !== undefined && { message: { id: clean(message.id), role: message.role } }),
    attributes: sentTo(call, step),
    unknownMembers: 0,
  };
}

function artifactFacts(
  call: CallContext,
  step: TaskStep,
  { id, name, parts }: ArtifactContent,
): Facts {
  return {
    protocol: PROTOCOL,
    version: VERSION,
    eventType: 'artifact.shared',
    timestamp: timeText(step.event?.at ?? step.task.status.at),
    agent: { id: clean(call.agentId) },
    task: { id: taskIdOf(call, step), kind: cleanIf(step.task.kind) },
    artifact: { id: clean(id), name: cleanIf(name), mediaType: parts[0]?.mediaType },
    attributes: sentTo(call, step),
    unknownMembers: 0,
  };
}

function taskIdOf({ received }: CallContext, { task }: TaskStep): string {
  return clean(received?.taskId ?? task.id);
}

// Members by name, as they are written.

function sentTo(call: CallContext, { task }: TaskStep): JsonObject {
  const { generation } = task;
  return { generation, peer: clean(call.principal.id), source: sourceOf(call) };
}

function sourceOf({ face, received }: CallContext): JsonObject {
  const { transport, version } = received ?? {};
  const source: Record<string, JsonValue> = {};
  if (transport !== undefined) source['binding'] = clean(transport);
  source['protocol'] = clean(face);
  if (version !== undefined) source['version'] = clean(version);
  return source;
}

function rawFacts({ media_type, sha256, size_bytes }: RawReference): JsonObject {
  return { media_type, sha256, size_bytes };
}

const SURROGATE = /[\uD800-\uDFFF]/;
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Half a surrogate pair cannot be written. */
function clean(text: string): string {
  return SURROGATE.test(text) ? text.replace(LONE_SURROGATE, '\uFFFD') : text;
}

function cleanIf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : clean(text);
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
