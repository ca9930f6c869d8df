// Owns how envelopes are made: requests, events, replies and errors. SPEC.md section 2 (#own-identity, #error-always).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import { toSdlError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { SchemaDescriptor } from '../schema/descriptor.ts';
import { defaultCapabilities } from './capabilities.ts';
import { toErrorPayload } from './error-payload.ts';
import { RESERVED_ID, isReservedId } from './agent-id.ts';
import { isText } from './fields.ts';
import { isIdentity, isSender, isTrace } from './shape.ts';
import { formatTimestamp } from './timestamp.ts';
import { replyTrace, startTrace } from './trace.ts';
import type { Envelope, Identity, MessageType, Trace } from './types.ts';
import type { RandomBytes } from './uuid.ts';
import { uuidV7 } from './uuid.ts';

/** Who builds, and with which clock and randomness. */
export interface EnvelopeBuilderOptions {
  /** The builder's own identity: `from` of everything that it makes. */
  readonly identity: Identity;
  /** Announced in `cap`. @default defaultCapabilities() */
  readonly cap?: JsonObject;
  /** The descriptor that goes with a content type. */
  readonly schemaFor: (ct: string) => SchemaDescriptor;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** @default the platform's crypto.getRandomValues */
  readonly randomBytes?: RandomBytes;
}

export interface Content {
  readonly ct: string;
  readonly payload: JsonValue;
}

export interface EnvelopeBuilder {
  readonly newId: () => string;
  /** A `req`, or an `evt` that answers nothing. */
  request(to: Identity, content: Content, options?: RequestOptions): Envelope;
  /** A `res`, or an `evt` of its stream, to a request that was read. */
  reply(request: ReplyTo, content: Content, type?: 'res' | 'evt'): Envelope;
  /** `error.v1` to a request, or to what was left of it. What is not an `SdlError` is told as INTERNAL. */
  error(request: ReplyTo, error: unknown): Envelope;
}

export interface RequestOptions {
  readonly type?: 'req' | 'evt';
  /** @default a new trace */
  readonly trace?: Trace;
  /** @default the descriptor of the content type */
  readonly schema?: SchemaDescriptor;
}

/** What of a request is needed to answer it; any part may be unknown when the request was refused early. */
export interface ReplyTo {
  readonly id?: string;
  readonly from?: Identity;
  readonly trace?: Trace;
}

const UNKNOWN: Identity = Object.freeze({
  agent_id: 'unknown',
  name: 'unknown',
  instance: 'unknown',
  role: 'unknown',
});

export function createEnvelopeBuilder(options: EnvelopeBuilderOptions): EnvelopeBuilder {
  const {
    identity,
    schemaFor,
    cap = defaultCapabilities(),
    now = Date.now,
    randomBytes = platformRandom,
  } = options;
  assertIdentity(identity, 'identity');
  if (isReservedId(identity.agent_id)) {
    throw new TypeError(`"identity.agent_id" ${RESERVED_ID}`);
  }
  if (typeof schemaFor !== 'function') throw new TypeError('"schemaFor" expected a function');
  const newId = (): string => uuidV7(now(), randomBytes);

  function build(type: MessageType, to: Identity, content: Content, trace: Trace): Envelope {
    const { ct, payload } = content;
    return {
      v: 1,
      id: newId(),
      ts: formatTimestamp(now()),
      type,
      from: identity,
      to,
      cap,
      ct,
      schema: schemaFor(ct),
      payload,
      trace,
    };
  }

  function reply(request: ReplyTo, content: Content, type: 'res' | 'evt' = 'res'): Envelope {
    const trace =
      request.trace === undefined ? startTrace(newId) : replyTrace(request.trace, newId);
    const to = request.from === undefined ? UNKNOWN : bareIdentity(request.from);
    const envelope = build(type, to, content, trace);
    return request.id === undefined ? envelope : { ...envelope, re: request.id };
  }

  return {
    newId,
    request(to, content, { type = 'req', trace = startTrace(newId), schema } = {}) {
      assertIdentity(to, 'to');
      const envelope = build(type, to, content, trace);
      return schema === undefined ? envelope : { ...envelope, schema };
    },
    reply,
    error: (request, error) =>
      reply(request, { ct: 'error.v1', payload: toErrorPayload(toSdlError(error)) }),
  };
}

/**
 * Picks what is well formed out of a refused message, so that the error finds its way back and is itself valid.
 * `undefined` for what must not be answered: an answer or an event.
 */
export function salvageReplyTo(value: JsonValue, limits?: Partial<Limits>): ReplyTo | undefined {
  if (!isJsonObject(value)) return {};
  const { id, from, trace, type } = value;
  if (type === 'res' || type === 'evt') return undefined;
  return {
    ...(isText(id, 256) && { id }),
    ...(isSender(from) && { from }),
    ...(isTrace(trace, limits) && { trace }),
  };
}

/** The four members only: whatever else stood there was not asked for. */
function bareIdentity({ agent_id, name, instance, role }: Identity): Identity {
  return { agent_id, name, instance, role };
}

function assertIdentity(identity: Identity, name: string): void {
  if (!isIdentity(identity as unknown as JsonValue)) {
    throw new TypeError(`"${name}" expected agent_id, name, instance and role as non-empty text`);
  }
}

function platformRandom(length: number): Uint8Array {
  return globalThis.crypto.getRandomValues(new Uint8Array(length));
}
