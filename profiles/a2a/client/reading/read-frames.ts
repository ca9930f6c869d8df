// Owns how answers to messages and the frames of streams are read: by the member that wraps them, by `kind`, or by what
// they are made of, since not every agent does what its wire says. SPEC.md section 20 (#a2a-client-reading).

import type { JsonObject, JsonValue } from '../../../../src/door/index.ts';
import { isJsonObject } from '../../../../src/transport.ts';
import type { Fields } from '../../fields/read.ts';
import type { Shape } from '../../wires/shape.ts';
import type { A2aEvent, A2aPage, A2aSent } from '../model.ts';
import { noAnswer, unreadable } from './protocol-fault.ts';
import { answerOf, artifactIn, fieldsOf, statusIn, taskOf, textIn } from './read-objects.ts';

type Kind = 'task' | 'message' | 'statusUpdate' | 'artifactUpdate';

const KINDS: Readonly<Record<string, Kind>> = {
  task: 'task',
  message: 'message',
  'status-update': 'statusUpdate',
  'artifact-update': 'artifactUpdate',
};
const WRAPPERS: readonly Kind[] = ['task', 'message', 'statusUpdate', 'artifactUpdate'];

/** The answer to a message. */
export function readSent(shape: Shape, value: JsonValue | undefined): A2aSent {
  const event = readEvent(shape, value);
  if (event.type === 'task') return { task: event.task };
  if (event.type !== 'message') throw noAnswer('it is neither a task nor a message');
  const { type: _type, ...answer } = event;
  return answer;
}

/** One frame of a stream, or the body of a notification. */
export function readEvent(shape: Shape, value: JsonValue | undefined): A2aEvent {
  if (value === undefined || !isJsonObject(value)) throw noAnswer('it is no object');
  const [kind, inner] = unwrapped(value);
  switch (kind) {
    case 'task':
      return { type: 'task', task: taskOf(shape, inner) };
    case 'message':
      return { type: 'message', ...answerOf(shape, inner) };
    case 'statusUpdate': {
      const fields = fieldsOf(shape, 'TaskStatusUpdateEvent', inner);
      const status = statusIn(shape, (fields['status'] ?? {}) as Fields);
      return { type: 'status', ...placeIn(fields), status, isLast: fields['final'] === true };
    }
    case 'artifactUpdate': {
      const fields = fieldsOf(shape, 'TaskArtifactUpdateEvent', inner);
      const artifact = artifactIn(shape, (fields['artifact'] ?? {}) as Fields);
      const { append = false, lastChunk = false } = fields;
      return {
        type: 'artifact',
        ...placeIn(fields),
        artifact,
        append: append === true,
        last: lastChunk === true,
      };
    }
    default:
      throw noAnswer('it is no task, message or event');
  }
}

function unwrapped(value: JsonObject): readonly [Kind | undefined, JsonObject] {
  const { kind } = value;
  if (typeof kind === 'string' && Object.hasOwn(KINDS, kind)) return [KINDS[kind], value];
  const bare = bareKind(value);
  if (bare !== undefined) return [bare, value];
  const [wrapper, ...more] = WRAPPERS.filter((name) => isJsonObject(value[name] ?? null));
  if (wrapper === undefined || more.length > 0) return [undefined, value];
  return [wrapper, value[wrapper] as JsonObject];
}

/** What it is made of tells what it is, where nothing is around it. */
function bareKind(value: JsonObject): Kind | undefined {
  const has = (name: string): boolean => value[name] !== undefined && value[name] !== null;
  if (has('artifact') && has('taskId')) return 'artifactUpdate';
  if (has('status')) return has('taskId') ? 'statusUpdate' : has('id') ? 'task' : undefined;
  return has('parts') || has('content') ? 'message' : undefined;
}

function placeIn(fields: Fields): { readonly taskId: string; readonly contextId?: string } {
  const [taskId, contextId] = [textIn(fields, 'taskId'), textIn(fields, 'contextId')];
  if (taskId === undefined) {
    throw unreadable('event', { field: 'taskId', description: 'is missing' });
  }
  return { taskId, ...(contextId !== undefined && { contextId }) };
}

export function readPage(shape: Shape, value: JsonValue | undefined): A2aPage {
  if (value === undefined || !isJsonObject(value)) throw noAnswer('it is no object');
  const { tasks = [], nextPageToken, totalSize } = value;
  if (!Array.isArray(tasks)) throw noAnswer('its list of tasks is no list');
  return {
    tasks: (tasks as readonly JsonValue[]).map((task) => taskOf(shape, task)),
    ...(typeof nextPageToken === 'string' && nextPageToken !== '' && { nextPageToken }),
    ...(typeof totalSize === 'number' && { totalSize }),
  };
}
