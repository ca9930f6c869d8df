// Owns what the client knows of messages, tasks and events in the form that is sealed and opened, JSON of 1.0, and back.
// SPEC.md section 22 (#sealed-content).

import type {
  Artifact,
  ArtifactContent,
  JsonObject,
  Message,
  MessageContent,
} from '../../../../src/door/index.ts';
import { createMessage } from '../../../../src/door/index.ts';
import { messageOf, neutralArtifact, neutralMessage, partOf } from '../../sealed-tasks/neutral.ts';
import { envelopeBeside, envelopeInPart } from '../../sealed/locate.ts';
import type { Bag } from '../../sealed/shapes/neutral.ts';
import { readArtifact, readMessage } from '../../sealed/shapes/read.ts';
import { writeState } from '../../sealed/shapes/state.ts';
import { writeArtifact, writeMessage } from '../../sealed/shapes/write.ts';
import type { A2aEvent, A2aStatus, A2aTask } from '../model.ts';

export function messageBag(message: MessageContent): JsonObject {
  return writeMessage(neutralMessage(message), {}, 'wire') as JsonObject;
}

export function taskBag({ id, status, artifacts, history }: A2aTask): Bag {
  return {
    id,
    status: statusBag(status),
    artifacts: artifacts.map((artifact) => writeArtifact(neutralArtifact(artifact), 'wire')),
    history: history.map(messageBag),
  };
}

export function eventBag(event: A2aEvent): Bag {
  switch (event.type) {
    case 'task':
      return taskBag(event.task);
    case 'message':
      return messageBag(event.message);
    case 'status':
      return { taskId: event.taskId, status: statusBag(event.status) };
    default: {
      const { taskId, artifact, append, last } = event;
      const told = writeArtifact(neutralArtifact(artifact), 'wire');
      return { taskId, artifact: told, append, lastChunk: last };
    }
  }
}

function statusBag({ state, message }: A2aStatus): Bag {
  return {
    state: writeState(state, 'wire'),
    ...(message !== undefined && { message: messageBag(message) }),
  };
}

/** Of something that was sealed or opened. */
export function messageFrom(bag: object): Message {
  const neutral = readMessage(bag as Bag)!;
  return createMessage(messageOf(neutral, neutral.messageId));
}

export function artifactFrom(bag: object): ArtifactContent {
  const { artifactId, parts, ...facts } = readArtifact(bag as Bag)!;
  return { id: artifactId, parts: parts.map(partOf), ...facts };
}

/** The envelopes of a message or an artifact; nothing of them has been looked at. */
export function envelopesIn({
  parts,
  metadata,
}: Pick<MessageContent | Artifact, 'parts' | 'metadata'>): readonly Bag[] {
  const inside = parts.map((part) => ('data' in part ? envelopeInPart(part) : undefined));
  const beside = metadata === undefined ? undefined : envelopeBeside({ metadata });
  return [...inside, beside].filter((one) => one !== undefined);
}
