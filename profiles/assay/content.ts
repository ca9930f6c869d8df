// Owns the content of an event: gates, required members, what stands in for missing ones, and the data.
// SPEC.md section 17 (#assay-packet, #assay-lenient).

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonArray, isJsonObject } from '../../src/codec/index.ts';
import { sortByCodePoint } from './canonical.ts';
import { ConvertError } from './error.ts';
import { DEFAULT_TIME, eventTime } from './event-time.ts';
import {
  AGENT_CAPABILITIES,
  ARTIFACT_SHARED,
  MESSAGE,
  TASK_REQUESTED,
  TASK_UPDATED,
  mappedType,
} from './event-type.ts';
import type { Facts } from './facts.ts';
import { assertVersion } from './version-rule.ts';
import { discoveryOf, handoffOf } from './visibility.ts';

export type ConvertMode = 'strict' | 'lenient';

interface ContentOptions {
  readonly mode: ConvertMode;
  /** Seen where the packet came in; counts only where the packet has none. */
  readonly protocolVersion?: string | undefined;
  readonly adapterVersion: string;
}

/** What becomes of a packet, before it has a place in a run. */
export interface Content {
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  /** Its members are in the order of their names, but for capabilities and attributes. */
  readonly data: JsonObject;
  /** Members that have no place, and what stands in for missing ones. */
  readonly unmapped: number;
  readonly notes: readonly string[];
}

const ADAPTER_ID = 'assay-adapter-a2a';
export const PROTOCOL = 'a2a';

export function contentOf(facts: Facts, options: ContentOptions): Content {
  const { mode, protocolVersion, adapterVersion } = options;
  const { agent, task, artifact, message, attributes, eventType, timestamp } = facts;
  if (facts.protocol !== PROTOCOL) throw measurement(`protocol must be "${PROTOCOL}"`);
  const version = facts.version ?? protocolVersion;
  if (version === undefined) throw measurement('missing version');
  assertVersion(version);
  const mapped = mappedType(eventType);
  if (mode === 'strict') assertWhole(facts, mapped);

  const notes: string[] = [];
  const standIn = (path: string, value: string): string => {
    notes.push(`${path} is missing: ${value} stands in for it`);
    return value;
  };
  const agentId = agent.id ?? standIn('agent.id', 'unknown-agent');
  const type = mapped ?? MESSAGE;
  if (mapped === undefined) notes.push('event_type has no mapping: it became a message event');
  const isTask = isTaskType(type);
  const taskId = task?.id ?? (isTask ? standIn('task.id', 'unknown-task') : undefined);
  const artifactId =
    artifact?.id ??
    (type === ARTIFACT_SHARED ? standIn('artifact.id', 'unknown-artifact') : undefined);
  const messageId =
    message?.id ?? (type === MESSAGE ? standIn('message.id', 'unknown-message') : undefined);

  const unmapped = facts.unknownMembers + notes.length;
  const data: Record<string, JsonValue> = {
    adapter_id: ADAPTER_ID,
    adapter_version: adapterVersion,
    agent: agentData(agentId, agent),
  };
  if (artifactId !== undefined) {
    data['artifact'] = named(artifactId, 'media_type', artifact?.mediaType, 'name', artifact?.name);
  }
  if (attributes !== undefined) data['attributes'] = normalised(attributes);
  data['discovery'] = discoveryOf(attributes);
  data['handoff'] = handoffOf({
    type,
    taskKind: task?.kind,
    taskId: task?.id,
    messageId: message?.id,
  });
  if (messageId !== undefined) data['message'] = named(messageId, 'role', message?.role);
  data['protocol'] = PROTOCOL;
  data['protocol_name'] = PROTOCOL;
  data['protocol_version'] = version;
  if (taskId !== undefined) {
    data['task'] = named(taskId, 'kind', task?.kind, 'status', task?.status);
  }
  data['unmapped_fields_count'] = unmapped;
  if (eventType !== undefined) data['upstream_event_type'] = eventType;
  const subjects: Readonly<Record<string, string | undefined>> = {
    [AGENT_CAPABILITIES]: agentId,
    [ARTIFACT_SHARED]: artifactId,
    [MESSAGE]: messageId,
  };
  return {
    type,
    subject: (isTask ? taskId : subjects[type])!,
    time: (timestamp === undefined ? undefined : eventTime(timestamp)) ?? DEFAULT_TIME,
    data,
    unmapped,
    notes,
  };
}

/** Strict: nothing may have to stand in for anything. In this order. */
function assertWhole({ agent, task, artifact }: Facts, mapped: string | undefined): void {
  if (agent.id === undefined) throw measurement('missing agent.id');
  if (mapped === undefined) {
    throw new ConvertError('strict_lossiness_violation', 'event_type has no mapping');
  }
  if (isTaskType(mapped) && task?.id === undefined) throw measurement('missing task.id');
  if (mapped === ARTIFACT_SHARED && artifact?.id === undefined) {
    throw measurement('missing artifact.id');
  }
}

function isTaskType(type: string): boolean {
  return type === TASK_REQUESTED || type === TASK_UPDATED;
}

function agentData(id: string, { name, role, capabilities }: Facts['agent']): JsonObject {
  const result = named(id, 'name', name, 'role', role);
  if (capabilities === undefined) return result;
  return { capabilities: sortByCodePoint([...capabilities]), ...result };
}

/** The id, and the other members that are there. */
function named(
  id: string,
  one: string,
  first: string | undefined,
  other = '',
  second?: string,
): JsonObject {
  const result: Record<string, JsonValue> = { id };
  if (first !== undefined) result[one] = first;
  if (second !== undefined) result[other] = second;
  return result;
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

function measurement(words: string): ConvertError {
  return new ConvertError('measurement', words);
}
