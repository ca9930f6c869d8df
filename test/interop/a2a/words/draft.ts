// Owns the words of PenguiFlow: tasks are snapshots of its own form, around JSON of the draft.

import type { Json } from '../../../support/a2a/ask.ts';
import type { Hook, SaidMessage, SaidPart, SeenArtifact, SeenTask, Step } from '../client.ts';
import type { Words } from './words.ts';
import { listIn, objectIn, partsOf, present, textIn } from './words.ts';

/** The draft has two l. */
function wordOf(state: Json | undefined): string {
  return state === 'cancelled' ? 'canceled' : textIn(state);
}

function readPart(json: Json): SaidPart {
  const { text, data, file } = objectIn(json);
  if (text !== undefined) return { text: textIn(text) };
  if (data !== undefined) return { data: objectIn(data)['data'] ?? null };
  const { fileWithBytes, fileWithUri, mediaType, name } = objectIn(file);
  return present({ raw: fileWithBytes, url: fileWithUri, mediaType, filename: name }) as SaidPart;
}

function readMessage(json: Json): SaidMessage {
  const { role, parts, taskId, contextId, metadata } = objectIn(json);
  return {
    role: role === 'user' ? 'user' : 'agent',
    parts: listIn(parts).map(readPart),
    ...present({ taskId, contextId, metadata }),
  } as SaidMessage;
}

function readArtifact(json: Json): SeenArtifact {
  const { artifactId, parts } = objectIn(json);
  return { id: textIn(artifactId), parts: listIn(parts).map(readPart) };
}

function readTask(json: Json): SeenTask {
  const { task_id: id, context_id: contextId, status, history, artifacts, meta } = objectIn(json);
  const { state, timestamp, message } = objectIn(status);
  return {
    id: textIn(id),
    contextId: textIn(contextId),
    state: wordOf(state),
    at: textIn(timestamp),
    words: textIn(message),
    history: listIn(history).map(readMessage),
    artifacts: listIn(artifacts).map(readArtifact),
    metadata: objectIn(meta),
  };
}

/** What ends badly or waits is told by raising: what ends otherwise has ended well. */
function readStep(json: Json): Step {
  const { event, rests, failed } = objectIn(json);
  if (rests !== undefined) {
    const { id, contextId, state, words } = readTask(rests);
    return { kind: 'status', taskId: id, contextId, state, text: words };
  }
  if (failed !== undefined) {
    const text = textIn(failed);
    return { kind: 'status', state: text === 'cancelled' ? 'canceled' : 'failed', text };
  }
  const {
    task_id: taskId,
    context_id: contextId,
    kind,
    status,
    text,
    done,
    meta,
  } = objectIn(event);
  const place = { taskId: textIn(taskId), contextId: textIn(contextId) };
  const { append, last_chunk: last } = objectIn(meta);
  if (typeof text === 'string') {
    return {
      kind: 'artifact',
      ...place,
      text,
      append: append === true,
      isLastChunk: last === true,
    };
  }
  const { state, message } = objectIn(status);
  const isFinal = done === true;
  const told = isFinal ? 'completed' : wordOf(state);
  return {
    kind: kind === 'task' ? 'task' : 'status',
    ...place,
    ...present({ state: told }),
    text: textIn(message),
    isFinal,
  };
}

function readHook(json: Json): Hook {
  const { id, url, token, authentication } = objectIn(objectIn(json)['config']);
  const { schemes, credentials } = objectIn(authentication);
  return {
    ...present({ id, url, token }),
    ...(authentication !== undefined && {
      authentication: present({ scheme: listIn(schemes)[0], credentials }),
    }),
  } as unknown as Hook;
}

export const DRAFT_WORDS: Words = {
  send: (wish) => {
    const { taskId, contextId, metadata, isWaiting = true, expects = 'task' } = wish;
    const [{ text, data }] = partsOf(wish) as [SaidPart];
    return {
      payload: text ?? data ?? null,
      ...present({ taskId, contextId, metadata }),
      blocking: isWaiting,
      expects,
    };
  },
  task: (id, historyLength) => ({
    task_id: id,
    ...present({ history_length: historyLength }),
  }),
  list: ({ contextId, state, pageSize, pageToken, historyLength, includeArtifacts }) =>
    present({
      context_id: contextId,
      status: state === 'canceled' ? 'cancelled' : state,
      page_size: pageSize,
      page_token: pageToken,
      history_length: historyLength,
      include_artifacts: includeArtifacts,
    }),
  hook: (taskId, { id, url, token, authentication }) => ({
    task_id: taskId,
    config_id: id ?? '',
    config: {
      ...present({ id, url, token }),
      ...(authentication !== undefined && {
        authentication: {
          schemes: [authentication.scheme],
          credentials: authentication.credentials,
        },
      }),
    },
  }),
  hookId: (taskId, id) => ({ task_id: taskId, config_id: id }),
  readAnswer: (json) => {
    const { answer } = objectIn(json);
    if (answer === undefined) return { task: readTask(json) };
    return { message: { role: 'agent', parts: [{ text: textIn(objectIn(answer)['result']) }] } };
  },
  readTask,
  readStep,
  readPage: (json) => {
    const { tasks, next_page_token: next, page_size: size, total_size: total } = objectIn(json);
    return {
      tasks: listIn(tasks).map(readTask),
      nextPageToken: textIn(next),
      pageSize: Number(size ?? 0),
      totalSize: Number(total ?? 0),
    };
  },
  readHook,
  readHooks: (json) => listIn(json).map(readHook),
  readCard: (json) => {
    const { name, description } = objectIn(json);
    return { name: textIn(name), description: textIn(description) };
  },
};
