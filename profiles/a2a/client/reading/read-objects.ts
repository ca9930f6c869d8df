// Owns how tasks, messages and artifacts of another agent are read, whatever wire it speaks: what is missing and does no
// harm is made up for. SPEC.md section 20 (#a2a-client-reading).

import type {
  Artifact,
  ArtifactContent,
  JsonObject,
  JsonValue,
  Message,
  Part,
  TaskState,
} from '../../../../src/door/index.ts';
import { createArtifact, createMessage } from '../../../../src/door/index.ts';
import { A2aError } from '../../errors/a2a-error.ts';
import type { Fields } from '../../fields/read.ts';
import { readTold } from '../../fields/read.ts';
import type { Shape } from '../../wires/shape.ts';
import type { A2aAnswer, A2aStatus, A2aTask } from '../model.ts';
import { unreadable } from './protocol-fault.ts';

const LONGEST_ID = 256;
const STATES: ReadonlySet<string> = new Set<TaskState>([
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'failed',
  'canceled',
  'rejected',
]);

/** The members of one message of the table. Throws a TransportError for what they cannot be. */
export function fieldsOf(shape: Shape, message: string, value: JsonValue | undefined): Fields {
  const { fields, violations } = readTold(shape.table, message, value);
  const [first] = violations;
  if (first === undefined) return fields;
  throw unreadable(wordFor(message), first);
}

export function taskOf(shape: Shape, value: JsonValue | undefined): A2aTask {
  return taskIn(shape, fieldsOf(shape, 'Task', value));
}

export function answerOf(shape: Shape, value: JsonValue | undefined): A2aAnswer {
  return answerIn(shape, fieldsOf(shape, 'Message', value));
}

function taskIn(shape: Shape, fields: Fields): A2aTask {
  const { metadata } = fields;
  const id = textIn(fields, 'id');
  if (id === undefined) throw unreadable('task', { field: 'id', description: 'is missing' });
  const contextId = textIn(fields, 'contextId');
  return {
    id,
    ...(contextId !== undefined && { contextId }),
    status: statusIn(shape, (fields['status'] ?? {}) as Fields),
    artifacts: listIn(fields, 'artifacts').map((artifact, at) =>
      wholeArtifact(shape, artifact, at),
    ),
    history: listIn(fields, 'history').map((message, at) =>
      messageIn(shape, message, `history-${at}`),
    ),
    ...(metadata !== undefined && { metadata: metadata as JsonObject }),
  };
}

function answerIn(shape: Shape, fields: Fields): A2aAnswer {
  const contextId = textIn(fields, 'contextId');
  return {
    message: messageIn(shape, fields, 'answer'),
    ...(contextId !== undefined && { contextId }),
  };
}

export function statusIn(shape: Shape, { state, message, timestamp }: Fields): A2aStatus {
  return {
    state: stateOf(state),
    ...(timestamp !== undefined && { at: timestamp as number }),
    ...(message !== undefined && { message: messageIn(shape, message as Fields, 'status') }),
  };
}

/** Every wire spells them in its own way, and some agents in another than they say. */
function stateOf(name: unknown): A2aStatus['state'] {
  if (typeof name !== 'string') return 'unknown';
  const word = name
    .replace(/^TASK_STATE_/i, '')
    .toLowerCase()
    .replaceAll('_', '-')
    .replace('cancelled', 'canceled');
  return STATES.has(word) ? (word as TaskState) : 'unknown';
}

/** @param spare its id where it has none. */
function messageIn(shape: Shape, fields: Fields, spare: string): Message {
  const { role, metadata, extensions, referenceTaskIds } = fields;
  return readable('message', () =>
    createMessage({
      id: (textIn(fields, 'messageId') ?? spare).slice(0, LONGEST_ID),
      role: typeof role === 'string' && /user$/i.test(role) ? 'user' : 'agent',
      parts: partsIn(shape, listIn(fields, shape.content)),
      ...(metadata !== undefined && { metadata: metadata as JsonObject }),
      ...(extensions !== undefined && { extensions: extensions as readonly string[] }),
      ...(referenceTaskIds !== undefined && { references: referenceTaskIds as readonly string[] }),
    }),
  );
}

/** @param at its place, for one without an id. */
export function artifactIn(shape: Shape, fields: Fields, at = 0): ArtifactContent {
  const { metadata, extensions } = fields;
  const [name, description] = [textIn(fields, 'name'), textIn(fields, 'description')];
  return {
    id: textIn(fields, 'artifactId') ?? name ?? `artifact-${at + 1}`,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    // Its parts are checked like those of a message.
    parts: readable('artifact', () =>
      createMessage({
        id: 'artifact',
        role: 'agent',
        parts: partsIn(shape, listIn(fields, 'parts')),
      }),
    ).parts,
    ...(metadata !== undefined && { metadata: metadata as JsonObject }),
    ...(extensions !== undefined && { extensions: extensions as readonly string[] }),
  };
}

function wholeArtifact(shape: Shape, fields: Fields, at: number): Artifact {
  return createArtifact(artifactIn(shape, fields, at), false);
}

function partsIn(shape: Shape, parts: readonly Fields[]): readonly Part[] {
  return parts.map((part, at) => withPlainType(shape.readPart(part, `parts[${at}]`)));
}

/** A media type that is none says nothing. */
function withPlainType(part: Part): Part {
  const { mediaType, ...rest } = part;
  if (mediaType === undefined) return part;
  try {
    createMessage({ id: 'type', role: 'agent', parts: [{ text: '', mediaType }] });
    return part;
  } catch {
    return rest;
  }
}

/** What the readers of the wires and of the model refuse, as an answer that is none. */
function readable<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof A2aError && thrown.violations[0] !== undefined) {
      throw unreadable(what, thrown.violations[0]);
    }
    if (!(thrown instanceof TypeError)) throw thrown;
    throw unreadable(what, { field: '', description: `has what it cannot: ${thrown.message}` });
  }
}

function listIn(fields: Fields, name: string): readonly Fields[] {
  return (fields[name] ?? []) as readonly Fields[];
}

/** An empty text is none. */
export function textIn(fields: Fields, name: string): string | undefined {
  const text = fields[name];
  return typeof text === 'string' && text !== '' ? text : undefined;
}

function wordFor(message: string): string {
  return message.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
}
