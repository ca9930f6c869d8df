// Owns what of a sealed task is said to whom: its log, read from the beginning, as exchanges with numbered answers.
// SPEC.md section 22 (#sealed-tasks, #sealed-numbers).

import type {
  Artifact,
  Message,
  Task,
  TaskEvent,
  TaskStatus,
  TaskStep,
} from '../../../src/door/index.ts';
import { createMessage, isResting, isTerminal, isWaiting } from '../../../src/door/index.ts';
import { SdlError } from '../../../src/transport.ts';
import type { Digest, Saying, Update } from './exchange.ts';
import { SealedExchange } from './exchange.ts';
import { neutralArtifact, neutralMessage } from './neutral.ts';
import type { SealedSource } from './source.ts';
import { sealedIn } from './source.ts';

/** Where a task came to rest: the last answer to every request that was open. */
export interface Rest {
  readonly exchanges: readonly SealedExchange[];
  readonly status: TaskStatus;
  readonly words: Message | undefined;
}

/** What a stored task has in its history. */
export type Told =
  | { readonly asked: SealedSource; readonly message: Message }
  | { readonly said: Saying }
  | { readonly rest: Rest };

/** What one step says. */
export type Spoken =
  | { readonly said: Saying; readonly status: TaskStatus }
  | { readonly update: Update; readonly artifactId: string }
  | { readonly rest: Rest }
  /** The state alone. */
  | { readonly status: TaskStatus };

type MessageEvent = Extract<TaskEvent, { readonly type: 'message' }>;
type StatusEvent = Extract<TaskEvent, { readonly type: 'status' }>;
type ArtifactEvent = Extract<TaskEvent, { readonly type: 'artifact' }>;

export class Transcript {
  readonly history: Told[] = [];
  /** Since each began: what a stored task has of it. */
  readonly artifacts: Map<string, Update[]> = new Map();
  /** In the order of their requests. */
  readonly exchanges: SealedExchange[] = [];
  /** Those whose last answer is to come, or may still change. */
  #open: SealedExchange[] = [];
  /** What artifacts are called where everybody sees it, by their ids. */
  readonly #names = new Map<string, string>();
  readonly #digest: Digest;
  #task: Task | undefined;
  /** The last words of a task that works. */
  #progress: Saying | undefined;

  constructor(digest: Digest) {
    this.#digest = digest;
  }

  /** As it is after the last step. */
  get task(): Task {
    return this.#task!;
  }

  get generation(): number {
    return this.#task?.generation ?? 0;
  }

  /** What its status says: words of a task that works, or where it rests. */
  get standing(): Told | undefined {
    if (this.#progress !== undefined) return { said: this.#progress };
    return isResting(this.task.status.state) ? this.#lastRest : undefined;
  }

  /** The next step of the log, without a gap from the first. */
  take(step: TaskStep): readonly Spoken[] {
    const before = this.#task;
    this.#task = step.task;
    if (before === undefined) return this.#begin(step.task);
    const { event } = step;
    if (event === undefined) return this.#cut(before, step.task);
    switch (event.type) {
      case 'message':
        return this.#asked(before, event);
      case 'artifact':
        return [this.#update(event)];
      case 'status':
        return this.#status(before, event);
      default:
        return [];
    }
  }

  #begin({ history, generation }: Task): readonly Spoken[] {
    const [message] = history;
    if (generation !== 1 || message === undefined) {
      throw new SdlError('INTERNAL', 'a sealed task is read from its beginning');
    }
    this.#ask(message);
    return [];
  }

  #asked(before: Task, { message, answers }: MessageEvent): readonly Spoken[] {
    const { status } = this.task;
    this.#progress = undefined;
    // What was said over another dialect has no request to answer: the last one goes on.
    if (sealedIn(message) === undefined) this.#resume();
    else if (isWaiting(before.status.state)) {
      this.#open = [];
      this.#ask(message);
    } else this.#ask(message);
    return answers === undefined ? [] : [{ status }];
  }

  #ask(message: Message): void {
    const source = sealedIn(message);
    if (source === undefined) throw new SdlError('INTERNAL', 'a request of a sealed task is plain');
    const exchange = new SealedExchange(source, this.#digest);
    this.exchanges.push(exchange);
    this.#open.push(exchange);
    this.history.push({ asked: source, message });
  }

  #status(before: Task, { status, attempt }: StatusEvent): readonly Spoken[] {
    const { state, message } = status;
    if (!isResting(state)) {
      // Progress while it waits does not hide the question.
      if (attempt === undefined && isWaiting(before.status.state)) return [];
      if (isWaiting(before.status.state)) this.#resume();
      this.#progress = message && this.#first.say(neutralMessage(message), false);
      return [this.#progress === undefined ? { status } : { said: this.#progress, status }];
    }
    if (isWaiting(before.status.state)) this.#resume();
    this.#progress = undefined;
    const words = message ?? failureWords(this.task, status);
    const rest: Rest = { exchanges: [...this.#open], status, words };
    this.history.push({ rest });
    if (isTerminal(state)) this.#open = [];
    return [{ rest }];
  }

  #update({ artifact, append, last }: ArtifactEvent): Spoken {
    const whole = this.task.artifacts.findLast(({ id }) => id === artifact.id)!;
    return this.#say(neutralArtifact(artifact), whole, append === true, last === true);
  }

  /** What an attempt took back of an artifact is told by all that is left of it. */
  #cut(before: Task, after: Task): readonly Spoken[] {
    this.#progress = undefined;
    if (isWaiting(before.status.state)) this.#resume();
    const cut = before.artifacts.flatMap((artifact): Spoken[] => {
      const left = after.artifacts.find(({ id }) => id === artifact.id);
      if (left !== undefined && isSame(left, artifact)) return [];
      const rest = left ?? { ...artifact, id: artifact.id, parts: [] };
      return [this.#say(neutralArtifact(rest), rest, false, false)];
    });
    return [{ status: after.status }, ...cut];
  }

  #say(
    piece: ReturnType<typeof neutralArtifact>,
    whole: Pick<Artifact, 'id' | 'parts'>,
    append: boolean,
    last: boolean,
  ): Spoken {
    const artifactId = this.#nameOf(piece.artifactId);
    const known = this.artifacts.get(artifactId);
    const continuing = known && { isClear: known.at(-1)!.clear !== undefined };
    const update = this.#first.update(
      {
        piece: { ...piece, artifactId },
        whole: { ...neutralArtifact(whole), artifactId },
        append,
        last,
      },
      continuing,
    );
    this.artifacts.set(artifactId, update.append ? [...known!, update] : [update]);
    return { update, artifactId };
  }

  /** Ids are made of names: where the names are sealed, it has one that says nothing. */
  #nameOf(id: string): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const isHidden = this.#first.source.strength === 'enc+sig';
    const name = isHidden ? `artifact-${this.#names.size + 1}` : id;
    this.#names.set(id, name);
    return name;
  }

  /** What is said answers the first request that is open. */
  get #first(): SealedExchange {
    return this.#open[0]!;
  }

  get #lastRest(): Told | undefined {
    return this.history.findLast((told) => 'rest' in told);
  }

  /** The task goes on without a further request: what was its last answer is one of its events from now on. */
  #resume(): void {
    const at = this.history.findLastIndex((told) => 'rest' in told);
    const told = this.history[at];
    if (told === undefined || !('rest' in told) || at !== this.history.length - 1) return;
    const { words } = told.rest;
    if (words === undefined) this.history.splice(at, 1);
    else this.history[at] = { said: this.#first.say(neutralMessage(words), true) };
  }
}

function isSame(one: Artifact, other: Artifact): boolean {
  return (
    one === other ||
    (one.parts.length === other.parts.length &&
      one.text.length === other.text.length &&
      lastBytes(one) === lastBytes(other))
  );
}

function lastBytes({ parts }: Artifact): number {
  const last = parts.at(-1);
  return last !== undefined && 'bytes' in last ? last.bytes.length : 0;
}

/** No wire has a member for why a task failed: its words are said by the agent, and its code stands beside them. */
function failureWords({ id }: Task, { failure }: TaskStatus): Message | undefined {
  if (failure === undefined) return undefined;
  const { code, message, retryable } = failure;
  return createMessage({
    id: `${id}-failure`,
    role: 'agent',
    parts: [{ text: message }],
    metadata: { failure: { code, retryable } },
  });
}
