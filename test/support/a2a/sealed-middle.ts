// Owns one full exchange and the hands of somebody in the middle: what it can take apart and put together again.

import {
  Exchange,
  openTask,
  sealArtifact,
  sealMessage,
  sealStatus,
} from '../../../profiles/a2a/sealed/index.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import type { Ends, Exchanged, Shape, StoredTask } from './sealed.ts';
import { ASKED, DONE, storedTask } from './sealed.ts';

export interface Full extends Exchanged {
  readonly more: Shape;
  readonly third: Shape;
  readonly fourth: Shape;
  /** The agent says that it failed, too. */
  readonly failed: Shape;
}

const word = (id: string, text: string): Shape => ({
  messageId: id,
  role: 'ROLE_AGENT',
  parts: [{ text }],
});

export async function fullExchange({ user, agent }: Ends): Promise<Full> {
  const request = await sealMessage(ASKED, { identity: user, to: agent });
  const opened = await openTask(request, { identity: agent, peers: [user] });
  const by = { identity: agent, request: opened };
  const working = (text: string): Shape => ({
    state: 'TASK_STATE_WORKING',
    message: word(text, text),
  });
  const piece = (artifactId: string, text: string): Shape => ({ artifactId, parts: [{ text }] });
  const busy = await sealStatus(working('first'), by);
  const more = await sealStatus(working('second'), by);
  const one = await sealArtifact(piece('list', 'one'), by);
  const third = await sealArtifact(piece('sum', 'three'), by);
  const two = await sealArtifact(piece('list', 'two'), { ...by, append: true });
  const fourth = await sealArtifact(piece('sum', 'four'), { ...by, append: true, lastChunk: true });
  const twin = Exchange.from(JSON.parse(JSON.stringify(opened.exchange)) as JsonObject);
  const failed = await sealStatus({ state: 'TASK_STATE_FAILED' }, { ...by, request: twin });
  const done = await sealStatus({ state: 'TASK_STATE_COMPLETED', message: DONE }, by);
  return { request, opened, busy, more, one, two, third, fourth, done, failed };
}

export function taskOf(full: Full): StoredTask {
  const { request, busy, more, done, third, fourth } = full;
  const task = storedTask(full);
  return {
    ...task,
    history: [request, message(busy), message(more), message(done)],
    artifacts: [task.artifacts[0]!, { ...third, parts: [...parts(third), ...parts(fourth)] }],
  };
}

export const message = (status: Shape): Shape => status['message'] as Shape;
export const parts = (given: Shape): Shape[] => given['parts'] as Shape[];
export const envelopeOf = (given: Shape): Shape =>
  (parts(given)[0]!['data'] as Shape)['a2aSdl'] as Shape;
export const withEnvelope = (given: Shape, envelope: Shape): Shape => ({
  ...given,
  parts: [{ data: { a2aSdl: envelope } }],
});
/** Without the marks around envelopes; what is inside them stays. */
export function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripped);
  if (typeof value !== 'object' || value === null || Object.hasOwn(value, 'a2aSdl')) return value;
  const kept = Object.entries(value).filter(([name]) => !MARKS.has(name));
  return Object.fromEntries(kept.map(([name, one]) => [name, stripped(one)]));
}
const MARKS = new Set(['extensions', 'metadata', 'mediaType']);
export const PLAIN = word('own', 'the answer is 42');

/** With other parts in one of its artifacts. */
export const artifact = (task: StoredTask, index: number, with_: Shape[]): StoredTask => ({
  ...task,
  artifacts: task.artifacts.with(index, { ...task.artifacts[index]!, parts: with_ }),
});
export const status = (task: StoredTask, more: Shape): StoredTask => ({
  ...task,
  status: { ...task.status, ...more },
});
