// Owns what the version before 0.2.0 wrote: its rows, records and checkpoints, read as what they are now. Logs are never
// written again; one record is one event, with the generation that it had.

import type { JsonArray, JsonObject, JsonValue } from '../../codec/value.ts';
import { isJsonObject } from '../../codec/value.ts';
import { decodeBase64url } from '../../codec/base64url.ts';
import { parseTimestamp } from '../../envelope/timestamp.ts';
import type { Artifact, KeptArtifact } from '../artifact.ts';
import { newArtifactId } from '../artifact.ts';
import type { TaskChange } from '../event.ts';
import type { Message } from '../message.ts';
import { createMessage } from '../message.ts';
import type { Part } from '../part.ts';
import type { Task, TaskAuthority, TaskFailure, TaskOrigin, TaskState } from '../task.ts';
import { isTerminal } from '../task.ts';
import { landedMade, readChild } from './record.ts';
import type { Holder, TaskRow } from './row.ts';

/** They had no message ids, and one is made from where each stands. */
const MESSAGE_ID = 'landed';

export function readLandedOrigin(record: JsonObject): TaskOrigin {
  const { at, origin } = record;
  const { tenant, owner, id, payload, metadata } = origin as JsonObject;
  const { goal, inputs, context } = payload as JsonObject;
  const { grant, trace, grants } = metadata as JsonObject;
  const named = isJsonObject(context) && isJsonObject(context['task']) ? context['task'] : {};
  const deadline =
    typeof named['deadline'] === 'string' ? parseTimestamp(named['deadline']) : undefined;
  const hasInputs = isJsonObject(inputs) && Object.keys(inputs).length > 0;
  return {
    tenant: tenant as string,
    owner: owner as string,
    id: id as string,
    ...nameIn(named, 'context_id', 'contextId'),
    ...nameIn(named, 'kind', 'kind'),
    ...nameIn(named, 'parent', 'parent'),
    ...(deadline !== undefined && { deadline }),
    message: createMessage({
      id: MESSAGE_ID,
      role: 'user',
      parts: [{ text: goal as string }, ...(hasInputs ? [{ data: inputs }] : [])],
    }),
    metadata: {},
    source: {
      face: 'sdl',
      value: {
        payload: payload!,
        ...(trace !== undefined && { trace }),
        ...(grants !== undefined && { grants }),
      },
    },
    authority: authorityOf(grant),
    createdAt: at as number,
  };
}

function nameIn(named: JsonObject, member: string, as: string): Record<string, string> {
  const value = named[member];
  return typeof value === 'string' ? { [as]: value } : {};
}

function authorityOf(grant: JsonValue | undefined): TaskAuthority {
  if (!isJsonObject(grant)) return { scheme: 'sdl' };
  const { ct, tools, notAfterMs } = grant;
  return {
    scheme: 'sdl',
    ceiling: {
      allow: { ct: ct as unknown as string[], tools: tools as unknown as string[] },
      notAfterMs: notAfterMs as number,
    },
  };
}

export function readLandedEvent(record: JsonObject, before: Task): TaskChange {
  const generation = before.generation + 1;
  const { asked } = before.status;
  switch (record['type']) {
    case 'progress': {
      const { message, fraction } = record['progress'] as JsonObject;
      return {
        type: 'status',
        status: {
          state: 'working',
          message: messageOf('agent', message, generation)!,
          ...(fraction !== undefined && { fraction: Number(fraction) }),
        },
      };
    }
    case 'artifact':
      return artifactIn(record['artifact'] as JsonObject, before.artifacts);
    case 'delegation':
      return { type: 'delegation', child: readChild(record['child'] as JsonObject) };
    case 'reply':
      return {
        type: 'message',
        message: messageOf('user', record['reply'], generation)!,
        ...(asked !== undefined && { answers: asked }),
        ...deadlineIn(record),
      };
    default:
      return statusIn(record, before, generation);
  }
}

function statusIn(record: JsonObject, before: Task, generation: number): TaskChange {
  const { failure, question, attempt, keep, open } = record;
  const state = record['state'] as TaskState;
  const message = messageOf('agent', question, generation);
  return {
    type: 'status',
    status: {
      state,
      ...(message !== undefined && { message }),
      ...(failure !== undefined && { failure: failureOf(failure as JsonObject) }),
    },
    ...(state === 'working' && { attempt: (attempt as number | undefined) ?? before.attempt + 1 }),
    ...(keep !== undefined && { keep: keptOf(keep, open, before.artifacts) }),
    ...deadlineIn(record),
  };
}

function failureOf({ code, message }: JsonObject): TaskFailure {
  return { code: code as string, message: message as string, retryable: false };
}

function deadlineIn({ deadline }: JsonObject): { readonly deadline?: number } {
  return deadline === undefined ? {} : { deadline: deadline as number };
}

/** Text is a text part, anything else is data; nothing, or `null` for a question, is no message. */
function messageOf(
  role: 'user' | 'agent',
  value: JsonValue | undefined,
  generation: number,
): Message | undefined {
  if (value === undefined || (role === 'agent' && value === null)) return undefined;
  const part: Part = typeof value === 'string' ? { text: value } : { data: value };
  return createMessage({ id: `${MESSAGE_ID}-${generation}`, role, parts: [part] });
}

function artifactIn(record: JsonObject, artifacts: readonly Artifact[]): TaskChange {
  const { text, data, append, isLast } = record;
  const name = record['name'] as string;
  const isText = typeof text === 'string';
  const newest = artifacts.findLast(
    (artifact) => artifact.name === name && isTextIn(artifact) === isText,
  );
  const begun = append === true && newest?.isComplete === false ? newest : undefined;
  const content = isText ? { text } : { bytes: decodeBase64url(data as string)! };
  const mediaType = record['mediaType'] as string;
  return {
    type: 'artifact',
    artifact:
      begun === undefined
        ? { id: newArtifactId(name, artifacts), name, parts: [{ ...content, mediaType }] }
        : { id: begun.id, parts: [content] },
    ...(begun !== undefined && { append: true }),
    ...(isLast === true && { last: true }),
  };
}

function isTextIn({ parts: [part] }: Artifact): boolean {
  return part !== undefined && 'text' in part;
}

/** Lengths by place, and which of the artifacts had not ended. */
function keptOf(
  keep: JsonValue,
  open: JsonValue | undefined,
  artifacts: readonly Artifact[],
): readonly KeptArtifact[] {
  const unended = (open as JsonArray | undefined) ?? [];
  return (keep as readonly number[]).flatMap((length, at) => {
    const artifact = artifacts[at];
    if (artifact === undefined) return [];
    const [part] = artifact.parts;
    const full = part !== undefined && ('text' in part ? part.text : (part as never)['bytes']);
    const isWhole = (full as string | Uint8Array).length === length && !unended.includes(at);
    return [{ id: artifact.id, parts: 1, length, isComplete: artifact.isComplete && isWhole }];
  });
}

/** What an author kept, where the version before 0.2.0 wrote it. */
export function readLandedCheckpoint(
  { value, keep, open, answered }: JsonObject,
  { artifacts }: Task,
): {
  readonly value: JsonValue;
  readonly keep: readonly KeptArtifact[];
  readonly answered: number;
} {
  return { value: value!, keep: keptOf(keep!, open, artifacts), answered: answered as number };
}

/** The migration of the store has put its holder there, and has counted it with its bytes. */
export function readLandedRow(row: JsonObject): TaskRow {
  const names = row as Readonly<Record<string, string | undefined>>;
  const numbers = row as Readonly<Record<string, number | undefined>>;
  const state = row['state'] as TaskState;
  const { progress, failure, holder } = row;
  const { message, fraction } = isJsonObject(progress) ? progress : {};
  const said = messageOf('agent', message, numbers['generation']!);
  return {
    v: 2,
    tenant: names['tenant'] ?? '',
    owner: names['owner']!,
    id: names['id']!,
    made: landedMade(numbers['createdAt']!),
    digest: names['digest'],
    contextId: names['contextId'],
    kind: names['kind'],
    parent: names['parent'],
    text: names['goal']!,
    state,
    at: numbers['updatedAt']!,
    said:
      said !== undefined && state === 'working'
        ? JSON.stringify({ id: said.id, role: said.role, parts: said.parts })
        : undefined,
    fraction: state === 'working' ? (fraction as number | undefined) : undefined,
    failure: isJsonObject(failure) ? failureOf(failure) : undefined,
    generation: numbers['generation']!,
    attempt: numbers['attempt']!,
    createdAt: numbers['createdAt']!,
    deadline: numbers['deadline'],
    latest: numbers['latest'],
    priority: numbers['priority']!,
    // Recovery reads the ceiling with the log before any work begins.
    authority: { scheme: 'sdl' },
    failures: numbers['failures']!,
    isReleased: row['isReleased'] === true ? true : undefined,
    hasCheckpoint: row['hasCheckpoint'] === true ? true : undefined,
    queue: names['queue'],
    hasParts: row['hasParts'] === true ? true : undefined,
    holder: isTerminal(state) ? undefined : (holder as unknown as Holder | undefined),
    share: 'known',
    reserved: numbers['bytes'] ?? 0,
    bytes: numbers['bytes'] ?? 0,
  };
}
