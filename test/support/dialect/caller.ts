// Owns what every face must be able to do for a caller, in words that belong to no face: the cases of the dialect suite
// speak only these. One driver a face translates them.

import type { Part, TaskState } from '../../../src/door/index.ts';

/** A message as the face tells it. */
export interface Said {
  readonly id: string;
  readonly role: 'user' | 'agent';
  readonly parts: readonly Part[];
}

export interface Made {
  readonly id: string;
  /** The id where it has none. */
  readonly name: string;
  readonly parts: readonly Part[];
}

/** A task as the face tells it. */
export interface View {
  readonly id: string;
  readonly state: TaskState;
  readonly generation: number;
  /** The text of what the agent says with its status. */
  readonly words: string;
  readonly history: readonly Said[];
  readonly artifacts: readonly Made[];
  readonly failure?: { readonly code: string; readonly message: string };
}

/** One step of a stream: the whole task, a piece of output, or anything else that happened. */
export interface Told {
  readonly type: 'whole' | 'output' | 'state';
  /** Of the task after it. */
  readonly generation: number;
  /** Where it is told. */
  readonly state?: TaskState;
  /** The text of the piece of output; of a whole task, that of all output. */
  readonly text?: string;
}

export interface Ask {
  readonly text: string;
  /** @default the text alone */
  readonly parts?: readonly Part[];
  /** Of the task. @default the agent makes one, and each start is a task of its own */
  readonly id?: string;
  readonly contextId?: string;
  readonly deadline?: number;
}

export interface Listed {
  readonly tasks: readonly Pick<View, 'id' | 'state' | 'generation'>[];
  readonly next?: string;
  readonly total: number;
}

export interface Filter {
  readonly state?: TaskState;
  readonly contextId?: string;
  readonly since?: number;
  readonly pageSize?: number;
  readonly cursor?: string;
}

/** As a code: nobody is there any more to say anything. */
export const GONE = 'GONE';

/** What the face said instead of an answer. */
export class Refused extends Error {
  override readonly name = 'Refused';
  /** As the face names it. */
  readonly code: string;
  readonly retryable: boolean;
  /** All that was told, as text: what must not be there can be looked for in it. */
  readonly text: string;

  constructor(code: string, retryable: boolean, text: string) {
    super(`${code}: ${text}`);
    this.code = code;
    this.retryable = retryable;
    this.text = text;
  }
}

/** One who asks. Every method throws {@link Refused} for what the face refuses. */
export interface Caller {
  /** Who owns what it starts. */
  readonly owner: string;
  /** Does not wait. */
  start(ask: Ask | string): Promise<View>;
  /** Waits until the task rests, or until the time is over. */
  run(ask: Ask | string, waitMs?: number): Promise<View>;
  say(id: string, words: string | readonly Part[]): Promise<View>;
  get(id: string): Promise<View>;
  list(filter?: Filter): Promise<Listed>;
  /**
   * First the whole task as it was after that generation, then what followed, until it has ended. Who leaves aborts the
   * signal.
   */
  follow(id: string, after?: number, signal?: AbortSignal): AsyncIterable<Told>;
  cancel(id: string): Promise<View>;
  close(): Promise<void>;
}

export function textOf(parts: readonly Part[]): string {
  return parts.map((part) => ('text' in part ? part.text : '')).join('');
}

export function outputOf({ artifacts }: Pick<View, 'artifacts'>): string {
  return artifacts.map(({ parts }) => textOf(parts)).join('');
}
