// Owns the eight fields of what is sent: echoed from the offer, and of an error as far as they could be read.
// SPEC.md section 18 (#steerqa-messages).

import { LosslessNumber } from '../../src/codec/index.ts';
import type { JsonObject, JsonValue } from '../../src/door/index.ts';
import { VERSION, majorOf } from './messages.ts';
import { writeMoment } from './moment.ts';
import type { Refusal } from './refusal.ts';

/** In place of what could not be read. */
const UNKNOWN = 'unknown';
/** Half of a character: no UTF-8 can carry it. */
const LONE = /\p{Surrogate}/u;
const NAMES = ['task_id', 'trace_id', 'idempotency_key', 'agent_version'] as const;

/** The fields of an answer to an offer that fits its schema. */
export function envelopeFor(offer: JsonObject, type: string, nowMs: number): JsonObject {
  const { version, task_id, trace_id, ttl, idempotency_key, agent_version } = offer;
  return {
    version: version!,
    message_type: type,
    task_id: task_id!,
    trace_id: trace_id!,
    issued_at: writeMoment(nowMs),
    ttl: ttl!,
    idempotency_key: idempotency_key!,
    agent_version: agent_version!,
  };
}

/** @param asked what came, if it was an object at all. */
export function errorMessage(
  asked: JsonObject | undefined,
  refusal: Refusal,
  nowMs: number,
): JsonObject {
  const { code, retryable } = refusal.row;
  const given = (name: string): JsonValue | undefined =>
    asked !== undefined && Object.hasOwn(asked, name) ? asked[name] : undefined;
  const names = Object.fromEntries(
    NAMES.map((name) => [name, isText(given(name)) ? given(name)! : UNKNOWN]),
  );
  const version = given('version');
  const ttl = given('ttl');
  return {
    version: isText(version) && majorOf(version) === majorOf(VERSION) ? version : VERSION,
    message_type: 'error',
    task_id: names['task_id']!,
    trace_id: names['trace_id']!,
    issued_at: writeMoment(nowMs),
    ttl: isTtl(ttl) ? ttl! : 1,
    idempotency_key: names['idempotency_key']!,
    agent_version: names['agent_version']!,
    code,
    message: refusal.message,
    retryable,
  };
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '' && !LONE.test(value);
}

function isTtl(value: JsonValue | undefined): boolean {
  if (typeof value !== 'number' && !(value instanceof LosslessNumber)) return false;
  // A long integer is echoed too, as it is in results.
  const isLong = value instanceof LosslessNumber && value.isInteger;
  return (isLong || Number.isSafeInteger(Number(value))) && Number(value) >= 1;
}
