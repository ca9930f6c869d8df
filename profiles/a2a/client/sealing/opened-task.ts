// Owns a task that was opened, as the client tells it: what is proven of it, and what the path says where that says no
// more than what was proven. SPEC.md section 20.1 (#a2a-client-sealed).

import type { Artifact, Message } from '../../../../src/door/index.ts';
import { createArtifact, createMessage } from '../../../../src/door/index.ts';
import type { Opened } from '../../sealed/opened.ts';
import type { A2aStatus, A2aTask } from '../model.ts';
import { artifactFrom, envelopesIn, messageFrom } from './bags.ts';

/** What was opened, of a task or of an event that shows it. */
type OpenedPieces = Pick<Opened, 'messages' | 'saidAt' | 'artifacts' | 'state' | 'claimedState'>;

/** @param nameOf what who asked calls a message of which the path shows the id. */
export function openedTask(
  { id, contextId, status, history }: A2aTask,
  { messages, saidAt, artifacts, state }: OpenedPieces,
  nameOf: (outerId: string) => string | undefined,
): A2aTask {
  const said = new Map(saidAt.map((where, at) => [where, messageFrom(messages[at] as object)]));
  return {
    id,
    ...(contextId !== undefined && { contextId }),
    status: openedStatus(status, state, said.get('status.message')),
    artifacts: artifacts.map((bag) => createArtifact(artifactFrom(bag as object), false)),
    history: history.flatMap((message, at) =>
      message.role === 'user' ? asked(message, nameOf) : (said.get(`history[${at}]`) ?? []),
    ),
  };
}

export function openedStatus(
  { state, at }: A2aStatus,
  proven: A2aStatus['state'] | undefined,
  message: Message | undefined,
): A2aStatus {
  return {
    state: proven ?? state,
    ...(at !== undefined && { at }),
    ...(message !== undefined && { message }),
  };
}

/** That it was asked; what was asked is for the agent alone. */
function asked(
  message: Message,
  nameOf: (outerId: string) => string | undefined,
): readonly Message[] {
  const id = nameOf(message.id);
  return id === undefined ? [] : [createMessage({ id, role: 'user', parts: [] })];
}

/** Its id and its state, which are on the path; nothing of what it says. */
export function withoutContent({ id, contextId, status: { state, at } }: A2aTask): A2aTask {
  return {
    id,
    ...(contextId !== undefined && { contextId }),
    status: { state, ...(at !== undefined && { at }) },
    artifacts: [],
    history: [],
  };
}

/** Is anything of it in an envelope? */
export function hasEnvelopes({ status, artifacts, history }: A2aTask): boolean {
  const pieces: readonly (Message | Artifact)[] = [...artifacts, ...history];
  return [...pieces, ...(status.message === undefined ? [] : [status.message])].some(
    (piece) => envelopesIn(piece).length > 0,
  );
}
