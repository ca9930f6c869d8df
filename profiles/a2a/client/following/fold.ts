// Owns a task as it grows by what is told of it: events, and the whole of it where a stream was lost. Nothing is told
// twice. SPEC.md section 20 (#a2a-client-streams).

import type { Artifact, ArtifactPiece, Part } from '../../../../src/door/index.ts';
import { joinArtifact } from '../../../../src/door/index.ts';
import type { A2aEvent, A2aStatus, A2aTask } from '../model.ts';
import { noAnswer } from '../reading/protocol-fault.ts';
import { remainderOf } from './remainder.ts';

/** The task after something happened to it. */
export interface A2aStep {
  readonly task: A2aTask;
  /** What came of an artifact. Without it and without `isWhole` it is the status that is new. */
  readonly piece?: ArtifactPiece;
  /** All of the task is new. */
  readonly isWhole?: true;
  /**
   * Where a subscription can go on after this step, where the agent numbers its events. Without it all of the task has to
   * be compared.
   */
  readonly eventId?: string;
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled', 'rejected']);
const WAITING: ReadonlySet<string> = new Set(['input-required', 'auth-required']);

export function hasEnded({ state }: A2aStatus): boolean {
  return ENDED.has(state);
}

/** It goes on only when somebody does something. */
export function isResting(status: A2aStatus): boolean {
  return hasEnded(status) || WAITING.has(status.state);
}

export class TaskFold {
  readonly #expected: string | undefined;
  #task: A2aTask | undefined;

  /**
   * @param taskId the one that may be told of. @default the first that is
   * @param known as it was told before. @default nothing was
   */
  constructor(taskId?: string, known?: A2aTask) {
    this.#expected = taskId;
    this.#task = known;
  }

  /** `undefined` before anything was told. */
  get task(): A2aTask | undefined {
    return this.#task;
  }

  /**
   * What is new by it. Throws a TransportError for what is told of another task.
   * @param isExact it has a number: nothing that was told before is newer.
   */
  take(
    event: Exclude<A2aEvent, { readonly type: 'message' }>,
    isExact = false,
  ): readonly A2aStep[] {
    const told = event.type === 'task' ? event.task.id : event.taskId;
    const expected = this.#task?.id ?? this.#expected;
    if (expected !== undefined && told !== expected) throw noAnswer('it tells of another task');
    if (event.type === 'task') return this.#takeWhole(event.task, isExact);
    const task = this.#task ?? emptyTask(event);
    if (hasEnded(task.status)) return [];
    if (event.type === 'status') return this.#takeStatus(task, event.status);
    const { artifact, append, last } = event;
    const known = task.artifacts.find(({ id }) => id === artifact.id);
    // Told once more from its beginning, it is no news.
    if (!append && known !== undefined && isEqualTo(known.parts, artifact.parts)) return [];
    return [this.#grow(task, { artifact, append, last })];
  }

  #takeWhole(whole: A2aTask, isExact: boolean): readonly A2aStep[] {
    const known = this.#task;
    if (known === undefined) {
      this.#task = whole;
      return [{ task: whole, isWhole: true }];
    }
    const steps: A2aStep[] = [];
    if (hasEnded(known.status)) return steps;
    for (const artifact of whole.artifacts) {
      const before = known.artifacts.find(({ id }) => id === artifact.id);
      const piece = newIn(artifact, before, isExact);
      if (piece !== undefined) steps.push(this.#grow(this.#task!, piece));
    }
    // What the agent has taken back is empty.
    for (const artifact of isExact ? known.artifacts : []) {
      const isGone = !whole.artifacts.some(({ id }) => id === artifact.id);
      if (!isGone || artifact.parts.length === 0) continue;
      const emptied = withParts(artifact, []);
      steps.push(this.#grow(this.#task!, { artifact: emptied, append: false, last: false }));
    }
    const { history, metadata, contextId } = whole;
    this.#task = {
      ...this.#task!,
      ...(history.length > 0 && { history }),
      ...(metadata !== undefined && { metadata }),
      ...(contextId !== undefined && { contextId }),
    };
    return !isExact && isOlder(whole.status, known.status)
      ? steps
      : [...steps, ...this.#takeStatus(this.#task, whole.status)];
  }

  #takeStatus(task: A2aTask, status: A2aStatus): readonly A2aStep[] {
    if (this.#task !== undefined && isSame(status, task.status)) return [];
    this.#task = { ...task, status };
    return [{ task: this.#task }];
  }

  #grow(task: A2aTask, piece: ArtifactPiece): A2aStep {
    this.#task = { ...task, artifacts: joinArtifact(task.artifacts, piece) };
    return { task: this.#task, piece };
  }
}

/** A stream may begin with an event. */
function emptyTask(event: { readonly taskId: string; readonly contextId?: string }): A2aTask {
  const { taskId, contextId } = event;
  return {
    id: taskId,
    ...(contextId !== undefined && { contextId }),
    status: { state: 'unknown' },
    artifacts: [],
    history: [],
  };
}

/** What of the artifact was not told yet; `undefined` where all was. */
function newIn(
  artifact: Artifact,
  known: Artifact | undefined,
  isExact: boolean,
): ArtifactPiece | undefined {
  const anew = { artifact, append: false, last: false };
  if (known === undefined) return anew;
  const rest = remainderOf(artifact.parts, known.parts);
  const isCut = isExact && remainderOf(known.parts, artifact.parts)?.length !== 0;
  if (rest === undefined || (isCut && rest.length === 0)) return anew;
  return rest.length === 0
    ? undefined
    : { artifact: withParts(artifact, rest), append: true, last: false };
}

function isEqualTo(known: readonly Part[], parts: readonly Part[]): boolean {
  return remainderOf(parts, known)?.length === 0 && remainderOf(known, parts)?.length === 0;
}

function withParts(artifact: Artifact, parts: readonly Part[]): ArtifactPiece['artifact'] {
  const { id, name, description, metadata, extensions } = artifact;
  return {
    id,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    parts,
    ...(metadata !== undefined && { metadata }),
    ...(extensions !== undefined && { extensions }),
  };
}

function isOlder(one: A2aStatus, other: A2aStatus): boolean {
  return one.at !== undefined && other.at !== undefined && one.at < other.at;
}

function isSame(one: A2aStatus, other: A2aStatus): boolean {
  const sameWords =
    one.message?.id === other.message?.id && one.message?.text === other.message?.text;
  const isSameMoment = one.at === undefined || other.at === undefined || one.at === other.at;
  return one.state === other.state && sameWords && isSameMoment;
}
