// One key, one piece of work: joined while it runs, given again with the same bytes when it has ended, also by the next
// process and after the ttl.

import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { steerqaOffer } from '../../../profiles/steerqa/index.ts';
import { TaskError } from '../../../src/tasks/error.ts';
import { openSqliteStore } from '../../../stores/sqlite/index.ts';
import { newGate } from '../../support/dialect/works.ts';
import { newFolder } from '../../support/agents/cli.ts';
import {
  INTENT_FINAL,
  dimensionOffer,
  forever,
  intentOffer,
  judge,
  openAgent,
} from '../../support/steerqa/agent.ts';

const fresh = (): Record<string, unknown> => ({ issued_at: new Date().toISOString() });

describe('#steerqa-idempotency the same offer again', () => {
  test('a hundred at once with one key run once, and all get the same bytes', async () => {
    let runs = 0;
    const agent = await openAgent({
      onTask: async function* (_task, { artifact }) {
        runs += 1;
        await new Promise((resolve) => setTimeout(resolve, 50));
        yield artifact({ name: 'steerqa.final', json: INTENT_FINAL });
      },
    });
    const offer = intentOffer();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        agent.post({ ...offer, ...fresh(), trace_id: `trace-${at}`, ttl: 5_000 + at }),
      ),
    );
    expect(runs).toBe(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  test('the same final bytes, also after the ttl, in every form', async () => {
    const agent = await openAgent();
    const offer = dimensionOffer({ ttl: 1_000 });
    const { text } = await agent.post(offer);
    const old = { ...offer, issued_at: '2020-01-01T00:00:00+02:00', ttl: 1, trace_id: 'another' };
    expect((await agent.post(old)).text).toBe(text);
    const lines = await agent.post(old, { accept: 'application/x-ndjson' });
    expect(lines.text.split('\n').at(-2)).toBe(text);
    const events = await agent.post(old, { accept: 'text/event-stream' });
    expect(events.text).toContain(`data: ${text}\n\n`);
  });

  test('numbers count by value and members in any order; everything else is another offer', async () => {
    const agent = await openAgent();
    const offer = intentOffer({ extra: { one: 1, two: [2] } });
    const { text } = await agent.post(offer);
    const turned = Object.fromEntries(Object.entries(offer).toReversed());
    const written = JSON.stringify(turned).replace('"one":1', '"one":1.0');
    expect((await agent.post(written)).text).toBe(text);
    for (const other of [{ extra: { one: 2, two: [2] } }, { prompt: 'x' }, { task_id: 'x' }]) {
      expect((await agent.post({ ...offer, ...other })).status).toBe(409);
    }
    const seed = (digits: string): string =>
      JSON.stringify(dimensionOffer({ idempotency_key: 'seeds' })).replace(
        '"seed":1',
        `"seed":${digits}`,
      );
    expect((await agent.post(seed('9007199254740993'))).status).toBe(200);
    expect((await agent.post(seed('9007199254740992'))).status).toBe(409);
    // Beside a number that no double holds, all others still count by value.
    const rewritten = seed('9007199254740993').replace('"k_replicas":3', '"k_replicas":3.0');
    expect((await agent.post(rewritten)).status).toBe(200);
    const asObject = rewritten.replace('{', '{"extra":{"number":"9007199254740995"},');
    const asNumber = rewritten.replace('{', '{"extra":9007199254740995,');
    const other = (body: string): string => body.replace('"seeds"', '"objects"');
    expect((await agent.post(other(asObject))).status).toBe(200);
    expect((await agent.post(other(asNumber))).status).toBe(409);
  });

  test('another agent of the same key is another offer, another build of it is in conflict', async () => {
    const agent = await openAgent();
    const key = { idempotency_key: 'one key' };
    expect((await agent.post(intentOffer(key))).status).toBe(200);
    const other = intentOffer({ ...key, agent_version: 'other@0.1.3' });
    expect((await agent.post(other)).status).toBe(200);
    const build = intentOffer({ ...key, agent_version: 'intent@0.1.4' });
    expect((await agent.post(build)).status).toBe(409);
  });

  test('what failed and may pass is not stored: the next one runs, even another offer', async () => {
    let runs = 0;
    const agent = await openAgent({
      onTask: async function* (task, context) {
        runs += 1;
        if (runs === 1) throw new TaskError('not yet');
        if (runs === 2) return;
        yield* judge(task, context) as AsyncGenerator<undefined>;
      },
    });
    const offer = intentOffer();
    expect((await agent.post(offer)).body['code']).toBe('INTERNAL');
    expect((await agent.post({ ...offer, prompt: 'x' })).body['code']).toBe(
      'SCHEMA_VALIDATION_FAILED',
    );
    const first = await agent.post(offer);
    expect([first.status, runs]).toEqual([200, 3]);
    expect((await agent.post(offer)).text).toBe(first.text);
    expect(runs).toBe(3);
  });

  test('refused offers are not stored', async () => {
    const agent = await openAgent({ face: { agents: ['intent@0.1.3'] } });
    const offer = intentOffer();
    expect((await agent.post({ ...offer, agent_version: 'intent@9' })).status).toBe(412);
    expect((await agent.post({ ...offer, prompt: '' })).status).toBe(400);
    expect((await agent.post(offer)).status).toBe(200);
  });
});

describe('#steerqa-deadline work that others wait for too', () => {
  test('goes on until the last deadline, whoever leaves', async () => {
    const gate = newGate();
    const deadlines: number[] = [];
    let runs = 0;
    const agent = await openAgent({
      onTask: async function* (_task, context) {
        runs += 1;
        const { artifact, signal } = context;
        await Promise.race([
          gate.opened,
          new Promise((end) => signal.addEventListener('abort', end)),
        ]);
        deadlines.push(context.deadline);
        yield artifact({ name: 'steerqa.final', json: INTENT_FINAL });
      },
    });
    const offer = intentOffer({ ttl: 400 });
    const leaving = new AbortController();
    const first = agent.post(offer);
    await expect.poll(() => runs).toBe(1);
    const gone = fetch(agent.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer token-of-the-root-agent',
      },
      body: JSON.stringify({ ...offer, ttl: 800 }),
      signal: leaving.signal,
    }).catch(() => 'gone');
    const last = agent.post({ ...offer, ...fresh(), ttl: 20_000 });
    expect((await first).body['code']).toBe('TIMEOUT');
    leaving.abort();
    expect(await gone).toBe('gone');
    gate.open();
    expect((await last).status).toBe(200);
    expect(runs).toBe(1);
    expect(deadlines[0]! - Date.now()).toBeGreaterThan(10_000);
    // Who had no time gets it now.
    expect((await agent.post({ ...offer, ...fresh() })).text).toBe((await last).text);
  });

  test('is over for all when nobody has more time, and then begins anew', async () => {
    let runs = 0;
    let isOver = false;
    const agent = await openAgent({
      onTask: (task, context) => {
        runs += 1;
        if (runs > 1) return judge(task, context);
        context.signal.addEventListener('abort', () => (isOver = true));
        return forever(task, context);
      },
    });
    const offer = intentOffer({ ttl: 200 });
    const both = await Promise.all([agent.post(offer), agent.post({ ...offer, ttl: 300 })]);
    expect(both.map(({ body }) => body['code'])).toEqual(['TIMEOUT', 'TIMEOUT']);
    // Who comes before would join it.
    await expect.poll(() => isOver, { timeout: 10_000 }).toBe(true);
    expect((await agent.post({ ...offer, ...fresh(), ttl: 5_000 })).status).toBe(200);
    expect(runs).toBe(2);
  });
});

test('a final survives the process, and work that was cut off goes on', async () => {
  const path = join(newFolder(), 'store.db');
  const offer = intentOffer({ ttl: 60_000 });
  const cut = intentOffer({ ttl: 60_000, prompt: 'wait' });
  let runs = 0;
  const onTask = async function* (
    task: Parameters<typeof judge>[0],
    context: Parameters<typeof judge>[1],
  ) {
    runs += 1;
    if (steerqaOffer(task)!.prompt === 'wait' && runs === 2) await forever(task, context);
    yield* judge(task, context) as AsyncGenerator<undefined>;
  };
  const first = await openSqliteStore({ path });
  const before = await openAgent({ store: first, onTask });
  const { text } = await before.post(offer);
  const lost = before.post(cut).catch(() => undefined);
  await expect.poll(() => runs).toBe(2);
  await before.close();
  await first.close();
  await lost;
  const second = await openSqliteStore({ path });
  const after = await openAgent({ store: second, onTask });
  expect((await after.post({ ...offer, ...fresh(), trace_id: 'later' })).text).toBe(text);
  const again = await after.post({ ...cut, ...fresh() });
  expect([again.status, runs]).toEqual([200, 3]);
  await after.close();
  await second.close();
});
