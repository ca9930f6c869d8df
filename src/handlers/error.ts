// Owns `error.v1` that comes by itself: a peer tells of a failure that answers no request. SPEC.md section 12 (#errors).

import type { JsonObject } from '../codec/value.ts';
import type { ContentHandler, RequestContext } from '../content.ts';
import type { MaybePromise } from '../crypto/provider.ts';
import type { WireCode } from '../errors.ts';
import { acknowledge } from './acknowledge.ts';

/** The payload of `error.v1`: the peer's words. */
interface PeerError {
  readonly code: WireCode;
  readonly message: string;
  readonly details: JsonObject;
  readonly retryable: boolean;
}

export type OnPeerError = (error: PeerError, context: RequestContext) => MaybePromise<void>;

export function createErrorHandler(onError: OnPeerError): ContentHandler {
  return {
    ct: 'error.v1',
    async handle(payload, context) {
      await onError(payload as unknown as PeerError, context);
      return acknowledge(context);
    },
  };
}
