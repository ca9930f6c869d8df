// Owns one attempt at a task as its author sees it: what it has handed over, and the replies and messages that it is
// given, in order. Code that still runs after the end of the attempt can report nothing.

import type { Artifact, ArtifactInput } from '../artifact.ts';
import { parseArtifact } from '../artifact.ts';
import type { Keepable, RunControls } from '../context.ts';
import { TaskError } from '../error.ts';
import type { TaskChange, TaskEvent } from '../event.ts';
import { artifactChange } from '../event.ts';
import type { Folded, Said } from '../log/fold.ts';
import type { Message } from '../message.ts';
import { markRecorded } from './author.ts';
import type { Checkpoint } from './checkpoint.ts';
import { OutputTally } from './output.ts';
import type { Run } from './run.ts';

interface Waiter {
  readonly resolve: (message: Message) => void;
  readonly reject: (cause: unknown) => void;
}

/** Reports of a generator that may wait to be stored before it is let go on. */
const MANY = 64;

export class Attempt implements RunControls {
  readonly #run: Run;
  readonly #tally: OutputTally;
  readonly attempt: number;
  readonly restored: Keepable | undefined;
  /** What the owner said and this attempt was not given yet. */
  readonly #replies: Message[];
  readonly #further: Message[];
  #answered: number;
  #taken: number;
  #question: Waiter | undefined;
  #listeners: Waiter[] = [];
  #hasAsked: boolean;
  #isOver = false;

  /** @param checkpoint what it goes on from. */
  constructor(run: Run, { task, said }: Folded, checkpoint: Checkpoint | undefined) {
    this.#run = run;
    this.#tally = new OutputTally(run.limits, task.artifacts);
    this.attempt = task.attempt;
    this.restored = checkpoint?.value;
    this.#answered = checkpoint?.answered ?? 0;
    this.#taken = checkpoint?.taken ?? 0;
    this.#replies = messagesIn(said, true).slice(this.#answered);
    this.#further = messagesIn(said, false).slice(this.#taken);
    this.#hasAsked = task.history.some(({ role }) => role === 'agent');
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get deadline(): number {
    return this.#run.deadline;
  }

  get artifacts(): readonly Pick<Artifact, 'id' | 'name' | 'isComplete'>[] {
    return this.#tally.artifacts;
  }

  newId(): string {
    return this.#run.newId();
  }

  report(change: TaskChange): Promise<TaskEvent | undefined> {
    return this.#report(change, false);
  }

  /** A promise only when so much waits that it is better not to go on. */
  output(input: ArtifactInput): Promise<unknown> | undefined {
    const reported = this.#report(artifactChange(parseArtifact(input, this.artifacts)), true);
    if (this.#run.pending >= MANY || !this.#run.isAtWork) return reported;
    // The end of the task tells of it.
    reported.catch(() => undefined);
    return undefined;
  }

  async ask(question: Message | undefined, kind: 'input' | 'auth'): Promise<Message> {
    if (this.#isOver) throw new TaskError('the attempt is over');
    const given = this.#replies.shift();
    if (given !== undefined) {
      this.#answered += 1;
      return given;
    }
    if (this.#question !== undefined) throw new TypeError('"ask" is waiting for a reply already');
    this.#run.assertGoing();
    this.#hasAsked = true;
    let waiter: Waiter | undefined;
    const reply = new Promise<Message>((resolve, reject) => {
      this.#question = waiter = { resolve, reject };
    });
    // It may be answered or called off before the question is known to be stored.
    reply.catch(() => undefined);
    try {
      await this.#run.ask(question, kind);
    } catch (cause) {
      if (this.#question === waiter) this.#question = undefined;
      throw cause;
    }
    if (this.#question === waiter) this.#run.rest();
    const answer = await reply;
    await this.#run.resume();
    this.#answered += 1;
    return answer;
  }

  async next(): Promise<Message> {
    if (this.#isOver) throw new TaskError('the attempt is over');
    this.#run.assertGoing();
    let message = this.#further.shift();
    if (message === undefined) {
      const coming = new Promise<Message>((resolve, reject) => {
        this.#listeners.push({ resolve, reject });
      });
      this.#run.listen();
      message = await coming;
      await this.#run.resume();
    }
    this.#taken += 1;
    return message;
  }

  async answer(message: Message, isTask: boolean): Promise<TaskEvent | undefined> {
    if (this.#isOver) return undefined;
    const isDirect = !isTask && this.#tally.artifacts.length === 0 && !this.#hasAsked;
    return markRecorded(
      await this.#run.answer({
        type: 'status',
        status: { state: 'completed', message },
        ...(isDirect && { direct: true }),
      }),
    );
  }

  keep(value: Keepable): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    const keep = this.#tally.kept;
    const checkpoint = { value, keep, answered: this.#answered, taken: this.#taken };
    return this.#atWork(this.#run.keep(checkpoint));
  }

  /** The owner has said something. Without anybody who waits for it, it is kept for who asks next. */
  hear({ message, answers }: Said): void {
    if (answers === undefined) {
      const listener = this.#listeners.shift();
      if (listener === undefined) this.#further.push(message);
      else listener.resolve(message);
      return;
    }
    this.#question?.resolve(message);
    this.#question = undefined;
  }

  /** Nobody gets a reply any more. */
  stop(reason: () => TaskError): void {
    if (this.#question === undefined && this.#listeners.length === 0) return;
    const cause = reason();
    this.#question?.reject(cause);
    this.#question = undefined;
    for (const { reject } of this.#listeners) reject(cause);
    this.#listeners = [];
  }

  /** The author is done, well or not. A reply that comes now is for the next attempt. */
  end(): void {
    this.#isOver = true;
    this.stop(() => new TaskError('the attempt is over'));
  }

  #report(change: TaskChange, isPatient: boolean): Promise<TaskEvent | undefined> {
    const isIgnored = this.#isOver || this.#run.isEnding || this.#run.isSilent(change);
    if (isIgnored || !this.#tally.admit(change, this.#run.pending)) {
      return Promise.resolve(undefined);
    }
    const reported = this.#atWork(this.#run.write(change, isPatient));
    return isPatient ? reported : reported.then(markRecorded);
  }

  /** An author that reports is working, even if its question is still open: so it needs its place at work again. */
  #atWork<T>(reported: Promise<T>): Promise<T> {
    if (this.#run.isAtWork) return reported;
    // It may fail before anybody looks at it.
    reported.catch(() => undefined);
    return this.#run.takePlace().then(() => reported);
  }
}

function messagesIn(said: readonly Said[], areReplies: boolean): Message[] {
  return said
    .filter(({ answers }) => (answers !== undefined) === areReplies)
    .map(({ message }) => message);
}
