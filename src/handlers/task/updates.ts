// Owns the steps of a task as they travel: each patch starts from the document that the one before it led to.
// SPEC.md sections 8 and 9 (#exchange, #state-task).

import type { JsonObject } from '../../codec/value.ts';
import type { Answer } from '../../content.ts';
import { contentHash } from '../../schema/content-hash.ts';
import type { StateDocument } from '../../state/document.ts';
import { INITIAL_STATE, makeState } from '../../state/document.ts';
import type { TaskEvent, TaskStep } from '../../tasks/event.ts';
import type { Task } from '../../tasks/task.ts';
import type { DocumentForm } from './document.ts';
import { outputDocument, progressDocument, progressOf, wholeDocument } from './document.ts';
import type { Piece } from './items.ts';
import { piecePayload } from './items.ts';

/** A document that is made when somebody asks for it: what nobody is told costs nothing. */
type Told = () => StateDocument;

export class TaskUpdates {
  readonly #takesParts: boolean;
  #task: Task;
  #progress: JsonObject | undefined;
  #told: Told = () => INITIAL_STATE;

  /** @param task as it was before what is told. */
  constructor(task: Task, takesParts: boolean) {
    this.#task = task;
    this.#takesParts = takesParts;
    this.#progress = progressOf(task.status);
  }

  /** As it stands after what was told so far. */
  get task(): Task {
    return this.#task;
  }

  /** All of it, as it stands after what was told so far. */
  get document(): JsonObject {
    return wholeDocument(this.#task, this.#form);
  }

  /** Goes on by one step; what it returns makes the answer that tells of it. */
  tell({ task, event }: TaskStep): () => Answer {
    const before = this.#task;
    this.#task = task;
    if (event === undefined) return this.#tellState(outputDocument, true);
    if (event.type === 'artifact') return this.#tellPiece(pieceOf(event, before, task));
    return this.#tellState(progressDocument, isNewAttempt(event));
  }

  /** All of the task, for who has seen nothing of it. */
  tellWhole(): () => Answer {
    this.#told = () => INITIAL_STATE;
    return this.#tellState(wholeDocument, false);
  }

  get #form(): DocumentForm {
    return { takesParts: this.#takesParts, progress: this.#progress };
  }

  #tellPiece(piece: Piece): () => Answer {
    const { generation } = this.#task;
    const takesParts = this.#takesParts;
    return () => ({
      ct: 'artifact.v1',
      payload: piecePayload(piece, takesParts),
      generation,
      isEvent: true,
    });
  }

  #tellState(write: typeof progressDocument, isBegun: boolean): () => Answer {
    const task = this.#task;
    // It stays until another attempt begins, also while the task waits.
    this.#progress = progressOf(task.status) ?? (isBegun ? undefined : this.#progress);
    const form = this.#form;
    const from = this.#told;
    const to = documentOnce(write, task, form);
    this.#told = to;
    return () => ({
      ct: 'state.v1',
      payload: { ...makeState(from(), to().value) },
      generation: task.generation,
      isEvent: true,
    });
  }
}

/** Not where it is used: it must not hold on to the documents before it. */
function documentOnce(write: typeof progressDocument, task: Task, form: DocumentForm): Told {
  let made: StateDocument | undefined;
  return () => {
    if (made === undefined) {
      const value = write(task, form);
      made = { value, hash: contentHash(value) };
    }
    return made;
  };
}

function isNewAttempt(event: TaskEvent): boolean {
  return event.type === 'status' && event.attempt !== undefined;
}

/** The parts of the event, and where they stand in the artifact after it. */
function pieceOf(
  event: Extract<TaskEvent, { readonly type: 'artifact' }>,
  before: Task,
  after: Task,
): Piece {
  const { artifact } = event;
  const append = event.append === true;
  const last = event.last === true;
  const begun = append ? before.artifacts.find(({ id }) => id === artifact.id) : undefined;
  const grown = after.artifacts.find(({ id }) => id === artifact.id);
  if (begun === undefined || grown === undefined) return { artifact, firstPart: 0, append, last };
  const firstPart = grown.parts.length - artifact.parts.length;
  return { artifact, firstPart, append: firstPart < begun.parts.length, last };
}
