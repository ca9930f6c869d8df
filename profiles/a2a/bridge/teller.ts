// Owns how what an upstream says gets into the log of the task: each step together with how far the upstream was read, in
// one transaction, and no faster than it is stored. SPEC.md section 20.2 (#bridge-kept, #bridge-states).

import type { ArtifactContent, AuthorTask, TaskContext } from '../../../src/door/index.ts';
import { TaskError } from '../../../src/door/index.ts';
import type { FollowedFrom } from '../client/agent.ts';
import type { A2aStep } from '../client/following/fold.ts';
import { isResting } from '../client/following/fold.ts';
import type { A2aStatus, A2aTask } from '../client/model.ts';
import type { Kept } from './kept.ts';
import { isKeptStatus, keptStatus, knownTask, writeKept } from './kept.ts';

/** Steps that may wait to be stored. */
const MOST_WAITING = 32;

const MARK = '~a2a:';

/** The name of an upstream where a task says who does it. */
function agentIdOf(upstream: string): string {
  return `${MARK}${upstream}`;
}

export function upstreamIn(agentId: string): string {
  return agentId.startsWith(MARK) ? agentId.slice(MARK.length) : '';
}

export class Teller {
  readonly #ctx: TaskContext;
  readonly #waiting: Promise<unknown>[] = [];
  readonly #complete = new Set<string>();
  #kept: Kept;
  #known: A2aTask | undefined;
  #handed: string | undefined;

  constructor(task: AuthorTask, ctx: TaskContext, kept: Kept) {
    this.#ctx = ctx;
    this.#kept = kept;
    if (kept.taskId !== undefined) this.#known = knownTask(kept, task);
    for (const { id, isComplete } of task.artifacts) if (isComplete) this.#complete.add(id);
    const agentId = agentIdOf(kept.upstream);
    this.#handed = task.children.findLast((child) => child.agentId === agentId)?.status;
  }

  get kept(): Kept {
    return this.#kept;
  }

  /** The task of the upstream as it was told here. */
  get known(): A2aTask | undefined {
    return this.#known;
  }

  /** From where its stream goes on. */
  get following(): FollowedFrom {
    const { eventId, taskId } = this.#kept;
    return {
      taskId: taskId!,
      ...(this.#known !== undefined && { known: this.#known }),
      ...(eventId !== undefined && { eventId }),
    };
  }

  /** Stored before this resolves. */
  async keep(change: Partial<Kept>): Promise<void> {
    this.#kept = { ...this.#kept, ...change };
    await this.#ctx.checkpoint(writeKept(this.#kept));
  }

  /** Stored with what is reported in the same turn. */
  keepWith(change: Partial<Kept>): void {
    void this.keep(change);
  }

  /** The same with the question that is asked now. */
  keepAsking(status: A2aStatus): void {
    this.keepWith({ status: keptStatus(status), isAsked: true, isAnswered: false });
  }

  /** Resolves when it may be read on. */
  async tell({ task, piece, isWhole, eventId }: A2aStep): Promise<void> {
    const { contextId = this.#kept.contextId, status } = task;
    const isNamed = this.#handed !== undefined;
    this.#known = task;
    const isOld = this.#isKept(status);
    const isArrival = this.#kept.sending !== undefined;
    let hasTold = !isNamed;
    if (!isNamed) this.#handTo(task.id, 'working');
    if (isWhole === true) {
      for (const artifact of task.artifacts) this.#output(artifact, false, false);
      hasTold ||= task.artifacts.length > 0;
    } else if (piece !== undefined) {
      // What goes on after its end is told anew.
      const isLate = piece.append && this.#complete.has(piece.artifact.id);
      const whole = isLate ? task.artifacts.find(({ id }) => id === piece.artifact.id) : undefined;
      this.#output(whole ?? piece.artifact, piece.append && !isLate, piece.last);
      hasTold = true;
    }
    const isProgress =
      (isWhole === true || piece === undefined) && !isOld && status.state === 'working';
    if (isProgress && status.message !== undefined) {
      const { parts, metadata } = status.message;
      void this.#ctx.progress({ words: { parts, ...(metadata !== undefined && { metadata }) } });
      hasTold = true;
    }
    const rests = isResting(status);
    const { sending: _sent, eventId: _before, ...kept } = this.#kept;
    this.#kept = {
      ...kept,
      taskId: task.id,
      contextId,
      ...(eventId !== undefined && { eventId }),
      ...(!rests && { status: keptStatus(status), ...(!isOld && { isAnswered: false }) }),
    };
    if (!hasTold && !isArrival) return;
    this.#waiting.push(this.#ctx.checkpoint(writeKept(this.#kept)));
    if (this.#waiting.length > MOST_WAITING) await this.#waiting.shift();
  }

  /** How the task of the upstream ended. */
  ended(state: A2aStatus['state']): void {
    const { taskId } = this.#kept;
    if (taskId !== undefined) this.#handTo(taskId, state);
  }

  /** The same question once more, after it was answered. */
  isAnswered(status: A2aStatus): boolean {
    return this.#kept.isAnswered === true && this.#isKept(status);
  }

  #isKept(status: A2aStatus): boolean {
    return this.#kept.status !== undefined && isKeptStatus(this.#kept.status, status);
  }

  #handTo(id: string, status: string): void {
    if (this.#handed === status) return;
    this.#handed = status;
    void this.#ctx.handedTo({ agentId: agentIdOf(this.#kept.upstream), id, status });
  }

  #output(artifact: ArtifactContent, append: boolean, last: boolean): void {
    const { id, name, description, parts, metadata, extensions } = artifact;
    try {
      void this.#ctx.artifact({
        id,
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        parts,
        ...(metadata !== undefined && { metadata }),
        ...(extensions !== undefined && { extensions }),
        append,
        last,
      });
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      const words = `${this.#kept.upstream} gave an artifact that cannot be handed on`;
      throw new TaskError(words, { code: 'UPSTREAM_GARBAGE', cause });
    }
    if (last) this.#complete.add(id);
    else if (!append) this.#complete.delete(id);
  }
}
