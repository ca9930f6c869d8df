// Owns what a stream tells of a task, in a form in which two logs can be compared: what is said, and how artifacts grow.

import type { A2aAgent, A2aEvent, A2aTask } from '../../../../profiles/a2a/index.ts';
import type { Artifact } from '../../../../src/door/index.ts';

/** Words of a status, a piece of an artifact (`+` goes on with it, `=` is all of it), or all artifacts. */
export type Frame =
  | { readonly words: string; readonly state: string }
  | { readonly artifact: string; readonly text: string }
  | { readonly whole: Readonly<Record<string, string>> }
  /** Nothing that an owner could see. */
  | { readonly bare: string };

export function frameOf(event: A2aEvent): Frame {
  if (event.type === 'artifact') {
    const { id } = event.artifact;
    return { artifact: id, text: (event.append ? '+' : '=') + textOf(event.artifact) };
  }
  if (event.type === 'task') {
    const { artifacts } = event.task;
    return { whole: Object.fromEntries(artifacts.map((one) => [one.id, textOf(one)])) };
  }
  if (event.type === 'message') return { words: event.message.text, state: 'answer' };
  const { state, message } = event.status;
  return message === undefined ? { bare: state } : { words: message.text, state };
}

/** All that was ever told of a task, by its log. */
export async function logOf(agent: A2aAgent, { id }: A2aTask): Promise<readonly NumberedFrame[]> {
  const frames: NumberedFrame[] = [];
  for await (const told of agent.subscribe(id, { lastEventId: '0' })) {
    frames.push({ at: Number(told.id), frame: frameOf(told.event) });
  }
  return frames;
}

export interface NumberedFrame {
  readonly at: number;
  readonly frame: Frame;
}

function textOf({ parts }: Pick<Artifact, 'parts'>): string {
  return parts.map((part) => ('text' in part ? part.text : '')).join('');
}
