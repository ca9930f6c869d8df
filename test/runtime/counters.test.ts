// Counters as Prometheus reads them.

import { describe, expect, onTestFinished, test } from 'vitest';

import { SdlError } from '../../src/errors.ts';
import { createCounters } from '../../src/runtime/counters.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { StoreError } from '../../src/stores/store.ts';
import type { Runtime } from '../../src/runtime/runtime.ts';
import { PACKAGE_VERSION } from '../../src/version.ts';
import { createMemoryHub } from '../../transports/memory/index.ts';
import type { Agent } from '../support/agents/agents.ts';
import { introduce, newAgent } from '../support/agents/agents.ts';
import { Gate } from '../support/agents/tasks.ts';
import { readMetrics } from '../support/wire/prometheus.ts';

const outcome = { transport: 'http', isProven: true, isRetry: false, durationMs: 20 };
const quiet = { inFlight: 0, nowMs: 0 };

describe('#transport-admin counters', () => {
  test('count messages by what became of them', () => {
    const counters = createCounters(() => true);
    counters.count({ ...outcome, ct: 'task.v1' });
    counters.count({ ...outcome, ct: 'task.v1', durationMs: 700_000 });
    counters.count({ ...outcome, ct: 'task.v1', isRetry: true });
    counters.count({ ...outcome, error: new SdlError('REPLAYED', 'x'), stage: 'replay' });
    const text = counters.text({ ...quiet, inFlight: 3 });
    expect(text).toContain(
      'a2a_sdl_messages_total{transport="http",ct="task.v1",verdict="ok"} 2\n',
    );
    expect(text).toContain('verdict="retry"} 1\n');
    expect(text).toContain('ct="refused",verdict="REPLAYED"} 1\n');
    expect(text).toContain('a2a_sdl_message_seconds_count 4\n');
    expect(text).toContain('# TYPE a2a_sdl_in_flight gauge\na2a_sdl_in_flight 3\n');
    const exchanges = readMetrics(text).get('a2a_sdl_exchange_seconds')!.samples;
    const bucket = (le: string): number | undefined =>
      exchanges.get(`a2a_sdl_exchange_seconds_bucket{ct="task.v1",code="ok",le="${le}"}`);
    expect([bucket('0.01'), bucket('0.025'), bucket('600'), bucket('+Inf')]).toEqual([0, 2, 2, 3]);
    expect(exchanges.get('a2a_sdl_exchange_seconds_count{ct="none",code="BAD_REQUEST"}')).toBe(1);
    expect(readMetrics(text).get('a2a_sdl_build_info')!.samples).toEqual(
      new Map([[`a2a_sdl_build_info{version="${PACKAGE_VERSION}"}`, 1]]),
    );
  });

  test('a label cannot break out of its quotes', () => {
    const counters = createCounters(() => true);
    counters.count({ ...outcome, transport: 'a"b\\c\nd', ct: 'x.v1' });
    const text = counters.text(quiet);
    expect(text).toContain(String.raw`transport="a\"b\\c\nd"`);
    readMetrics(text);
  });

  test('tell of the outbox', () => {
    const outbox = { telling: 1, told: 2, failed: 3, givenUp: 4 };
    const families = readMetrics(createCounters(() => true).text({ ...quiet, outbox }));
    const of = (name: string): number | undefined =>
      families.get(`a2a_sdl_outbox_${name}`)?.samples.get(`a2a_sdl_outbox_${name}`);
    expect(['telling', 'told_total', 'failed_total', 'given_up_total'].map(of)).toEqual([
      1, 2, 3, 4,
    ]);
  });

  test('names that a sender invents make no series of their own, and no family grows without end', () => {
    const counters = createCounters((ct) => ct === 'task.v1');
    for (let at = 0; at < 5_000; at += 1) {
      counters.count({ ...outcome, ct: `made-up-${at}` });
      counters.count({ ...outcome, ct: 'task.v1', transport: `t${at}` });
    }
    const families = readMetrics(counters.text(quiet));
    expect(
      families
        .get('a2a_sdl_exchange_seconds')!
        .samples.get('a2a_sdl_exchange_seconds_count{ct="other",code="ok"}'),
    ).toBe(5_000);
    const { samples } = families.get('a2a_sdl_messages_total')!;
    expect(samples.size).toBeLessThan(1_100);
    expect([...samples.values()].reduce((sum, count) => sum + count, 0)).toBe(10_000);
  });
});

async function metricsOf(runtime: Runtime): Promise<(name: string, labels?: string) => number> {
  const families = readMetrics((await runtime.listenContext()).metrics());
  return (name, labels = '') => {
    const key = `a2a_sdl_${name}${labels === '' ? '' : `{${labels}}`}`;
    const family = [...families].find(([, { samples }]) => samples.has(key));
    if (family === undefined) throw new Error(`there is no ${key}`);
    return family[1].samples.get(key)!;
  };
}

/** One that asks and one that is asked. */
async function pair(options: Parameters<typeof newAgent>[0]): Promise<[Agent, Agent]> {
  const hub = createMemoryHub();
  const asking = await newAgent({ transports: [hub.transport('asking')] });
  const asked = await newAgent(options);
  introduce(asking, asked, 'memory:asked');
  await asked.runtime.listen(hub.transport('asked'));
  onTestFinished(async () => {
    await asking.runtime.close({ graceMs: 0 });
    await asked.runtime.close({ graceMs: 0 });
  });
  return [asking, asked];
}

describe('#transport-admin the metrics of a runtime', () => {
  test('tell of its tasks and who follows them', async () => {
    const gate = new Gate();
    const [asking, asked] = await pair({
      onTask: async ({ text: goal }, ctx) => {
        if (goal === 'ask') return ctx.ask('which?');
        await gate.opened;
        if (goal === 'fail') throw new Error('it did not work');
        return 'done';
      },
    });
    const peer = asking.runtime.connect(asked.identity.agentId);
    const before = await metricsOf(asked.runtime);
    expect(before('tasks', 'state="working"')).toBe(0);
    expect(before('oldest_task_seconds')).toBe(0);
    expect(before('tasks_started_total')).toBe(0);
    expect([before('outbox_telling'), before('outbox_told_total')]).toEqual([0, 0]);
    const constraints = { time_budget_s: 0 };
    await peer.task({ goal: 'wait', id: 'w', constraints }).result();
    await peer.task({ goal: 'fail', id: 'f', constraints }).result();
    await peer.task({ goal: 'ask', id: 'q' }).result();
    asking.clock.nowMs += 5_000;
    asked.clock.nowMs += 5_000;
    const watching = peer.request(
      {
        ct: 'toolcall.v1',
        payload: { tool: 'task.watch', call_id: 'c', args: { id: 'w' }, expect: {} },
      },
      { stream: true },
    );
    const events = watching[Symbol.asyncIterator]();
    await events.next();
    const during = await metricsOf(asked.runtime);
    expect(during('tasks', 'state="submitted"')).toBe(0);
    expect(during('tasks', 'state="working"')).toBe(2);
    expect(during('tasks', 'state="input-required"')).toBe(1);
    expect(during('oldest_task_seconds')).toBe(5);
    expect(during('tasks_started_total')).toBe(3);
    expect([during('streams'), during('watchers'), during('in_flight')]).toEqual([1, 1, 1]);
    await peer.call('task.cancel', { id: 'q' });
    gate.open();
    while ((await events.next()).done !== true);
    await peer.call('task.watch', { id: 'f' });
    const after = await metricsOf(asked.runtime);
    for (const state of ['completed', 'failed', 'canceled']) {
      expect(after('tasks_ended_total', `state="${state}"`)).toBe(1);
    }
    expect(after('tasks_ended_total', 'state="rejected"')).toBe(0);
    expect([after('streams'), after('watchers')]).toEqual([0, 0]);
    expect(after('oldest_task_seconds')).toBe(0);
  });

  test('tell what its stores did, how long it took and what failed', async () => {
    const store = createMemoryStore();
    const [asking, asked] = await pair({ store });
    const peer = asking.runtime.connect(asked.identity.agentId);
    await peer.call('sys.ping');
    const well = await metricsOf(asked.runtime);
    expect(well('store_call_seconds_count', 'store="main",operation="transact"')).toBeGreaterThan(
      0,
    );
    expect(() => well('store_errors_total', 'store="main",operation="put",fault="busy"')).toThrow();
    store.put = () => Promise.reject(new StoreError('busy', 'somebody else has it'));
    await expect((await asked.runtime.listenContext()).isReady()).resolves.toBe(false);
    const ill = await metricsOf(asked.runtime);
    expect(ill('store_errors_total', 'store="main",operation="put",fault="busy"')).toBe(1);
  });
});
