// Owns one agent of official A2A as who asks sees it: every operation of the protocol, typed. SPEC.md section 20
// (#a2a-client-wires, #a2a-client-retries).

import type { AskedList, AskedMessage } from './asking/asked.ts';
import type { ChosenInterface } from './discovery/choose.ts';
import type { KnownCard } from './discovery/known-card.ts';
import type { CardProof } from './discovery/proof.ts';
import type {
  FollowOptions,
  FollowedSoFar,
  NumberedEvent,
  followTask,
} from './following/follow.ts';
import type { A2aHook, A2aPage, A2aSent, A2aTask } from './model.ts';

/** Of one call. */
export interface A2aCallOptions {
  readonly signal?: AbortSignal;
  /** Until the answer, or the first event, is there. @default that of the client */
  readonly timeoutMs?: number;
  /** Beside those of the client. @default none */
  readonly extensions?: readonly string[];
}

export interface A2aSubscribeOptions extends A2aCallOptions {
  /** Go on after this event, where the agent numbers them. @default with the task as it is */
  readonly lastEventId?: string;
}

/** From a message, or from a task that is known; perhaps from where somebody has followed it to. */
export type FollowedFrom = FollowedSoFar &
  ({ readonly send: AskedMessage } | { readonly taskId: string });

export type Following = Omit<FollowOptions, 'now' | 'wait' | 'signal'> & A2aCallOptions;

/** Speaks official A2A to one agent. Throws an A2aRemoteError for a refusal and a TransportError for no answer. */
export interface A2aAgent {
  readonly cardUrl: string;
  /** The public card, and after `extendedCard` the extended one. */
  readonly card: KnownCard;
  readonly proof: CardProof;
  readonly chosen: ChosenInterface;
  /** Never repeated: when the connection is lost, `outcome unknown` is in the words of the error. */
  send(asked: AskedMessage, options?: A2aCallOptions): Promise<A2aSent>;
  /** Sends, and tells what happens until the agent ends the stream. Nothing is resumed: see `follow`. */
  stream(asked: AskedMessage, options?: A2aCallOptions): AsyncGenerator<NumberedEvent>;
  get(id: string, options?: A2aCallOptions & { readonly historyLength?: number }): Promise<A2aTask>;
  list(asked?: AskedList, options?: A2aCallOptions): Promise<A2aPage>;
  cancel(id: string, options?: A2aCallOptions): Promise<A2aTask>;
  subscribe(id: string, options?: A2aSubscribeOptions): AsyncGenerator<NumberedEvent>;
  /** Sends, or follows a task that is known, through lost connections, by questions where there are no streams. */
  follow(start: FollowedFrom, options: Following): ReturnType<typeof followTask>;
  createHook(taskId: string, hook: A2aHook, options?: A2aCallOptions): Promise<A2aHook>;
  getHook(taskId: string, id: string, options?: A2aCallOptions): Promise<A2aHook>;
  listHooks(taskId: string, options?: A2aCallOptions): Promise<readonly A2aHook[]>;
  deleteHook(taskId: string, id: string, options?: A2aCallOptions): Promise<void>;
  /** For who has proven who it is. It counts from then on. */
  extendedCard(options?: A2aCallOptions): Promise<KnownCard>;
}
