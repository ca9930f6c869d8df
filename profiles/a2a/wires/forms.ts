// Owns tasks, messages, artifacts and what happens to a task as members of a wire. What of our model the wires have no
// member for is told in a message. SPEC.md section 20 (#a2a-wires).

import type {
  Artifact,
  ArtifactContent,
  MessageContent,
  Task,
  TaskStatus,
  TaskStep,
  TaskSummary,
} from '../../../src/door/index.ts';
import type { Fields } from '../fields/read.ts';
import type { Shape } from './shape.ts';

/** Where a message belongs; nowhere when it is all of an answer. */
interface Place {
  readonly taskId?: string;
  readonly contextId?: string;
}

/** Tasks that were begun in a dialect without contexts are each their own. */
export function contextOf({ contextId, id }: Pick<Task, 'contextId' | 'id'>): string {
  return contextId ?? id;
}

export function messageForm(shape: Shape, message: MessageContent, place: Place): Fields {
  const { id, role, parts, metadata, extensions, references } = message;
  return {
    messageId: id,
    role: shape.roles[role],
    [shape.content]: parts.map(shape.writePart),
    ...place,
    ...(shape.isKinded && { kind: 'message' }),
    ...(metadata !== undefined && { metadata }),
    ...(extensions !== undefined && { extensions }),
    ...(references !== undefined && { referenceTaskIds: references }),
  };
}

/** @param historyLength of the last messages so many. @default all */
export function taskForm(shape: Shape, task: Task | TaskSummary, historyLength?: number): Fields {
  const place = placeOf(task);
  const history = 'history' in task && historyLength !== 0 ? task.history : [];
  const shown = historyLength === undefined ? history : history.slice(-historyLength);
  const artifacts = 'artifacts' in task ? task.artifacts : [];
  const metadata = 'metadata' in task ? task.metadata : {};
  return {
    ...(shape.isKinded && { kind: 'task' }),
    id: task.id,
    contextId: place.contextId,
    status: statusForm(shape, task, task.status),
    ...(artifacts.length > 0 && { artifacts: artifacts.map((made) => artifactForm(shape, made)) }),
    ...(shown.length > 0 && { history: shown.map((said) => messageForm(shape, said, place)) }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

function placeOf(task: Pick<Task, 'contextId' | 'id'>): Required<Place> {
  return { taskId: task.id, contextId: contextOf(task) };
}

function statusForm(
  shape: Shape,
  task: Pick<Task, 'contextId' | 'id'>,
  { state, at, message, failure }: TaskStatus,
): Fields {
  const place = placeOf(task);
  const said =
    message === undefined
      ? failure && failureForm(shape, place, failure)
      : messageForm(shape, message, place);
  return {
    state: shape.states[state],
    ...(said !== undefined && { message: said }),
    timestamp: at,
  };
}

/** No wire has a member for why a task failed: its words are said by the agent, and its code stands beside them. */
function failureForm(
  shape: Shape,
  place: Required<Place>,
  { code, message, retryable }: NonNullable<TaskStatus['failure']>,
): Fields {
  return {
    ...(shape.isKinded && { kind: 'message' }),
    messageId: `${place.taskId}-failure`,
    ...place,
    role: shape.roles.agent,
    [shape.content]: [shape.writePart({ text: message })],
    metadata: { failure: { code, retryable } },
  };
}

function artifactForm(shape: Shape, artifact: Artifact | ArtifactContent): Fields {
  const { id, name, description, parts, metadata, extensions } = artifact;
  return {
    artifactId: id,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    parts: parts.map(shape.writePart),
    ...(metadata !== undefined && { metadata }),
    ...(extensions !== undefined && { extensions }),
  };
}

/** A frame of a stream: the name of the message of the table that it is, the member that wraps it, and its members. */
export interface Frame {
  readonly message: 'Task' | 'Message' | 'TaskStatusUpdateEvent' | 'TaskArtifactUpdateEvent';
  readonly member: 'task' | 'message' | 'statusUpdate' | 'artifactUpdate';
  readonly fields: Fields;
}

/** What the caller said itself, and what others do for the task, nobody is told. */
export function stepFrame(shape: Shape, step: TaskStep, isLast: boolean): Frame | undefined {
  const { task, event } = step;
  if (event === undefined)
    return { message: 'Task', member: 'task', fields: taskForm(shape, task) };
  if (event.type === 'artifact') {
    const { artifact, append, last } = event;
    return {
      message: 'TaskArtifactUpdateEvent',
      member: 'artifactUpdate',
      fields: {
        ...(shape.isKinded && { kind: 'artifact-update' }),
        ...placeOf(task),
        artifact: artifactForm(shape, artifact),
        ...(append !== undefined && { append }),
        ...(last !== undefined && { lastChunk: last }),
      },
    };
  }
  const status = statusIn(step);
  return status && statusFrame(shape, task, status, isLast);
}

function statusFrame(shape: Shape, task: Task, status: TaskStatus, isLast: boolean): Frame {
  return {
    message: 'TaskStatusUpdateEvent',
    member: 'statusUpdate',
    fields: {
      ...(shape.isKinded && { kind: 'status-update' }),
      ...placeOf(task),
      status: statusForm(shape, task, status),
      ...(shape.hasFinal && { final: isLast }),
    },
  };
}

/** The status that the event brought; an answer of the caller brings one, too: the work goes on. */
function statusIn({ task, event }: TaskStep): TaskStatus | undefined {
  if (event?.type === 'message') return event.answers === undefined ? undefined : task.status;
  if (event?.type !== 'status') return undefined;
  // Progress while it waits for its owner does not hide the question.
  return event.status.state === task.status.state ? event.status : task.status;
}
