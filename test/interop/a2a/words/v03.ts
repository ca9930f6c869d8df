// Owns the words of packages that speak 0.3: objects that name themselves with `kind`, whatever the binding.

import type { Json } from '../../../support/a2a/ask.ts';
import type {
  Hook,
  JsonObject,
  SaidMessage,
  SaidPart,
  SeenArtifact,
  SeenTask,
  Step,
} from '../client.ts';
import type { Words } from './words.ts';
import { listIn, newMessageId, objectIn, partsOf, present, textIn, textOf } from './words.ts';

function partForm({ text, data, raw, url, mediaType, filename }: SaidPart): JsonObject {
  if (text !== undefined) return { kind: 'text', text };
  if (data !== undefined) return { kind: 'data', data };
  const file = present({ bytes: raw, uri: url, mimeType: mediaType, name: filename });
  return { kind: 'file', file };
}

function readPart(json: Json): SaidPart {
  const { kind, text, data, file } = objectIn(json);
  if (kind === 'text') return { text: textIn(text) };
  if (kind === 'data') return { data: data ?? null };
  const { bytes, uri, mimeType, name } = objectIn(file);
  return present({ raw: bytes, url: uri, mediaType: mimeType, filename: name }) as SaidPart;
}

function readMessage(json: Json | undefined): SaidMessage {
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
  const { id, contextId, status, history, artifacts, metadata } = objectIn(json);
  const { state, timestamp, message } = objectIn(status);
  return {
    id: textIn(id),
    contextId: textIn(contextId),
    state: textIn(state),
    at: textIn(timestamp),
    words: textOf(readMessage(message).parts),
    history: listIn(history).map(readMessage),
    artifacts: listIn(artifacts).map(readArtifact),
    metadata: objectIn(metadata),
  };
}

function readStep(json: Json): Step {
  const { kind, taskId, contextId, status, artifact, append, lastChunk, final } = objectIn(json);
  if (kind === 'task') {
    const { id, contextId: own, state, words } = readTask(json);
    return { kind, taskId: id, contextId: own, state, text: words };
  }
  if (kind === 'message') return { kind, text: textOf(readMessage(json).parts) };
  const place = { taskId: textIn(taskId), contextId: textIn(contextId) };
  if (kind === 'status-update') {
    const { state, message } = objectIn(status);
    const text = textOf(readMessage(message).parts);
    return { kind: 'status', ...place, state: textIn(state), text, isFinal: final === true };
  }
  return {
    kind: 'artifact',
    ...place,
    text: textOf(readArtifact(artifact!).parts),
    append: append === true,
    isLastChunk: lastChunk === true,
  };
}

function hookForm({ id, url, token, authentication }: Hook): JsonObject {
  return {
    ...present({ id, url, token }),
    ...(authentication !== undefined && {
      authentication: {
        schemes: [authentication.scheme],
        credentials: authentication.credentials,
      },
    }),
  };
}

function readHook(json: Json): Hook {
  const { id, url, token, authentication } = objectIn(objectIn(json)['pushNotificationConfig']);
  const { schemes, credentials } = objectIn(authentication);
  return {
    ...present({ id, url, token }),
    ...(authentication !== undefined && {
      authentication: present({ scheme: listIn(schemes)[0], credentials }),
    }),
  } as unknown as Hook;
}

export const V03_WORDS: Words = {
  send: (wish) => {
    const { taskId, contextId, metadata, hook, historyLength, isWaiting = true } = wish;
    return {
      message: {
        kind: 'message',
        messageId: newMessageId(),
        role: 'user',
        parts: partsOf(wish).map(partForm),
        ...present({ taskId, contextId, metadata }),
      },
      configuration: {
        blocking: isWaiting,
        ...present({ historyLength }),
        ...(hook !== undefined && { pushNotificationConfig: hookForm(hook) }),
      },
    };
  },
  task: (id, historyLength) => ({ id, ...present({ historyLength }) }),
  list: () => {
    throw new TypeError('0.3 has no lists');
  },
  hook: (taskId, hook) => ({ taskId, pushNotificationConfig: hookForm(hook) }),
  hookId: (taskId, id) => ({ id: taskId, pushNotificationConfigId: id }),
  readAnswer: (json) =>
    objectIn(json)['kind'] === 'message'
      ? { message: readMessage(json) }
      : { task: readTask(json) },
  readTask,
  readStep,
  readPage: () => {
    throw new TypeError('0.3 has no lists');
  },
  readHook,
  readHooks: (json) => listIn(json).map(readHook),
  readCard: (json) => {
    const { name, description } = objectIn(json);
    return { name: textIn(name), description: textIn(description) };
  },
};
