// Owns what has to be true after a seed of a bridge: the log of each of its tasks says what that of the upstream's task
// says, the client has seen just that, and nothing was done twice.

import { readFileSync } from 'node:fs';

import { expect } from 'vitest';

import type { A2aAgent, A2aTask } from '../../../../profiles/a2a/index.ts';
import { connectA2a } from '../../../../profiles/a2a/index.ts';
import type { BridgeEvidence } from './course.ts';
import type { Frame, NumberedFrame } from './frames.ts';
import { logOf } from './frames.ts';

/** How a task may end where the upstream cannot be blamed: nobody knows whether it has the message. */
const DOUBT = 'OUTCOME_UNKNOWN';

export async function checkBridge(evidence: BridgeEvidence): Promise<BridgeTally> {
  const [bridge, upstream] = [await connected(evidence.bridge), await connected(evidence.upstream)];
  const behind = new Map<string, A2aTask>();
  for (const task of await tasksOf(upstream)) {
    // Two for one message would be two runs.
    expect(behind.has(askedIn(task)), `twice at the upstream: ${askedIn(task)}`).toBe(false);
    behind.set(askedIn(task), task);
  }
  const seen = notesIn(evidence.notes);
  const tally = { tasks: 0, events: 0, doubts: 0 };
  for (const task of await tasksOf(bridge)) {
    const asked = askedIn(task);
    const log = await logOf(bridge, task);
    const made = behind.get(asked);
    const wanted = made === undefined ? [] : expanded(await logOf(upstream, made));
    const told = visible(log);
    tally.tasks += 1;
    tally.events += log.length;
    if (task.status.state === 'completed') {
      expect(told, asked).toEqual(wanted);
    } else {
      const failure = task.status.message?.metadata?.['failure'] as { readonly code?: string };
      expect([asked, task.status.state, failure.code]).toEqual([asked, 'failed', DOUBT]);
      expect(task.status.message?.text).toContain('outcome: unknown');
      tally.doubts += 1;
    }
    const noted = seen.get(task.id);
    // A task that the client did not learn of was never followed.
    if (noted !== undefined) expect(noted, `seen of ${asked}`).toEqual(log.slice(0, noted.length));
  }
  return tally;
}

export interface BridgeTally {
  readonly tasks: number;
  readonly events: number;
  readonly doubts: number;
}

/** It may just be started again. */
async function connected(origin: string): Promise<A2aAgent> {
  let agent: A2aAgent | undefined;
  const connect = async (): Promise<boolean> => {
    agent = await connectA2a(origin).catch(() => undefined);
    return agent !== undefined;
  };
  await expect.poll(connect, { timeout: 60_000 }).toBe(true);
  return agent!;
}

async function tasksOf(agent: A2aAgent): Promise<readonly A2aTask[]> {
  const { tasks } = await agent.list({ pageSize: 100, historyLength: 100 });
  return tasks;
}

function askedIn({ history }: A2aTask): string {
  return history[0]!.text;
}

/** What an owner sees of it; only questions that say the doubt may be beside what the upstream says. */
function visible(log: readonly NumberedFrame[]): readonly Frame[] {
  return log
    .map(({ frame }) => frame)
    .filter((frame) => !('bare' in frame))
    .filter((frame) => !('words' in frame && frame.words.includes('outcome: unknown')));
}

/** The log of the upstream, with what it has taken back as the bridge tells that. */
function expanded(log: readonly NumberedFrame[]): readonly Frame[] {
  const texts = new Map<string, string>();
  const frames: Frame[] = [];
  const tell = (artifact: string, text: string): void => {
    const before = text.startsWith('+') ? (texts.get(artifact) ?? '') : '';
    texts.set(artifact, before + text.slice(1));
    frames.push({ artifact, text });
  };
  for (const frame of visible(log)) {
    if ('artifact' in frame) tell(frame.artifact, frame.text);
    else if (!('whole' in frame)) frames.push(frame);
    else {
      for (const [id, text] of Object.entries(frame.whole)) {
        const known = texts.get(id);
        if (known === text) continue;
        if (known !== undefined && text.startsWith(known)) tell(id, `+${text.slice(known.length)}`);
        else tell(id, `=${text}`);
      }
      for (const [id, text] of texts) {
        if (!(id in frame.whole) && text !== '') tell(id, '=');
      }
    }
  }
  return frames;
}

/** By the id of the task. */
function notesIn(path: string): ReadonlyMap<string, readonly NumberedFrame[]> {
  const ids = new Map<string, string>();
  const noted = new Map<string, NumberedFrame[]>();
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [kind, name = '', word = '', ...rest] = line.split(' ');
    if (kind === 'task') ids.set(name, word);
    if (kind === 'task') noted.set(word, []);
    if (kind !== 'event') continue;
    const frame = JSON.parse(rest.join(' ')) as Frame;
    noted.get(ids.get(name)!)!.push({ at: Number(word), frame });
  }
  return noted;
}
