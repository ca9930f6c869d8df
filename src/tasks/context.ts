// Owns what an author's `onTask` gets: the task in a form that is easy to read, and ways to report, to ask, to stop in
// time and to call tools. SPEC.md section 8 (#exchange).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { FOREIGN_MARK } from '../envelope/agent-id.ts';
import type { Artifact, ArtifactInput } from './artifact.ts';
import { parseArtifact } from './artifact.ts';
import type { Delegate, Delegation, HandedPart } from './delegation.ts';
import type { TaskChange, TaskEvent } from './event.ts';
import { artifactChange } from './event.ts';
import type { Message, Words } from './message.ts';
import { agentMessage } from './message.ts';
import { plainText } from './plain-text.ts';
import type { Task } from './task.ts';

const MAX_PROGRESS_LENGTH = 1_000;

/** A task as its author gets it: with what was asked close at hand. */
export interface AuthorTask extends Task {
  /** The text of what was asked. */
  readonly text: string;
  /** The data of what was asked. */
  readonly data: JsonValue | undefined;
}

export function authorTask(task: Task): AuthorTask {
  const asked = task.history[0]!;
  return Object.freeze({ ...task, text: asked.text, data: asked.data });
}

/** Tools that a task may use: those of the agent that its owner may call. */
export interface ToolBox {
  has(name: string): boolean;
  list(): readonly string[];
  call(name: string, args: JsonObject, signal: AbortSignal): Promise<JsonValue>;
}

/** {@link ToolBox} with the task's own signal. */
export interface TaskTools {
  has(name: string): boolean;
  list(): readonly string[];
  call(name: string, args: JsonObject): Promise<JsonValue>;
}

export interface AskOptions {
  /** What is missing: something to know, or leave to do something. @default 'input' */
  readonly kind?: 'input' | 'auth';
}

interface AnswerOptions {
  /** It stays a task also where the message is all there is: in lists, and for dialects that tell messages alone. @default false */
  readonly isTask?: boolean;
}

export interface TaskProgress {
  readonly message: string;
  /** From 0 to 1. */
  readonly fraction?: number;
}

/** Progress in more than text. */
interface SpokenProgress {
  readonly words: Words;
  /** From 0 to 1. */
  readonly fraction?: number;
}

/** What a checkpoint can hold: JSON, with messages anywhere in it. They come back as messages. */
export type Keepable =
  JsonValue | Message | readonly Keepable[] | { readonly [name: string]: Keepable };

/** Reports keep their order. They need not be awaited, but who awaits them goes no faster than they are stored. */
export interface TaskContext {
  /**
   * Aborts when the task has ended, when this agent stops, or when it may no longer work on the task: its reason is a
   * TaskError with the code TASK_ENDED, AGENT_STOPS or TASK_LOST. Then end soon.
   */
  readonly signal: AbortSignal;
  /** When the task fails if it has not ended; it moves on by the time that the owner takes for a reply. */
  readonly deadline: number;
  /** From 1. A task is worked on again after a crash, or after an error that asks for it. */
  readonly attempt: number;
  /** What an earlier attempt gave to `checkpoint` last; its artifacts are those of that moment. */
  readonly restored: Keepable | undefined;
  readonly tools: TaskTools;
  /** Tells the owner how far it is; resolves when it is stored. Ignored after the end, or when it comes too fast. */
  readonly progress: (
    report: string | TaskProgress | SpokenProgress,
  ) => Promise<TaskEvent | undefined>;
  /** Hands over output; resolves when it is stored. Ignored after the end. Throws when it is more than a task may. */
  readonly artifact: (input: ArtifactInput) => Promise<TaskEvent | undefined>;
  /**
   * Asks the owner, one question at a time, with or without words, and waits for the reply, without taking a place at
   * work: who goes on working meanwhile takes one again with the next report. A later attempt is given the replies that
   * came before, in order and without asking again; those before a checkpoint are not given again.
   */
  readonly ask: (question?: Words, options?: AskOptions) => Promise<Message>;
  /** Waits for the next message that the owner sends without being asked. Given again like replies. */
  readonly next: () => Promise<Message>;
  /** Ends the task with a message for an answer. What is reported afterwards is ignored. */
  readonly answer: (words: Words, options?: AnswerOptions) => Promise<TaskEvent | undefined>;
  /** Gives a part of the task to another agent. */
  readonly delegate: Delegate;
  /**
   * Says that somebody outside does the task or a part of it, and how far that is. When the task ends before that has,
   * `cancelHanded` of the runtime is told, until it is done. `agentId` begins with `~`: it is none of envelopes.
   */
  readonly handedTo: (part: HandedPart) => Promise<TaskEvent | undefined>;
  /** How far the request has travelled from where it began, as far as it says. */
  readonly hops: number;
  /** What the owner gave this agent with the task, to show to others: `authz.grants` of its request. */
  readonly grants: readonly JsonObject[];
  /** Keeps a value for a later attempt; resolves when it is stored. Replies given so far are not given to that again. */
  readonly checkpoint: (value: Keepable) => Promise<void>;
}

/**
 * What an author yields or returns: JSON becomes an artifact named `result`; so do the parts of a message, and text,
 * which grows with more of it.
 */
export type TaskResult = JsonValue | Message | TaskEvent | undefined | void;

/** Does the work: an async function, or an async generator that yields output, or what `ctx` returned. */
export type OnTask = (
  task: AuthorTask,
  ctx: TaskContext,
) => Promise<TaskResult> | AsyncGenerator<TaskResult, TaskResult>;

/** What a run does with what its author says. */
export interface RunControls {
  readonly signal: AbortSignal;
  readonly deadline: number;
  readonly attempt: number;
  readonly restored: Keepable | undefined;
  /** What was handed over so far, stored or about to be. */
  readonly artifacts: readonly Pick<Artifact, 'id' | 'name' | 'isComplete'>[];
  newId(): string;
  /** Resolves with the event once it is stored; with `undefined` when it has no place. */
  report(change: TaskChange): Promise<TaskEvent | undefined>;
  ask(question: Message | undefined, kind: 'input' | 'auth'): Promise<Message>;
  next(): Promise<Message>;
  answer(message: Message, isTask: boolean): Promise<TaskEvent | undefined>;
  keep(value: Keepable): Promise<void>;
}

export function createTaskContext(
  run: RunControls,
  tools: ToolBox,
  { delegate, grants, hops }: Delegation,
): TaskContext {
  const { attempt, restored } = run;
  return Object.freeze({
    // Most authors never look at it: then none is made.
    get signal() {
      return run.signal;
    },
    attempt,
    restored,
    get deadline() {
      return run.deadline;
    },
    tools: Object.freeze({
      has: (name: string) => tools.has(name),
      list: () => tools.list(),
      call: (name: string, args: JsonObject) => tools.call(name, args, run.signal),
    }),
    progress: (report: string | TaskProgress | SpokenProgress) =>
      quiet(run.report(progressOf(report, run.newId()))),
    artifact: (input: ArtifactInput) => quiet(run.report(outputOf(input, run.artifacts))),
    ask: (question?: Words, { kind = 'input' }: AskOptions = {}) =>
      quiet(
        run.ask(question === undefined ? undefined : agentMessage(question, run.newId()), kind),
      ),
    next: () => quiet(run.next()),
    answer: (words: Words, { isTask = false }: AnswerOptions = {}) =>
      quiet(run.answer(agentMessage(words, run.newId()), isTask)),
    checkpoint: (value: Keepable) => quiet(run.keep(value)),
    delegate,
    handedTo: (part: HandedPart) => quiet(run.report(handedPart(part))),
    hops,
    grants,
  });
}

/** Who does not await a report must not bring the process down when it cannot be stored: the run ends by itself. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function outputOf(input: ArtifactInput, known: RunControls['artifacts']): TaskChange {
  return artifactChange(parseArtifact(input, known));
}

/** Progress is a status with a message. */
function progressOf(report: string | TaskProgress | SpokenProgress, id: string): TaskChange {
  const { fraction } = typeof report === 'string' ? { fraction: undefined } : report;
  if (fraction !== undefined && !(fraction >= 0 && fraction <= 1)) {
    throw new RangeError('"fraction" expected a number from 0 to 1');
  }
  return {
    type: 'status',
    status: {
      state: 'working',
      message: agentMessage(wordsOf(report), id),
      // Not -0, which is another number on the wire.
      ...(fraction !== undefined && { fraction: fraction + 0 }),
    },
  };
}

function wordsOf(report: string | TaskProgress | SpokenProgress): Words {
  if (typeof report === 'object' && 'words' in report) return report.words;
  const message = typeof report === 'string' ? report : report.message;
  if (typeof message !== 'string') throw new TypeError('"message" expected a string');
  return plainText(message, MAX_PROGRESS_LENGTH);
}

function handedPart({ agentId, id, status }: HandedPart): TaskChange {
  if (!agentId.startsWith(FOREIGN_MARK)) {
    throw new TypeError(`"agentId" expected an id that begins with "${FOREIGN_MARK}"`);
  }
  return { type: 'delegation', child: { agentId, id, status } };
}
