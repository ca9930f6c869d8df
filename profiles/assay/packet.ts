// Owns what is read of a packet, once it is a value: gates, required members, what stands in for missing ones, and the
// data of the event. SPEC.md section 17 (#assay-packet, #assay-lenient).

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonArray, isJsonObject } from '../../src/codec/index.ts';
import { sortByCodePoint } from './canonical.ts';
import { ConvertError } from './error.ts';
import { eventTime, DEFAULT_TIME } from './event-time.ts';
import {
  AGENT_CAPABILITIES,
  ARTIFACT_SHARED,
  MESSAGE,
  TASK_REQUESTED,
  TASK_UPDATED,
  mappedType,
} from './event-type.ts';
import { assertVersion } from './version-rule.ts';
import { discoveryOf, handoffOf } from './visibility.ts';

export type ConvertMode = 'strict' | 'lenient';

interface PacketOptions {
  readonly mode: ConvertMode;
  /** Seen where the packet came in; counts only where the packet has none. */
  readonly protocolVersion?: string | undefined;
  readonly adapterVersion: string;
}

/** What becomes of a packet, before it has a place in a run. */
export interface ReadPacket {
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly data: JsonObject;
  /** Members that have no place, and what stands in for missing ones. */
  readonly unmapped: number;
  readonly notes: readonly string[];
}

const ADAPTER_ID = 'assay-adapter-a2a';
const PROTOCOL = 'a2a';
const KNOWN = new Set([
  'protocol',
  'version',
  'event_type',
  'timestamp',
  'agent',
  'task',
  'artifact',
  'message',
  'attributes',
]);

export function readFields(packet: JsonValue, options: PacketOptions): ReadPacket {
  const { mode, protocolVersion, adapterVersion } = options;
  if (textIn(packet, 'protocol') !== PROTOCOL) throw measurement(`protocol must be "${PROTOCOL}"`);
  const version = textIn(packet, 'version') ?? protocolVersion;
  if (version === undefined) throw measurement('missing version');
  assertVersion(version);
  const eventType = textIn(packet, 'event_type');
  const mapped = mappedType(eventType);
  const given = idsIn(packet);
  if (mode === 'strict') assertWhole(given, mapped);

  const notes: string[] = [];
  const standIn = (path: string, value: string): string => {
    notes.push(`${path} is missing: ${value} stands in for it`);
    return value;
  };
  const agentId = given.agent ?? standIn('agent.id', 'unknown-agent');
  const type = mapped ?? MESSAGE;
  if (mapped === undefined) notes.push('event_type has no mapping: it became a message event');
  const isTask = type === TASK_REQUESTED || type === TASK_UPDATED;
  const taskId = given.task ?? (isTask ? standIn('task.id', 'unknown-task') : undefined);
  const artifactId =
    given.artifact ??
    (type === ARTIFACT_SHARED ? standIn('artifact.id', 'unknown-artifact') : undefined);
  const messageId =
    given.message ?? (type === MESSAGE ? standIn('message.id', 'unknown-message') : undefined);

  const unmapped = unknownMembers(packet) + notes.length;
  const attributes = memberOf(packet, 'attributes');
  const taskKind = textAt(packet, 'task', 'kind');
  const data: JsonObject = {
    adapter_id: ADAPTER_ID,
    adapter_version: adapterVersion,
    protocol: PROTOCOL,
    protocol_name: PROTOCOL,
    protocol_version: version,
    ...(eventType !== undefined && { upstream_event_type: eventType }),
    agent: withTexts(packet, 'agent', agentId, ['name', 'role'], capabilitiesIn(packet)),
    ...(taskId !== undefined && { task: withTexts(packet, 'task', taskId, ['status', 'kind']) }),
    ...(artifactId !== undefined && {
      artifact: withTexts(packet, 'artifact', artifactId, ['name', 'media_type']),
    }),
    ...(messageId !== undefined && { message: withTexts(packet, 'message', messageId, ['role']) }),
    ...(attributes !== undefined && { attributes: normalised(attributes) }),
    discovery: discoveryOf(attributes),
    handoff: handoffOf({ type, taskKind, taskId: given.task, messageId: given.message }),
    unmapped_fields_count: unmapped,
  };
  const subjects: Readonly<Record<string, string | undefined>> = {
    [AGENT_CAPABILITIES]: agentId,
    [ARTIFACT_SHARED]: artifactId,
    [MESSAGE]: messageId,
  };
  return {
    type,
    subject: (isTask ? taskId : subjects[type])!,
    time: timeIn(packet),
    data,
    unmapped,
    notes,
  };
}

interface GivenIds {
  readonly agent: string | undefined;
  readonly task: string | undefined;
  readonly artifact: string | undefined;
  readonly message: string | undefined;
}

/** An empty text is there; what is no text is not. */
function idsIn(packet: JsonValue): GivenIds {
  const [agent, task, artifact, message] = ['agent', 'task', 'artifact', 'message'].map((holder) =>
    textAt(packet, holder, 'id'),
  );
  return { agent, task, artifact, message };
}

/** Strict: nothing may have to stand in for anything. In this order. */
function assertWhole({ agent, task, artifact }: GivenIds, mapped: string | undefined): void {
  if (agent === undefined) throw measurement('missing agent.id');
  if (mapped === undefined) {
    throw new ConvertError('strict_lossiness_violation', 'event_type has no mapping');
  }
  const isTask = mapped === TASK_REQUESTED || mapped === TASK_UPDATED;
  if (isTask && task === undefined) throw measurement('missing task.id');
  if (mapped === ARTIFACT_SHARED && artifact === undefined) {
    throw measurement('missing artifact.id');
  }
}

function unknownMembers(packet: JsonValue): number {
  if (!isJsonObject(packet)) return 0;
  return Object.keys(packet).filter((name) => !KNOWN.has(name)).length;
}

function timeIn(packet: JsonValue): string {
  const given = textIn(packet, 'timestamp');
  return (given === undefined ? undefined : eventTime(given)) ?? DEFAULT_TIME;
}

/** The id, and which of these members of the packet are text. */
function withTexts(
  packet: JsonValue,
  holder: string,
  id: string,
  names: readonly string[],
  more: JsonObject = {},
): JsonObject {
  const result: Record<string, JsonValue> = { id, ...more };
  for (const name of names) {
    const text = textAt(packet, holder, name);
    if (text !== undefined) result[name] = text;
  }
  return result;
}

function capabilitiesIn(packet: JsonValue): JsonObject {
  const list = memberOf(memberOf(packet, 'agent'), 'capabilities');
  if (!isJsonArray(list)) return {};
  return { capabilities: sortByCodePoint(list.filter((item) => typeof item === 'string')) };
}

/** Arrays of texts lose their order; everything else stays as it is. */
function normalised(value: JsonValue): JsonValue {
  if (isJsonArray(value)) {
    return value.every((item) => typeof item === 'string')
      ? sortByCodePoint([...value])
      : value.map(normalised);
  }
  if (!isJsonObject(value)) return value;
  const result = Object.setPrototypeOf({}, null) as Record<string, JsonValue>;
  for (const name of Object.keys(value)) result[name] = normalised(value[name]!);
  return result;
}

function textAt(packet: JsonValue, holder: string, name: string): string | undefined {
  return textIn(memberOf(packet, holder), name);
}

function textIn(value: JsonValue | undefined, name: string): string | undefined {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : undefined;
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function measurement(words: string): ConvertError {
  return new ConvertError('measurement', words);
}
