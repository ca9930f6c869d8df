// Owns the words of packages that speak 1.0: the JSON of its protobuf messages.

import type { Json } from '../../../support/a2a/ask.ts';
import type { Hook, SaidMessage, SaidPart, SeenArtifact, SeenTask, Step } from '../client.ts';
import type { Words } from './words.ts';
import { listIn, newMessageId, objectIn, partsOf, present, textIn, textOf } from './words.ts';

function nameOf(state: string): string {
  return `TASK_STATE_${state.toUpperCase().replaceAll('-', '_')}`;
}

function wordOf(state: Json | undefined): string {
  return textIn(state).replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-');
}

function readPart(json: Json): SaidPart {
  const { text, data, raw, url, mediaType, filename } = objectIn(json);
  // Data may be `null`.
  const content = data === undefined ? present({ text, raw, url }) : { data };
  return { ...content, ...present({ mediaType, filename }) } as SaidPart;
}

function readMessage(json: Json | undefined): SaidMessage {
  const { role, parts, taskId, contextId, metadata } = objectIn(json);
  return {
    role: role === 'ROLE_USER' ? 'user' : 'agent',
    parts: listIn(parts).map(readPart),
    ...present({ taskId, contextId, metadata }),
  } as SaidMessage;
}

function readArtifact(json: Json): SeenArtifact {
  const { artifactId, parts } = objectIn(json);
  return { id: textIn(artifactId), parts: listIn(parts).map(readPart) };
}

function readTask(json: Json): SeenTask {
  const { id, contextId, status, history, artifacts, metadata } = objectIn(json);
  const { state, timestamp, message } = objectIn(status);
  return {
    id: textIn(id),
    contextId: textIn(contextId),
    state: wordOf(state),
    at: textIn(timestamp),
    words: textOf(readMessage(message).parts),
    history: listIn(history).map(readMessage),
    artifacts: listIn(artifacts).map(readArtifact),
    metadata: objectIn(metadata),
  };
}

function readStep(json: Json): Step {
  const { task, message, statusUpdate, artifactUpdate } = objectIn(json);
  if (task !== undefined) {
    const { id, contextId, state, words } = readTask(task);
    return { kind: 'task', taskId: id, contextId, state, text: words };
  }
  if (message !== undefined) return { kind: 'message', text: textOf(readMessage(message).parts) };
  const { taskId, contextId, status, artifact, append, lastChunk } = objectIn(
    statusUpdate ?? artifactUpdate,
  );
  const place = { taskId: textIn(taskId), contextId: textIn(contextId) };
  if (statusUpdate !== undefined) {
    const { state, message: said } = objectIn(status);
    const text = textOf(readMessage(said).parts);
    return { kind: 'status', ...place, state: wordOf(state), text };
  }
  return {
    kind: 'artifact',
    ...place,
    text: textOf(readArtifact(artifact!).parts),
    append: append === true,
    isLastChunk: lastChunk === true,
  };
}

function readHook(json: Json): Hook {
  const { id, url, token, authentication } = objectIn(json);
  return present({ id, url, token, authentication }) as unknown as Hook;
}

export const V1_WORDS: Words = {
  send: (wish) => {
    const { taskId, contextId, metadata, tenant, hook, historyLength, isWaiting = true } = wish;
    const message = {
      messageId: newMessageId(),
      role: 'ROLE_USER',
      parts: partsOf(wish) as unknown as readonly Json[],
      ...present({ taskId, contextId, metadata }),
    };
    const configuration = {
      returnImmediately: !isWaiting,
      ...present({ historyLength }),
      ...(hook !== undefined && { taskPushNotificationConfig: { ...hook } }),
    };
    return { message, configuration, ...present({ tenant }) };
  },
  task: (id, historyLength) => ({ id, ...present({ historyLength }) }),
  list: ({ state, since, ...filter }) => ({
    ...filter,
    ...(state !== undefined && { status: nameOf(state) }),
    ...(since !== undefined && { statusTimestampAfter: since }),
  }),
  hook: (taskId, hook) => ({ taskId, ...hook }),
  hookId: (taskId, id) => ({ taskId, id }),
  readAnswer: (json) => {
    const { task, message } = objectIn(json);
    return task === undefined ? { message: readMessage(message) } : { task: readTask(task) };
  },
  readTask,
  readStep,
  readPage: (json) => {
    const { tasks, nextPageToken, pageSize, totalSize } = objectIn(json);
    return {
      tasks: listIn(tasks).map(readTask),
      nextPageToken: textIn(nextPageToken),
      pageSize: Number(pageSize ?? 0),
      totalSize: Number(totalSize ?? 0),
    };
  },
  readHook,
  readHooks: (json) => listIn(objectIn(json)['configs']).map(readHook),
  readCard: (json) => {
    const { name, description } = objectIn(json);
    return { name: textIn(name), description: textIn(description) };
  },
};
