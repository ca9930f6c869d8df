// Proves what evidence official A2A leaves over every wire and binding: of each message its bytes, of each answer and frame
// what it told.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { GrpcAgent } from '../../support/a2a/agent.ts';
import { grpcAgentFor } from '../../support/a2a/agent.ts';
import type { Json } from '../../support/a2a/ask.ts';
import { textAt } from '../../support/a2a/ask.ts';
import type { OpenStream } from '../../support/a2a/every/cell.ts';
import { EVERY_CELL } from '../../support/a2a/every/cell.ts';
import { newFolder } from '../../support/agents/cli.ts';
import type { RunRecord } from '../../support/assay/runs.ts';
import { checkFile, newRun, operationsIn, recordsOf, shortOf } from '../../support/assay/runs.ts';

interface Watched {
  readonly agent: GrpcAgent;
  readonly rawDirectory: string;
  readonly store: ReturnType<typeof createMemoryStore>;
  /** Closes the agent; the run is whole. */
  readonly finish: () => Promise<RunRecord[]>;
}

async function watched(): Promise<Watched> {
  const rawDirectory = newFolder();
  const sink = newRun({ rawDirectory });
  const store = createMemoryStore();
  const agent = await grpcAgentFor({ runtime: { evidence: sink, store } });
  const finish = async (): Promise<RunRecord[]> => {
    await agent.runtime.close({ graceMs: 0 });
    expect(await checkFile(sink.path)).toMatchObject({ ok: true });
    return recordsOf(sink.path);
  };
  return { agent, rawDirectory, store, finish };
}

/** Up to its end. */
async function restOf(stream: OpenStream): Promise<Json[]> {
  const frames: Json[] = [];
  for (let frame = await stream.next(); frame !== undefined; frame = await stream.next()) {
    frames.push(frame);
  }
  return frames;
}

const BINDINGS = { jsonrpc: 'JSONRPC', rest: 'HTTP+JSON', grpc: 'GRPC' } as const;

describe.each(EVERY_CELL)('$name #a2a-evidence #assay-sink', (cell) => {
  const source = {
    protocol: 'a2a',
    version: cell.wire === 'v1' ? '1.0' : '0.3',
    binding: BINDINGS[cell.binding],
  };
  const mediaType = cell.binding === 'grpc' ? /^application\/grpc\+proto$/ : /json$/;

  test('a message with its bytes, and the task that the answer holds', async () => {
    const { agent, rawDirectory, store, finish } = await watched();
    await cell.ask(agent, 'send', { text: 'chunks of whispers' });
    const [requested, ...others] = await finish();
    const { message } = requested!.data;
    expect(requested).toMatchObject({
      type: 'assay.adapter.a2a.task.requested',
      data: {
        agent: { id: '~none:a2a' },
        message: { id: expect.stringMatching(/^message-/) as string, role: 'user' },
        task: { id: 'unknown-task', status: 'requested' },
        attributes: { source, raw: { media_type: expect.stringMatching(mediaType) as string } },
        handoff: { visible: false },
      },
    });
    // Of the work only what the answer told: the end and what was made, nothing that happened before.
    expect(others.map(shortOf)).toEqual(['task.updated completed', 'artifact.shared']);
    expect(others.map(({ data }) => data.attributes.source)).toEqual([source, source]);
    expect(JSON.stringify([requested, others])).not.toContain('whispers');

    const { sha256: raw } = requested!.data.attributes.raw!;
    const bytes = readFileSync(join(rawDirectory, raw));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(raw);
    expect(bytes.toString()).toContain('chunks of whispers');
    expect(bytes.toString()).toContain(message!.id);
    const { agentId } = agent.runtime;
    const [start] = await operationsIn(store, agentId);
    const entry = { face: 'a2a', operation: 'start', evidence: requested!.assaycontenthash, raw };
    expect(start).toMatchObject(entry);
  });

  test('a further message names its task, and an answer that does not wait tells how it stands', async () => {
    const { agent, finish } = await watched();
    const sent = await cell.ask(agent, 'send', { text: 'ask', isWaiting: false });
    const id = textAt(sent.task, 'id');
    await cell.ask(agent, 'send', { id, text: 'red' });
    const records = await finish();
    expect(records.map(shortOf)[0]).toBe('task.requested requested');
    expect(records.map(shortOf)[1]).toMatch(/^task.updated (submitted|working|input-required)$/);
    const said = records.find(({ type }) => type.endsWith('.message'))!;
    expect(said.data.task!.id).toBe(id);
    expect(said.data.attributes.raw!.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(records.slice(-2).map(shortOf)).toEqual([
      'task.updated completed',
      'artifact.shared result',
    ]);
  });

  test('a stream frame by frame, a subscription from where it begins, and an end by cancel', async () => {
    const { agent, finish } = await watched();
    const frames = await restOf(await cell.open(agent, 'stream', { text: 'chunks' }));
    const held = await cell.ask(agent, 'send', { text: 'hold', isWaiting: false });
    const id = textAt(held.task, 'id');
    const stream = await cell.open(agent, 'subscribe', { id });
    await stream.next();
    await cell.ask(agent, 'cancel', { id });
    expect(await restOf(stream)).not.toEqual([]);
    const records = await finish();
    const told = records.map(shortOf);
    const second = told.lastIndexOf('task.requested requested');
    expect(told.slice(1, second)).toEqual([
      'task.updated submitted',
      'task.updated working',
      'task.updated working',
      'artifact.shared',
      'artifact.shared',
      'task.updated completed',
    ]);
    expect(frames).toHaveLength(second - 1);
    // The answer to the message, the subscription as it begins, and the end: to who canceled and to who listens.
    expect(told.slice(second + 1)).toEqual([
      expect.stringMatching(/^task.updated (submitted|working)$/),
      expect.stringMatching(/^task.updated (submitted|working)$/),
      'task.updated canceled',
      'task.updated canceled',
    ]);
    expect(records.every(({ data }) => data.attributes.source['binding'] === source.binding)).toBe(
      true,
    );
  });

  test('what is refused, or only looked at, leaves nothing', async () => {
    const { agent, finish } = await watched();
    await cell.ask(agent, 'send', { parts: [] });
    await cell.ask(agent, 'send', { id: 'no-such-task' });
    await cell.ask(agent, 'get', { id: 'no-such-task' });
    await cell.ask(agent, 'extendedCard');
    const records = await finish();
    // A message to a task that is not there was accepted before anybody looked for the task.
    expect(records.map(shortOf)).toEqual(['message']);
  });
});

test('an answer at once is told once #a2a-evidence', async () => {
  const sink = newRun();
  const agent = await grpcAgentFor({ runtime: { evidence: sink, accepts: () => 'at once' } });
  for (const cell of EVERY_CELL) await cell.ask(agent, 'send');
  await agent.runtime.close({ graceMs: 0 });
  const told = recordsOf(sink.path).map(shortOf);
  const once = ['task.requested requested', 'task.updated completed'];
  expect(told).toEqual(EVERY_CELL.flatMap(() => once));
});
