// Owns the check `shape`: is this value an envelope? SPEC.md sections 2 and 13 (#envelope-required, #checks).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { resolveLimits } from '../limits.ts';
import { unknownContentType } from '../schema/content-type.ts';
import { checkDescriptor, requireEmbedded } from '../schema/descriptor.ts';
import { requireAgentId } from './agent-id.ts';
import {
  isInteger,
  isText,
  malformed,
  requireObject,
  requireText,
  requireTimestamp,
} from './fields.ts';
import { checkSec } from './shape-sec.ts';
import type { Envelope, Identity, Trace } from './types.ts';

export interface ShapeOptions {
  /** Content types that this receiver knows; another one is CT_UNSUPPORTED. */
  readonly contentTypes: ReadonlySet<string>;
  /** Of these only `maxHops` counts here. @default DEFAULT_LIMITS */
  readonly limits?: Partial<Limits>;
  /** Accept `kind: "uri"` descriptors; only where a resolver is set up. @default false */
  readonly allowSchemaUri?: boolean;
  /**
   * May this sender write `ts` and `exp` with an offset or without a zone? Nothing proves the id yet: it may only
   * decide how a date is read, and the check `freshness` judges again. @default never
   */
  readonly laxDates?: (agentId: string) => boolean;
}

const IDENTITY_MEMBERS = ['agent_id', 'name', 'instance', 'role'] as const;
const MAX_IDENTITY_LENGTH = 512;

/** Answers the same value as an {@link Envelope}, or throws naming the first member that is wrong. */
export function checkShape(value: JsonValue, options: ShapeOptions): Envelope {
  if (!isJsonObject(value)) throw malformed('', 'the envelope must be an object');
  const envelope: JsonObject = value;
  checkVersion(envelope['v']);
  requireText(envelope['id'], 256, '/id');
  const mayBeLax = (): boolean => isLaxSender(envelope['from'], options.laxDates);
  requireTimestamp(envelope['ts'], '/ts', mayBeLax);
  const { type, ct } = envelope;
  if (type !== 'req' && type !== 'res' && type !== 'evt') {
    throw malformed('/type', 'must be "req", "res" or "evt"');
  }
  checkSender(envelope['from'], '/from');
  checkIdentity(envelope['to'], '/to');
  requireObject(envelope['cap'], '/cap');
  requireText(ct, 128, '/ct');
  if (envelope['re'] !== undefined) checkRe(envelope['re'], type);
  if (envelope['trace'] !== undefined) checkTrace(envelope['trace'], options.limits);
  if (envelope['payload'] === undefined) throw malformed('/payload', 'is missing');
  if (envelope['sec'] !== undefined) checkSec(envelope['sec'], envelope['payload'], mayBeLax);
  if (!options.contentTypes.has(ct as string)) {
    throw unknownContentType(ct as string, options.contentTypes);
  }
  const descriptor = checkDescriptor(envelope['schema']);
  if (options.allowSchemaUri !== true) requireEmbedded(descriptor);
  return envelope as unknown as Envelope;
}

/** Is this a trace that the check would accept? */
export function isTrace(
  value: JsonValue | undefined,
  limits?: Partial<Limits>,
): value is TraceValue {
  return value !== undefined && holds(() => checkTrace(value, limits));
}

export function isIdentity(value: JsonValue | undefined): value is IdentityValue {
  return holds(() => checkIdentity(value, ''));
}

/** Is this an identity that a message can be from? */
export function isSender(value: JsonValue | undefined): value is IdentityValue {
  return holds(() => checkSender(value, ''));
}

/** What the wire carries for the types of the same name. */
type TraceValue = JsonValue & Trace;
type IdentityValue = JsonValue & Identity;

function holds(check: () => void): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

function checkVersion(version: JsonValue | undefined): void {
  if (version === 1) return;
  if (!isInteger(version)) throw malformed('/v', 'must be the integer 1');
  throw new SdlError('VERSION_UNSUPPORTED', 'only version 1 is supported', {
    details: { path: '/v' },
  });
}

function checkIdentity(value: JsonValue | undefined, path: string): void {
  const identity = requireObject(value, path);
  for (const name of IDENTITY_MEMBERS) {
    requireText(identity[name], MAX_IDENTITY_LENGTH, `${path}/${name}`);
  }
}

function checkSender(value: JsonValue | undefined, path: string): void {
  checkIdentity(value, path);
  requireAgentId((value as JsonObject)['agent_id'], `${path}/agent_id`);
}

/** `from` may not be checked yet: then it names nobody, and the date is the first member that is wrong. */
function isLaxSender(from: JsonValue | undefined, laxDates: ShapeOptions['laxDates']): boolean {
  const agentId = isJsonObject(from) ? from['agent_id'] : undefined;
  return isText(agentId, MAX_IDENTITY_LENGTH) && laxDates?.(agentId) === true;
}

function checkRe(value: JsonValue, type: string): void {
  if (type === 'req') throw malformed('/re', 'does not belong on a request');
  requireText(value, 256, '/re');
}

function checkTrace(value: JsonValue, limits?: Partial<Limits>): void {
  const { maxHops } = resolveLimits(limits);
  const trace: JsonObject = requireObject(value, '/trace');
  requireText(trace['root_id'], 256, '/trace/root_id');
  requireText(trace['span_id'], 256, '/trace/span_id');
  if (trace['parent_span_id'] !== undefined) {
    requireText(trace['parent_span_id'], 256, '/trace/parent_span_id');
  }
  const { hops } = trace;
  if (!isInteger(hops) || Number(hops) < 0) {
    throw malformed('/trace/hops', 'must be an integer of at least 0');
  }
  if (Number(hops) > maxHops) {
    throw new SdlError('LIMIT_HOPS', `/trace/hops is more than ${maxHops}`, {
      details: { path: '/trace/hops', limit: maxHops },
    });
  }
}
