// Owns the events of a task as they travel: each patch starts from the document that the one before it led to.
// SPEC.md sections 8 and 9 (#exchange, #state-task).

import type { Answer } from '../../content.ts';
import { INITIAL_STATE } from '../../state/document.ts';
import { applyEvent } from '../../tasks/events.ts';
import type { TaskEvent } from '../../tasks/events.ts';
import { unstartedTask } from '../../tasks/task.ts';
import type { Task, TaskOrigin } from '../../tasks/task.ts';
import { artifactPayload, progressDocument, statePayload } from './document.ts';

/** Follows a task from its first event on, because each patch starts from what came before. */
export class TaskUpdates {
  #task: Task;
  #document = INITIAL_STATE;

  constructor(origin: TaskOrigin) {
    this.#task = unstartedTask(origin);
  }

  /** As it stands after what was told so far. */
  get task(): Task {
    return this.#task;
  }

  /** Goes on by one event; what it returns makes the answer that tells of it. */
  tell(event: TaskEvent): () => Answer {
    this.#task = applyEvent(this.#task, event);
    const { generation } = event;
    if (event.type === 'artifact') {
      const { artifact } = event;
      return () => ({
        ct: 'artifact.v1',
        payload: artifactPayload(artifact),
        generation,
        isEvent: true,
      });
    }
    const from = this.#document;
    this.#document = progressDocument(this.#task);
    const to = this.#document.value;
    return () => ({
      ct: 'state.v1',
      payload: statePayload(from, to),
      generation,
      isEvent: true,
    });
  }
}
