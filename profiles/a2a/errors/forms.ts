// Owns how a refusal is written in each wire and binding. SPEC.md section 20 (#a2a-errors).

import type { JsonObject, JsonValue } from '../../../src/door/index.ts';
import type { A2aError } from './a2a-error.ts';
import type { Kind, Profile } from './kinds.ts';
import { KINDS, rpcStatusOf } from './kinds.ts';

export const TYPES = 'type.googleapis.com/google.rpc';
const PROBLEMS = 'https://a2a-protocol.org/errors';
const RETRY_DELAY = '1s';

/** As `google.rpc.Status.details`. */
export function errorDetails(error: A2aError): JsonObject[] {
  const { kind, metadata, violations, isRetryable } = error;
  const info = {
    '@type': `${TYPES}.ErrorInfo`,
    reason: reasonOf(kind),
    domain: KINDS[kind].domain,
  };
  return [
    Object.keys(metadata).length === 0 ? info : { ...info, metadata },
    ...(violations.length === 0
      ? []
      : [
          {
            '@type': `${TYPES}.BadRequest`,
            fieldViolations: violations.map(({ field, description }) => ({ field, description })),
          },
        ]),
    ...(isRetryable ? [{ '@type': `${TYPES}.RetryInfo`, retryDelay: RETRY_DELAY }] : []),
  ];
}

/** The member `error` of a JSON-RPC answer; in 0.3 the whole body over REST. */
export function jsonRpcError(error: A2aError): JsonObject {
  return { code: KINDS[error.kind].jsonRpc, message: error.words, data: errorDetails(error) };
}

/** The body over REST in 1.0. */
export function statusBody(error: A2aError, status: number, profile: Profile): JsonObject {
  return {
    error: {
      code: status,
      status: rpcStatusOf(error.kind, profile),
      message: error.words,
      details: errorDetails(error),
    },
  };
}

/** The body over REST in the draft (RFC 9457). */
export function problemBody(error: A2aError, status: number): JsonObject {
  const { kind, words, violations, supportedVersions, isRetryable } = error;
  const slug = reasonOf(kind).toLowerCase().replaceAll('_', '-');
  const extra: Record<string, JsonValue> = {};
  if (violations.length > 0) {
    extra['errors'] = violations.map(({ field, description }) => ({ field, description }));
  }
  if (supportedVersions !== undefined) extra['supportedVersions'] = supportedVersions;
  if (isRetryable) extra['retryable'] = true;
  return {
    type: `${PROBLEMS}/${slug}`,
    title: slug.replaceAll('-', ' '),
    status,
    detail: words,
    ...extra,
  };
}

/** JSON-RPC says all in its body, but for what a client of HTTP must see: who it is, how much, and how often. */
export function jsonRpcHttpStatusOf(kind: Kind): number {
  const { http, domain } = KINDS[kind];
  const isInBody = domain !== 'a2a-sdl' || kind === 'SDL_ENVELOPE_REJECTED';
  return isInBody ? 200 : http;
}

/** One kind is told under the name of another: only its status over REST is its own. */
function reasonOf(kind: Kind): string {
  return kind === 'MEDIA_TYPE_NOT_SUPPORTED' ? 'CONTENT_TYPE_NOT_SUPPORTED' : kind;
}
