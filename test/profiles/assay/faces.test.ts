// Evidence from every face: what it takes in and what it sends, in the file of the run and in the audit log.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { EvidenceOptions } from '../../../profiles/assay/index.ts';
import { digestText } from '../../../profiles/assay/canonical.ts';
import { createMemoryStore } from '../../../src/stores/memory.ts';
import { createMemoryHub } from '../../../transports/memory/index.ts';
import { introduce, newAgent } from '../../support/agents/agents.ts';
import { newFolder } from '../../support/agents/cli.ts';
import type { RunRecord } from '../../support/assay/runs.ts';
import {
  checkFile,
  linesOf,
  newRun,
  operationsIn,
  recordsOf,
  shortOf,
} from '../../support/assay/runs.ts';
import { DialectAgent } from '../../support/dialect/agent.ts';
import { PLAIN, SDL_FACES } from '../../support/dialect/faces.ts';
import { doing } from '../../support/dialect/works.ts';

const BINDINGS: Readonly<Record<string, object>> = {
  'SDL over HTTP': { protocol: 'sdl', version: '1', binding: 'http' },
  'SDL over WebSocket': { protocol: 'sdl', version: '1', binding: 'ws' },
  'SDL over a Unix socket': { protocol: 'sdl', version: '1', binding: 'ipc' },
  'plain JSON over HTTP': { protocol: 'plain', binding: 'http' },
};

const work = doing(async function* (_task, ctx) {
  yield ctx.progress('on it');
  yield ctx.artifact({
    id: 'a-1',
    name: 'answer',
    text: 'what nobody else sees',
    mediaType: 'text/plain',
  });
});
const asking = doing(async (_task, ctx) => (await ctx.ask('which one?')).text);

function isAccepted({ type }: RunRecord): boolean {
  return /\.(task\.requested|message)$/.test(type);
}

/** Those whose callers name their tasks, and whose bytes are kept. */
const NAMING = [...SDL_FACES, PLAIN];

describe.each(NAMING)('$name', (face) => {
  async function open(options: Partial<EvidenceOptions> = {}): Promise<{
    readonly agent: DialectAgent;
    readonly finish: () => Promise<RunRecord[]>;
    readonly path: string;
    readonly store: ReturnType<typeof createMemoryStore>;
  }> {
    const sink = newRun(options);
    const store = createMemoryStore();
    const agent = await DialectAgent.open({ evidence: sink, store });
    onTestFinished(() => agent.close());
    const finish = async (): Promise<RunRecord[]> => {
      await agent.close();
      return recordsOf(sink.path);
    };
    return { agent, finish, path: sink.path, store };
  }

  test('a task from its request to its end', async () => {
    const rawDirectory = newFolder();
    const { agent, finish, path, store } = await open({ rawDirectory });
    const caller = await face.caller(agent);
    const { id } = await caller.run({ text: work, id: 'task-1' });
    expect(id).toBe('task-1');
    const records = await finish();
    const [first, ...others] = records;
    const { agentId } = agent.runtime;

    expect(first).toMatchObject({
      type: 'assay.adapter.a2a.task.requested',
      subject: 'task-1',
      assayproducer: 'a2a-sdl',
      source: agentId,
      data: {
        agent: { id: caller.owner },
        task: { id: 'task-1', status: 'requested' },
        message: { role: 'user' },
        attributes: { source: BINDINGS[face.name]! },
        handoff: { visible: false },
        unmapped_fields_count: 0,
      },
    });
    expect(others.every((record) => record.data.agent.id === agentId)).toBe(true);
    expect(others.every((record) => record.data.attributes.peer === caller.owner)).toBe(true);
    const told = others.map(shortOf);
    expect(told).toContain('task.updated completed');
    expect(told).toContain('artifact.shared answer');
    const artifact = others.find(({ data }) => data.artifact !== undefined)!;
    expect(artifact).toMatchObject({
      subject: 'a-1',
      data: { artifact: { id: 'a-1', name: 'answer', media_type: 'text/plain' } },
    });

    // The run is whole, every line is in its one form, and nothing of what was said is in it.
    const report = await checkFile(path);
    expect(report).toMatchObject({ ok: true, events: records.length });
    for (const line of linesOf(path)) {
      expect(digestText(JSON.parse(line) as never)).toBe(line);
      expect(line).not.toMatch(/nobody else|on it|work-\d|verified|authori[sz]ed|succe/i);
    }

    // Both hashes stand in the audit log, and the bytes are where they were to be kept.
    const raw = first!.data.attributes.raw!.sha256;
    const operations = await operationsIn(store, agentId);
    const start = operations.find(({ operation }) => operation === 'start');
    expect(start).toMatchObject({
      verdict: 'ok',
      task: 'task-1',
      evidence: first!.assaycontenthash,
      raw,
    });
    const bytes = readFileSync(join(rawDirectory, raw));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(raw);
  });

  test('every message to a task, and only what was sent', async () => {
    const { agent, finish, path } = await open();
    const caller = await face.caller(agent);
    const { id } = await caller.run(asking);
    await caller.say(id, 'this one');
    for await (const step of caller.follow(id, 0)) if (step.state === 'completed') break;
    const records = await finish();
    const accepted = records.filter(isAccepted);
    expect(accepted.map(shortOf)).toEqual(['task.requested requested', 'message']);
    // The id was made here: the request did not name it, and what came later did.
    expect(accepted.map(({ data }) => data.task?.id)).toEqual(['unknown-task', id]);
    expect(accepted[1]!.subject).toBe(accepted[1]!.data.message!.id);
    const states = records.map(shortOf);
    expect(states).toContain('task.updated input-required');
    expect(states).toContain('task.updated completed');
    expect(await checkFile(path)).toMatchObject({ ok: true });
  });

  test('what is refused leaves nothing', async () => {
    const { agent, finish } = await open();
    const caller = await face.caller(agent);
    face.change(agent, caller, 'revoke');
    await expect(caller.run(work)).rejects.toThrow();
    expect(await finish()).toEqual([]);
  });
});

describe('the kind of a task (#assay-sink)', () => {
  test.each([
    [{ id: 't-1', kind: 'delegation' }, true, true],
    [{ kind: 'delegation' }, true, false],
    [{ id: 't-1', kind: 'analysis' }, false, false],
    [{ id: 't-1' }, false, false],
  ])(
    'is that of context.task, and never guessed: %j',
    async (task: { id?: string; kind?: string }, visible, taskSeen) => {
      const sink = newRun();
      const receiver = await newAgent({ evidence: sink });
      const hub = createMemoryHub();
      const sender = await newAgent({ transports: [hub.transport('sender')] });
      onTestFinished(() => sender.runtime.close({ graceMs: 0 }));
      introduce(sender, receiver, 'memory:receiver');
      await receiver.runtime.listen(hub.transport('receiver'));
      const payload = {
        kind: 'task.v1',
        goal: 'delegation',
        inputs: { kind: 'delegation' },
        constraints: { time_budget_s: 20, compute_budget: 'low', safety: {} },
        deliverables: [],
        acceptance: [],
        context: { task, role: 'planner' },
      };
      const peer = sender.runtime.connect(receiver.identity.agentId);
      await peer.request({ ct: 'task.v1', payload }).result();
      await receiver.runtime.close({ graceMs: 0 });
      const [requested, ...others] = recordsOf(sink.path);
      expect(requested!.data.handoff).toEqual({
        visible,
        source_kind: visible ? 'typed_payload' : 'unknown',
        task_ref_visible: taskSeen,
        message_ref_visible: visible,
      });
      expect(requested!.data.task?.kind).toBe(task.kind);
      // Nothing but the request shows it.
      expect(others.every(({ data }) => data.handoff['visible'] === false)).toBe(true);
    },
  );
});

test('without a folder for them no bytes are kept', async () => {
  const directory = newFolder();
  const sink = newRun({ directory });
  const { runtime } = await newAgent({ evidence: sink });
  await runtime.listenContext();
  expect(existsSync(sink.path)).toBe(true);
  await runtime.close();
  expect(sink.path.startsWith(directory)).toBe(true);
});
