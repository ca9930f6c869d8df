// Owns how the events of a task are written in a store: one JSON record each, what was asked with the first of them.
// The generation of an event is its position plus one and is not written. SPEC.md section 8 (#exchange).

import { readJson } from '../../codec/json/read.ts';
import { writeJson } from '../../codec/json/write.ts';
import { decodeUtf8, encodeUtf8 } from '../../codec/utf8.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../codec/value.ts';
import type { Limits } from '../../limits.ts';
import { LARGEST_LIMITS, resolveLimits } from '../../limits.ts';
import type { LogRecord } from '../../stores/store.ts';
import type { ArtifactContent, KeptArtifact } from '../artifact.ts';
import type { TaskChild } from '../delegation.ts';
import type { ArtifactChange, StatusChange, TaskChange, TaskEvent } from '../event.ts';
import { placeEvent } from '../event.ts';
import type { Message } from '../message.ts';
import {
  readKeptMessage,
  readMessage,
  readParts,
  writeKeptMessage,
  writeMessage,
  writeParts,
} from '../part-json.ts';
import type {
  Task,
  TaskAuthority,
  TaskFailure,
  TaskOrigin,
  TaskSource,
  TaskState,
} from '../task.ts';
import { optionalFacts } from '../task.ts';
import { readLandedEvent, readLandedOrigin } from './landed.ts';

/** Records were written here: what they may cost was judged then. */
const OWN_RECORDS: Limits = resolveLimits(LARGEST_LIMITS);

const VERSION = 2;

/** What the first record of a task tells. */
export interface FirstRecord {
  readonly origin: TaskOrigin;
  readonly made: string;
}

/** That it was submitted, and all that was asked for. */
export function encodeOrigin(origin: TaskOrigin, made: string): Uint8Array {
  const { tenant, owner, id, message, metadata, source, authority, createdAt } = origin;
  const { face, value } = source;
  const first = {
    v: VERSION,
    at: createdAt,
    type: 'status',
    status: { state: 'submitted' },
    made,
    origin: {
      tenant,
      owner,
      id,
      ...optionalFacts(origin),
      metadata,
      message: writeKeptMessage(message),
      source: { face, value },
      authority: authority as unknown as JsonObject,
    },
  };
  const isPlain = value === null && isPlainMessage(message) && Object.keys(metadata).length === 0;
  return (isPlain ? writePlain(first) : undefined) ?? writeJson(first);
}

/** Text alone: no number in it that JSON.stringify could write differently. */
function isPlainMessage({ parts, metadata, source }: Message): boolean {
  const isBare = metadata === undefined && source === undefined;
  return isBare && parts.every((part) => 'text' in part && !part.metadata);
}

const MAYBE_LONE_SURROGATE = /\\ud[89a-f]/;

/** Twice as fast as {@link writeJson}; `undefined` for text that may not be well formed. */
function writePlain(value: object): Uint8Array | undefined {
  const text = JSON.stringify(value);
  return MAYBE_LONE_SURROGATE.test(text) ? undefined : encodeUtf8(text);
}

export function decodeOrigin(record: Uint8Array): FirstRecord {
  const first = objectIn(record);
  if (first['v'] !== VERSION) {
    const origin = readLandedOrigin(first);
    return { origin, made: landedMade(origin.createdAt) };
  }
  const { message, source, authority, metadata, ...rest } = first['origin'] as JsonObject;
  return {
    origin: {
      ...(rest as unknown as TaskOrigin),
      message: readKeptMessage(message),
      metadata: metadata as JsonObject,
      source: { ...(source as unknown as TaskSource) },
      authority: readAuthority(authority as JsonObject),
      createdAt: first['at'] as number,
    },
    made: first['made'] as string,
  };
}

/** Tasks of the version before 0.2.0 are told apart by when they were made. */
export function landedMade(createdAt: number): string {
  return String(createdAt);
}

/** Text that goes on, and nothing else: nearly all of a long log. It is short, and can be read without a look at the rest. */
export interface TextPiece {
  readonly at: number;
  /** Of the artifact. */
  readonly id: string;
  readonly name?: string;
  readonly text: string;
}

const HEAD = `{"v":${VERSION},"at":`;
const TEXT = '"type":"text"';

function encodeText(
  { artifact, append, last }: ArtifactChange,
  at: number,
): Uint8Array | undefined {
  const { id, name, parts } = artifact;
  const [part] = parts;
  const isPlain =
    append === true &&
    last === undefined &&
    parts.length === 1 &&
    part !== undefined &&
    'text' in part &&
    Object.keys(part).length === 1 &&
    Object.keys(artifact).length === (name === undefined ? 2 : 3);
  if (!isPlain) return undefined;
  const named = name === undefined ? { id } : { id, name };
  const piece = { v: VERSION, at, type: 'text', ...named, text: part.text };
  return writePlain(piece) ?? writeJson(piece);
}

/** `undefined` for any other record. No number in it but the moment, so that JSON.parse cannot read another. */
export function decodeText(value: Uint8Array): TextPiece | undefined {
  const record = decodeUtf8(value);
  if (!record.startsWith(HEAD)) return undefined;
  const isText = record.startsWith(TEXT, record.indexOf(',', HEAD.length) + 1);
  return isText ? (JSON.parse(record) as TextPiece) : undefined;
}

/** The event of a piece, or of several that follow each other. */
export function textChange({ id, name, text }: TextPiece): ArtifactChange {
  const parts = [Object.freeze({ text })];
  return {
    type: 'artifact',
    artifact: name === undefined ? { id, parts } : { id, name, parts },
    append: true,
  };
}

export function encodeEvent(change: TaskChange, at: number): Uint8Array {
  switch (change.type) {
    case 'artifact': {
      const { type, artifact, append, last } = change;
      const text = encodeText(change, at);
      if (text !== undefined) return text;
      return writeJson({
        v: VERSION,
        at,
        type,
        artifact: { ...(artifact as unknown as JsonObject), parts: writeParts(artifact.parts) },
        ...(append && { append }),
        ...(last && { last }),
      });
    }
    case 'message': {
      const { message, ...rest } = change;
      return writeJson({ v: VERSION, at, ...rest, message: writeKeptMessage(message) });
    }
    case 'delegation':
      return writeJson({ v: VERSION, at, ...(change as unknown as JsonObject) });
    default:
      return encodeStatus(change, at);
  }
}

function encodeStatus(change: StatusChange, at: number): Uint8Array {
  const { type, status, attempt, deadline, keep, direct } = change;
  const { message, failure } = status;
  if (message === undefined && failure === undefined && keep === undefined) {
    const { state, fraction } = status;
    const bare = { v: VERSION, at, type, status: { state, fraction }, attempt, deadline, direct };
    return encodeUtf8(JSON.stringify(bare));
  }
  const { message: _said, ...rest } = status;
  return writeJson({
    v: VERSION,
    at,
    ...(change as unknown as JsonObject),
    status: {
      ...(rest as unknown as JsonObject),
      ...(message !== undefined && { message: writeMessage(message) }),
    },
  });
}

/** @param before the task so far: what the version before 0.2.0 wrote says less than the event does. */
export function decodeEvent({ position, value }: LogRecord, before?: Task): TaskEvent {
  const piece = decodeText(value);
  if (piece !== undefined) return placeEvent(textChange(piece), position + 1, piece.at);
  const record = objectIn(value);
  if (record['v'] !== VERSION && before === undefined) {
    throw new TypeError('a record of an earlier version needs the task before it');
  }
  const change = record['v'] === VERSION ? changeIn(record) : readLandedEvent(record, before!);
  return placeEvent(change, position + 1, record['at'] as number);
}

function changeIn(record: JsonObject): TaskChange {
  switch (record['type']) {
    case 'artifact':
      return {
        type: 'artifact',
        artifact: readArtifact(record['artifact'] as JsonObject),
        ...(record['append'] === true && { append: true }),
        ...(record['last'] === true && { last: true }),
      };
    case 'message': {
      const { message, answers, deadline } = record;
      return {
        type: 'message',
        message: readKeptMessage(message),
        ...(answers !== undefined && { answers: answers as number }),
        ...(deadline !== undefined && { deadline: deadline as number }),
      };
    }
    case 'delegation':
      return { type: 'delegation', child: readChild(record['child'] as JsonObject) };
    default:
      return statusIn(record);
  }
}

function statusIn(record: JsonObject): StatusChange {
  const { attempt, deadline, keep, direct } = record;
  const { state, message, fraction, failure } = record['status'] as JsonObject;
  return {
    type: 'status',
    status: {
      state: state as TaskState,
      ...(message !== undefined && { message: readMessage(message, 'message') }),
      ...(fraction !== undefined && { fraction: Number(fraction) }),
      ...(failure !== undefined && { failure: plain(failure) as unknown as TaskFailure }),
    },
    ...(attempt !== undefined && { attempt: attempt as number }),
    ...(deadline !== undefined && { deadline: deadline as number }),
    ...(keep !== undefined && { keep: readKept(keep) }),
    ...(direct === true && { direct }),
  };
}

export function readKept(keep: JsonValue): readonly KeptArtifact[] {
  return (keep as JsonArray).map((item) => plain(item) as unknown as KeptArtifact);
}

function readArtifact({ parts, ...rest }: JsonObject): ArtifactContent {
  return { ...(rest as unknown as ArtifactContent), parts: readParts(parts, 'parts') };
}

export function readChild(record: JsonObject): TaskChild {
  const { agentId, id, status, deadline, children, isCut } = record;
  return {
    agentId: agentId as string,
    id: id as string,
    status: status as string,
    ...(deadline !== undefined && { deadline: deadline as number }),
    ...(children !== undefined && {
      children: (children as JsonArray).map((child) => readChild(child as JsonObject)),
    }),
    ...(isCut === true && { isCut }),
  };
}

function readAuthority({ ceiling, ...rest }: JsonObject): TaskAuthority {
  const authority = { ...rest } as unknown as TaskAuthority;
  if (ceiling === undefined) return authority;
  const { allow, notAfterMs } = ceiling as JsonObject;
  return {
    ...authority,
    ceiling: {
      allow: plain(allow) as unknown as NonNullable<TaskAuthority['ceiling']>['allow'],
      notAfterMs: notAfterMs as number,
    },
  };
}

/** Reads what was written here. */
export function objectIn(record: Uint8Array): JsonObject {
  return readJson(record, OWN_RECORDS) as JsonObject;
}

/** What authors and tests read is an ordinary object. */
function plain(value: JsonValue | undefined): JsonObject {
  return { ...(value as JsonObject) };
}
