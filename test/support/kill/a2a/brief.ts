// Owns what a frame comes to, in words of no wire: so frames of every binding can be compared with the log of the task.

import type { TaskStep } from '../../../../src/tasks/event.ts';
import { textIn } from '../../../../src/tasks/part.ts';
import type { Task } from '../../../../src/tasks/task.ts';
import type { Json } from '../../a2a/ask.ts';
import { at, textAt } from '../../a2a/ask.ts';

/** `task STATE OUTPUT`, `status STATE WORDS` or `artifact + TEXT`, where `+` continues what was there. */
export type Brief = string;

/** The members of a frame, whatever its wire wraps them in. */
export interface FrameParts {
  readonly task: Json | undefined;
  readonly statusUpdate: Json | undefined;
  readonly artifactUpdate: Json | undefined;
}

const MESSAGES = ['message.parts', 'message.content', 'update.content'];

export function briefOf({ task, statusUpdate, artifactUpdate }: FrameParts): Brief {
  if (task !== undefined) {
    const artifacts = (at(task, 'artifacts') ?? []) as readonly Json[];
    return `task ${stateIn(task)} ${artifacts.map((artifact) => textOf(artifact, 'parts')).join('')}`;
  }
  if (statusUpdate !== undefined) {
    const status = at(statusUpdate, 'status');
    const words = MESSAGES.map((path) => textOf(status, path)).join('');
    return `status ${stateIn(statusUpdate)} ${words}`;
  }
  const sign = at(artifactUpdate, 'append') === true ? '+' : '=';
  return `artifact ${sign} ${textOf(at(artifactUpdate, 'artifact'), 'parts')}`;
}

/** What the stored step comes to; `undefined` for what no frame tells. */
export function storedBrief({ task, event }: TaskStep): Brief | undefined {
  if (event === undefined) return wholeBrief(task);
  if (event.type === 'artifact') {
    const sign = event.append === true ? '+' : '=';
    return `artifact ${sign} ${textIn(event.artifact.parts, '')}`;
  }
  if (event.type !== 'status') return undefined;
  return `status ${event.status.state} ${event.status.message?.text ?? ''}`;
}

export function wholeBrief({ status, artifacts }: Task): Brief {
  return `task ${status.state} ${artifacts.map(({ text }) => text).join('')}`;
}

/** The output of a client that does with frames what A2A says. */
export function outputOf(briefs: readonly Brief[]): string {
  let output = '';
  for (const brief of briefs) {
    const [kind, sign] = brief.split(' ', 2);
    const text = brief.slice(`${kind} ${sign} `.length);
    if (kind === 'task' || (kind === 'artifact' && sign === '=')) output = text;
    else if (kind === 'artifact') output += text;
  }
  return output;
}

export function isLast(brief: Brief): boolean {
  return /^(task|status) (completed|failed|canceled|rejected) /.test(brief);
}

function stateIn(value: Json | undefined): string {
  const state = textAt(value, 'status.state').replace('TASK_STATE_', '').toLowerCase();
  return state.replaceAll('_', '-').replace('cancelled', 'canceled');
}

function textOf(value: Json | undefined, path: string): string {
  const parts = (at(value, path) ?? []) as readonly Json[];
  return parts.map((part) => textAt(part, 'text')).join('');
}
