// Owns why a bridged task fails, in words that its owner may read: what the upstream says is marked as its own.
// SPEC.md section 20.2 (#bridge-states, #bridge-failures, #bridge-doubt).

import type { Message } from '../../../src/door/index.ts';
import { TaskError } from '../../../src/door/index.ts';
import { TransportError, writeJson } from '../../../src/transport.ts';
import { A2aRemoteError } from '../client/remote-error.ts';

/** Nobody knows what became of it. */
export const UNKNOWN = 'outcome: unknown';
const MOST_WORDS = 1_000;

/** Its words, as far as they are text; the first data where there are none. */
function wordsIn(message: Message | undefined): string {
  if (message === undefined) return '';
  if (message.text !== '' || message.data === undefined) return message.text.slice(0, MOST_WORDS);
  return new TextDecoder().decode(writeJson(message.data)).slice(0, MOST_WORDS);
}

export function saidBy(name: string, words: string): string {
  return words === '' ? `${name} does not say why` : `${name} says: ${words.slice(0, MOST_WORDS)}`;
}

export function failed(name: string, message: Message | undefined): TaskError {
  return new TaskError(saidBy(name, wordsIn(message)), { code: 'UPSTREAM_FAILED' });
}

export function rejected(name: string, message: Message | undefined): TaskError {
  return new TaskError(saidBy(name, wordsIn(message)), {
    code: 'UPSTREAM_REJECTED',
    rejects: true,
  });
}

export function canceled(name: string): TaskError {
  return new TaskError(`${name} canceled the task`, { code: 'UPSTREAM_CANCELED', cancels: true });
}

/** Nobody can tell whether a message has arrived. */
export function inDoubt(name: string): TaskError {
  const words = `whether the message reached ${name} is not known, and it is not sent again`;
  return new TaskError(`${words} (${UNKNOWN})`, { code: 'OUTCOME_UNKNOWN' });
}

/** It was away for too long before anything was sent. */
export function neverReached(name: string, cause: unknown): TaskError {
  const words = `${name} could not be reached (${reasonIn(cause)}): nothing was sent`;
  return new TaskError(words, { code: 'UPSTREAM_AWAY', retryable: true, cause });
}

/** @param isFirst nothing was begun. */
export function refused(name: string, error: A2aRemoteError, isFirst: boolean): TaskError {
  if (!isFirst && error.kind === 'TASK_NOT_FOUND') return lostTask(name, error);
  return new TaskError(saidBy(name, error.words), {
    code: 'UPSTREAM_REFUSED',
    rejects: isFirst,
    cause: error,
  });
}

/** What is thrown while a task of the upstream is followed. */
export function notFollowed(name: string, thrown: unknown): unknown {
  if (thrown instanceof A2aRemoteError) {
    return thrown.retryable ? away(name, thrown) : refused(name, thrown, false);
  }
  if (!(thrown instanceof TransportError)) return thrown;
  return thrown.fault === 'protocol' ? garbage(name, thrown) : away(name, thrown);
}

function away(name: string, cause: Error): TaskError {
  const words = `${name} does not answer any more (${reasonIn(cause)})`;
  return new TaskError(`${words}: ${UNKNOWN}`, { code: 'UPSTREAM_AWAY', cause });
}

function garbage(name: string, cause: TransportError): TaskError {
  const words = `what ${name} says cannot be read (${cause.message})`;
  return new TaskError(`${words}: ${UNKNOWN}`, { code: 'UPSTREAM_GARBAGE', cause });
}

function lostTask(name: string, cause: A2aRemoteError): TaskError {
  const words = `${name} does not know its task any more`;
  return new TaskError(`${words}: ${UNKNOWN}`, { code: 'UPSTREAM_TASK_LOST', cause });
}

function reasonIn(thrown: unknown): string {
  return thrown instanceof TransportError ? thrown.fault : 'refused';
}
