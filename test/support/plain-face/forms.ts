// What the plain-JSON face reads and says: messages, tasks, events, refusals. Bytes travel as base64.

import type { ErrorCode, JsonObject, JsonValue, Task } from '../../../src/door/index.ts';
import type { MessageContent, Part, TaskSummary } from '../../../src/door/index.ts';
import { SdlError } from '../../../src/door/index.ts';
import { isJsonObject } from '../../../src/transport.ts';

const PART_MEMBER = /^(text|data|bytes|url|mediaType|filename|metadata)$/;
/** No `source` and no `authority`: they are for the agent alone. */
const TOLD =
  /^(id|contextId|generation|attempt|createdAt|metadata|deadline|direct|text|status|history|artifacts)$/;

export function wrong(path: string): SdlError {
  return new SdlError('PAYLOAD_INVALID', `no usable value at ${path}`, { details: { path } });
}

/** Text alone, or `{ id?, parts, metadata? }`. What this face does not know is refused, not dropped. */
export function readMessage(value: JsonValue | undefined): MessageContent {
  const whole = typeof value === 'string' ? { parts: [{ text: value }] } : value;
  if (!isJsonObject(whole) || !Array.isArray(whole['parts'])) throw wrong('message');
  const { id = crypto.randomUUID(), parts, ...rest } = whole as JsonObject;
  if (Object.keys(rest).some((name) => name !== 'metadata')) throw wrong('message');
  return { ...rest, id: id as string, role: 'user', parts: (parts as JsonValue[]).map(readPart) };
}

function readPart(value: JsonValue): Part {
  const members = isJsonObject(value) ? Object.keys(value) : [''];
  if (members.some((name) => !PART_MEMBER.test(name))) throw wrong('message.parts');
  const { bytes, ...part } = value as JsonObject;
  if (bytes === undefined) return part as unknown as Part;
  const decoded = Buffer.from(typeof bytes === 'string' ? bytes : '', 'base64');
  if (decoded.toString('base64') !== bytes) throw wrong('message.parts.bytes');
  return { ...part, bytes: new Uint8Array(decoded) };
}

/** What stands under `data` and `metadata` is JSON already, every number as it came. */
export function plain(value: unknown, name = ''): JsonValue {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  const isJson = typeof value !== 'object' || value === null;
  if (isJson || name === 'data' || name === 'metadata') return value as JsonValue;
  if (Array.isArray(value)) return value.map((item) => plain(item));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner, key)]));
}

export function taskForm(task: Task | TaskSummary): JsonValue {
  return plain(Object.fromEntries(Object.entries(task).filter(([key]) => TOLD.test(key))));
}

const WIRE = { ENCODING_UNSUPPORTED: 415, ENCODING_INVALID: 400, ENVELOPE_INVALID: 400 };
const SIZES = { LIMIT_BYTES: 413, LIMIT_DEPTH: 400, LIMIT_ARRAY: 400, LIMIT_MEMBERS: 400 };
const MORE_SIZES = { LIMIT_VALUES: 400, LIMIT_STRING: 400, LIMIT_NUMBER: 400, LIMIT_HOPS: 400 };
const RATES = { LIMIT_RATE: 429, REPLAY_FULL: 429, DRAINING: 503, UNAVAILABLE: 503 };
const FORMS = { CT_UNSUPPORTED: 422, VERSION_UNSUPPORTED: 422, PAYLOAD_INVALID: 422 };
const WHO = { UNAUTHENTICATED: 401, SENDER_REFUSED: 401, SIGNATURE_INVALID: 401 };
const RIGHTS = { MODE_REFUSED: 403, NOT_AUTHORIZED: 403, DECRYPT_FAILED: 400 };
const SCHEMAS = { SCHEMA_DESCRIPTOR: 422, SCHEMA_HASH: 422, SCHEMA_URI: 422, SCHEMA_WORK: 422 };
const STATES = { SCHEMA_UNSUPPORTED: 422, STATE_BASE: 409, STATE_PATCH: 422, REPLAYED: 409 };
const TASKS = { TASK_UNKNOWN: 404, TASK_CONFLICT: 409, TASK_ENDED: 409, TASK_REFUSED: 422 };
const TIMES = { TIME_INVALID: 400, DEADLINE: 504, SESSION_INVALID: 400, BINDING_INVALID: 400 };
const OTHERS = { ADDRESS_WRONG: 404, NUMBER_INEXACT: 400, INTERNAL: 500, ...STATES, ...TASKS };
const MOST = { ...WIRE, ...SIZES, ...MORE_SIZES, ...RATES, ...FORMS, ...WHO, ...RIGHTS };
export const MAP = { ...MOST, ...SCHEMAS, ...TIMES, ...OTHERS } satisfies Record<ErrorCode, number>;

/** The fixed words of the table and its details; never the message of the error. */
export function refusalForm({ code, row, details }: SdlError): JsonValue {
  return { error: code, words: row.words, retryable: row.retryable, ...details };
}
