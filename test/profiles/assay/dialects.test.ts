// Evidence from the dialects that have a wire of their own: what came over SWP and SteerQA.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { createCallers } from '../../../profiles/auth/index.ts';
import { connectSwp, swp } from '../../../profiles/swp/index.ts';
import { createMemoryStore } from '../../../src/stores/memory.ts';
import { newAgent } from '../../support/agents/agents.ts';
import { newFolder } from '../../support/agents/cli.ts';
import { checkFile, newRun, operationsIn, recordsOf, shortOf } from '../../support/assay/runs.ts';
import { AUTHORIZED, intentOffer, openAgent } from '../../support/steerqa/agent.ts';

test('a Task of SWP: its kind, its own id and its frame', async () => {
  const rawDirectory = newFolder();
  const sink = newRun({ rawDirectory });
  const store = createMemoryStore();
  const { runtime, identity } = await newAgent({
    evidence: sink,
    store,
    callers: createCallers({ entries: [], anonymous: ['swp'] }),
    onTask: async (task) => `done: ${task.text}`,
  });
  onTestFinished(() => runtime.close({ graceMs: 0 }));
  const [face] = await runtime.listen(swp({ port: 0 }));
  const client = connectSwp(face!.urls[0]!);
  const taskId = new Uint8Array([0xff, 0x00]);
  expect(await client.give('delegation', { taskId, input: 'x' })).toMatchObject({ ok: true });
  await client.close();
  await runtime.close({ graceMs: 0 });

  const records = recordsOf(sink.path);
  const [requested] = records;
  expect(requested).toMatchObject({
    type: 'assay.adapter.a2a.task.requested',
    subject: 'ff00',
    data: {
      task: { id: 'ff00', status: 'requested', kind: 'delegation' },
      attributes: { source: { protocol: 'swp', version: '1', binding: 'swp' } },
      handoff: {
        visible: true,
        source_kind: 'typed_payload',
        task_ref_visible: true,
        message_ref_visible: true,
      },
    },
  });
  expect(records.map(shortOf)).toContain('task.updated completed');
  expect(new Set(records.map(({ data }) => data.task!.id))).toEqual(new Set(['ff00']));
  expect(await checkFile(sink.path)).toMatchObject({ ok: true, events: records.length });

  const { sha256: raw } = requested!.data.attributes.raw!;
  const bytes = readFileSync(join(rawDirectory, raw));
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(raw);
  expect(bytes.includes('delegation')).toBe(true);
  // The frame's own name, and not one that was made here.
  const { id: msgId, ...rest } = requested!.data.message!;
  expect(rest).toEqual({});
  expect(msgId).toMatch(/^[0-9a-f]{32}$/);
  expect(bytes.includes(Buffer.from(msgId, 'hex'))).toBe(true);
  const [start] = await operationsIn(store, identity.agentId);
  expect(start).toMatchObject({ face: 'swp', evidence: requested!.assaycontenthash, raw });
});

test('an end of SWP that comes at once: of a Task that is refused, and of one that is given again', async () => {
  const sink = newRun();
  const { runtime } = await newAgent({
    evidence: sink,
    callers: createCallers({ entries: [], anonymous: ['swp'] }),
    onTask: async (task) => `done: ${task.text}`,
  });
  onTestFinished(() => runtime.close({ graceMs: 0 }));
  const [face] = await runtime.listen(swp({ port: 0 }));
  const give = async (kind: string, taskId: string): Promise<boolean> => {
    const client = connectSwp(face!.urls[0]!);
    const { ok } = await client.give(kind, { taskId, input: 'no task' });
    await client.close();
    return ok;
  };
  expect(await give('task.v1', 'refused')).toBe(false);
  expect(await give('work', 'twice')).toBe(true);
  expect(await give('work', 'twice')).toBe(true);
  await runtime.close({ graceMs: 0 });
  const told = recordsOf(sink.path);
  const of = (id: string): string[] =>
    told.filter(({ data }) => data.task!.id === id).map((record) => shortOf(record));
  expect(of('refused')).toEqual(['task.requested requested', 'task.updated rejected']);
  const again = of('twice').slice(of('twice').lastIndexOf('task.requested requested'));
  expect(again).toEqual([
    'task.requested requested',
    'task.updated completed',
    expect.stringMatching(/^artifact\.shared/) as string,
  ]);
  expect(await checkFile(sink.path)).toMatchObject({ ok: true });
});

test('an offer of SteerQA: named as it names itself, and no hand-over', async () => {
  const sink = newRun();
  const agent = await openAgent({ evidence: sink });
  const offer = intentOffer({ ttl: 30_000 });
  const { status } = await agent.post(offer, AUTHORIZED);
  expect(status).toBe(200);
  await agent.close();
  const records = recordsOf(sink.path);
  expect(records[0]).toMatchObject({
    type: 'assay.adapter.a2a.task.requested',
    subject: offer['task_id'],
    data: {
      task: { id: offer['task_id'], status: 'requested' },
      attributes: { source: { protocol: 'steerqa', version: '1.0', binding: 'http' } },
      handoff: { visible: false, source_kind: 'unknown' },
    },
  });
  expect(records[0]!.data.message).toBeUndefined();
  const told = records.map(shortOf);
  expect(told).toContain('artifact.shared steerqa.final');
  expect(told).toContain('task.updated completed');
  expect(await checkFile(sink.path)).toMatchObject({ ok: true });
});
