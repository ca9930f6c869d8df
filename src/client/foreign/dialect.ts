// Owns what another dialect gives a client: agents that do tasks without envelopes, in the words of our model. A profile
// is the other side of it. ARCHITECTURE.md ("Agents of other dialects").

import type { JsonObject, JsonValue } from '../../codec/value.ts';
import type { Limits } from '../../limits.ts';
import type { Artifact, ArtifactPiece } from '../../tasks/artifact.ts';
import type { Message, MessageContent } from '../../tasks/message.ts';
import type { TaskFailure, TaskState } from '../../tasks/task.ts';
import type { AwayOptions } from '../back-off.ts';

/** `certain`: nobody else can be meant. `possible`: it is, where no peer is known by that. */
type Claim = 'certain' | 'possible' | 'none';

/** A way to agents that speak no envelopes. It is given among the transports of a client. */
export interface Dialect {
  /** Such as `a2a`. */
  readonly dialect: string;
  /** Is this name or address one of its agents? Nothing is opened. */
  claims(target: string): Claim;
  /** Called when something is first asked of it, and again where that failed. */
  connect(target: string, context: DialectContext): Promise<ForeignAgent>;
}

export interface DialectContext {
  readonly limits: Limits;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Aborts when the client is closed: what is under way ends. */
  readonly signal: AbortSignal;
}

/** A task of an agent, as far as its dialect tells. */
export interface ForeignTask {
  /** None where the agent answered without a task. */
  readonly id?: string;
  readonly contextId?: string;
  readonly status: {
    readonly state: TaskState | 'unknown';
    /** Milliseconds since the epoch. */
    readonly at?: number;
    readonly message?: Message;
    readonly failure?: Omit<TaskFailure, 'retryable'> & { readonly retryable?: boolean };
  };
  readonly artifacts: readonly Artifact[];
  readonly history: readonly Message[];
  readonly metadata?: JsonObject;
}

/** The task after something happened to it. */
export interface ForeignStep {
  readonly task: ForeignTask;
  /** What came of an artifact. Without it and without `isWhole` it is the status that is new. */
  readonly piece?: ArtifactPiece;
  /** All of the task is new. */
  readonly isWhole?: true;
}

export interface ForeignRequest {
  readonly message: MessageContent;
  readonly contextId?: string;
  /** It is enough to know that the agent has it. */
  readonly isDetached: boolean;
}

export interface HowOptions {
  readonly signal: AbortSignal;
  /** For one question that is answered at once. */
  readonly timeoutMs?: number;
}

export interface FollowHow extends HowOptions, AwayOptions {}

interface ForeignList {
  readonly state?: TaskState;
  readonly contextId?: string;
  /** Milliseconds since the epoch. */
  readonly since?: number;
  readonly cursor?: string;
  readonly limit?: number;
}

interface ForeignPage {
  readonly tasks: readonly ForeignTask[];
  readonly next?: string;
  readonly total?: number;
}

/** Something that an agent says it can do. */
export interface ForeignSkill {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
}

/** One agent. It throws RemoteErrors, SdlErrors for what its dialect cannot say, and TransportErrors. */
export interface ForeignAgent {
  /** Ends when the task has ended or waits for its owner. */
  task(request: ForeignRequest, how: FollowHow): AsyncIterable<ForeignStep>;
  /** Ends when the task has ended. */
  watch(id: string, how: FollowHow): AsyncIterable<ForeignStep>;
  /** A further message to a task; the task after it. */
  say(id: string, message: MessageContent, how: HowOptions): Promise<ForeignTask>;
  get(id: string, how: HowOptions & { readonly historyLength?: number }): Promise<ForeignTask>;
  list(asked: ForeignList, how: HowOptions): Promise<ForeignPage>;
  cancel(id: string, how: HowOptions): Promise<ForeignTask>;
  skills(how: HowOptions): Promise<readonly ForeignSkill[]>;
  /** A skill, asked with arguments: what it gives back. */
  call(skill: string, args: JsonObject, how: FollowHow): Promise<JsonValue>;
}

export function isDialect(transport: object): transport is Dialect {
  return 'dialect' in transport && 'claims' in transport;
}
