// Owns what a client of official A2A can be asked to do, in words that belong to no package and no wire: the cases of the
// matrix speak only these.

import type { Json } from '../../support/a2a/ask.ts';

export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** Exactly one of the first four. */
export interface SaidPart {
  readonly text?: string;
  readonly data?: Json;
  /** In base64. */
  readonly raw?: string;
  readonly url?: string;
  readonly mediaType?: string;
  readonly filename?: string;
}

export interface SaidMessage {
  readonly role: 'user' | 'agent';
  readonly parts: readonly SaidPart[];
  readonly taskId?: string;
  readonly contextId?: string;
  readonly metadata?: JsonObject;
}

export interface SeenArtifact {
  readonly id: string;
  readonly parts: readonly SaidPart[];
}

export interface SeenTask {
  readonly id: string;
  readonly contextId: string;
  /** As a word with hyphens. */
  readonly state: string;
  /** When it came to that state. */
  readonly at: string;
  /** What the agent says with its state. */
  readonly words: string;
  readonly history: readonly SaidMessage[];
  readonly artifacts: readonly SeenArtifact[];
  readonly metadata: JsonObject;
}

/** One frame of a stream. */
export interface Step {
  readonly kind: 'task' | 'message' | 'status' | 'artifact';
  readonly taskId?: string;
  readonly contextId?: string;
  /** Where the client tells it. */
  readonly state?: string;
  /** Of the message, of the status or of the artifact. */
  readonly text: string;
  readonly append?: boolean;
  readonly isLastChunk?: boolean;
  /** Where the wire has such a member. */
  readonly isFinal?: boolean;
}

export type Answer = { readonly task: SeenTask } | { readonly message: SaidMessage };

/** A web hook. */
export interface Hook {
  readonly id?: string;
  readonly url: string;
  readonly token?: string;
  readonly authentication?: { readonly scheme: string; readonly credentials: string };
}

export interface Wish {
  /** @default the parts */
  readonly text?: string;
  readonly parts?: readonly SaidPart[];
  readonly taskId?: string;
  readonly contextId?: string;
  readonly metadata?: JsonObject;
  /** @default true */
  readonly isWaiting?: boolean;
  readonly historyLength?: number;
  readonly hook?: Hook;
  readonly tenant?: string;
  /** Some clients have another method for an answer without a task. @default 'task' */
  readonly expects?: 'task' | 'message';
}

export interface Filter {
  readonly contextId?: string;
  readonly state?: string;
  /** As a time of RFC 3339. */
  readonly since?: string;
  readonly pageSize?: number;
  readonly pageToken?: string;
  readonly historyLength?: number;
  readonly includeArtifacts?: boolean;
  readonly tenant?: string;
}

export interface Page {
  readonly tasks: readonly SeenTask[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
}

/** What the card told the client. */
export interface Found {
  readonly name: string;
  readonly description: string;
}

export interface Client {
  readonly found: Found;
  send(wish: Wish): Promise<Answer>;
  /** @param signal leaves the stream. */
  stream(wish: Wish, signal?: AbortSignal): AsyncIterable<Step>;
  get(id: string, historyLength?: number): Promise<SeenTask>;
  list(filter: Filter): Promise<Page>;
  cancel(id: string): Promise<void>;
  subscribe(id: string, signal?: AbortSignal): AsyncIterable<Step>;
  createHook(taskId: string, hook: Hook): Promise<Hook>;
  getHook(taskId: string, id: string): Promise<Hook>;
  listHooks(taskId: string): Promise<readonly Hook[]>;
  deleteHook(taskId: string, id: string): Promise<void>;
  extendedCard(): Promise<Found>;
  close(): Promise<void>;
}

/** What the client told its user instead of an answer. */
export class Refused extends Error {
  override readonly name = 'Refused';
  /** The reason where the client tells one, else the status, such as `HTTP 404`. */
  readonly code: string;

  constructor(code: string, words: string) {
    super(`${code}: ${words}`);
    this.code = code;
  }
}
