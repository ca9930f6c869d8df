// Owns what a content type is to the runtime: who handles it, with what at hand, and what may come back.
// SPEC.md sections 8 and 9 (#exchange, #content-types).

import type { JsonValue } from './codec/value.ts';
import type { MaybePromise } from './crypto/provider.ts';
import type { CallContext } from './door/call.ts';
import type { Envelope, SecurityMode } from './envelope/types.ts';
import type { Schema } from './schema/descriptor.ts';
import type { Peer } from './security/peers/peer.ts';

/** Payload of one message of the answer. */
export interface Answer {
  readonly ct: string;
  readonly payload: JsonValue;
  /** Where it stands in the log of a task. */
  readonly generation?: number;
  /** It is an event for sure, so it goes out at once; what might be the last waits for what follows. @default false */
  readonly isEvent?: boolean;
  /** Which task it tells of, and how that stands. For the local log: it does not travel. @default none */
  readonly task?: TaskFacts;
}

/** A task in a few words. */
export interface TaskFacts {
  readonly id: string;
  readonly state: string;
  /** Why it failed or was rejected. */
  readonly failure?: { readonly code: string; readonly message: string };
}

declare const verified: unique symbol;

/** An envelope that passed every check; its payload is in clear. Only the pipeline makes one. */
export type VerifiedRequest = Envelope & { readonly [verified]: true };

/** What a handler knows of the message and of its sender. Immutable. */
export interface RequestContext {
  readonly request: VerifiedRequest;
  /** The sender, with the keys that count now. */
  readonly peer: Peer;
  readonly mode: SecurityMode;
  /** The thumbprint of the key that signed; absent for an unsigned message. */
  readonly keyThumbprint?: string;
  /** Who asks, for the door: a grant that was needed is its ceiling. */
  readonly call: CallContext;
  /** The agent that is spoken to: ourselves. */
  readonly agentId: string;
  /** The other end takes events too. */
  readonly wantsStream: boolean;
  /** The other end has announced `parts`: it is told of messages and artifacts as they are. */
  readonly takesParts: boolean;
  readonly afterGeneration?: number;
  /** Aborts when the other end has gone, the deadline has passed or the runtime stops. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * One answer is the `res`. Of several, the last is the `res` and those before it are events. None at all is an empty
 * answer, which only an event may get. What is thrown becomes `error.v1`.
 */
export type Handle = (
  payload: JsonValue,
  context: RequestContext,
) => MaybePromise<Answer | undefined> | AsyncIterable<Answer>;

/** A content type that the runtime handles. */
export interface ContentHandler {
  readonly ct: string;
  /** @default the schema of the built-in type of that name */
  readonly schema?: Schema;
  /** The content types that it answers with, so that one without a schema is found at the start. @default unknown */
  readonly replies?: readonly string[];
  readonly handle: Handle;
  /**
   * This message only asks to be told something: it ends with its connection, its reply is not kept, and a retry is
   * handled anew. @default none does
   */
  readonly isRead?: (payload: JsonValue) => boolean;
  /**
   * The events of an exchange once more, for a retry: those after `afterGeneration`, until `signal` aborts, once it has
   * caught up then. It changes nothing. @default events are not told again
   */
  readonly resume?: (payload: JsonValue, context: RequestContext) => AsyncIterable<Answer>;
}
