// Partials as lines and as events, signs of life between them, and errors after the first of them.

import { expect, test } from 'vitest';

import { checkMessage } from '../../../profiles/steerqa/index.ts';
import { newGate } from '../../support/dialect/works.ts';
import { AUTHORIZED, dimensionOffer, openAgent, verdictFor } from '../../support/steerqa/agent.ts';

const EARLY = { dimension: 'clarity', run_id: 'r1', score_stub: 55, top_issue_title: 'x' };
const HINT = {
  conflict_risk: 0.7,
  suggest_third_replica: ['clarity'],
  cap_violation_risk: { a: true },
};
const NDJSON = { accept: 'application/x-ndjson' };

test.each([['application/x-ndjson'], ['text/event-stream']])(
  'partials and one final as %s',
  async (accept) => {
    const agent = await openAgent({
      onTask: async function* (_task, { artifact }) {
        yield artifact({ name: 'steerqa.partial', json: { early_result: EARLY, note: 'kept' } });
        yield artifact({ name: 'steerqa.partial', json: { arbitration_hint: HINT, version: '9' } });
        yield artifact({ name: 'steerqa.final', json: verdictFor(EARLY) as never });
      },
    });
    const offer = dimensionOffer();
    const { status, headers, lines } = await agent.post(offer, { accept });
    expect([status, headers.get('content-type')]).toEqual([200, accept]);
    expect(lines.map((line) => checkMessage(line as never, true))).toEqual([
      { kind: 'early_partial' },
      { kind: 'hint_partial' },
      { kind: 'replica_result' },
    ]);
    const { task_id, trace_id, ttl, idempotency_key, agent_version } = offer;
    for (const line of lines) {
      expect(line).toMatchObject({
        version: '1.0',
        task_id,
        trace_id,
        ttl,
        idempotency_key,
        agent_version,
      });
    }
    expect(lines.map(({ status: state }) => state)).toEqual(['partial', 'partial', 'final']);
    expect(lines[0]).toMatchObject({ note: 'kept' });
  },
);

test('errors before the first partial have a status, errors after it travel in band', async () => {
  const agent = await openAgent({
    onTask: async function* (task, { artifact }) {
      if (task.text === 'late') {
        await artifact({ name: 'steerqa.partial', json: { early_result: EARLY } });
      }
      yield undefined;
      throw new Error('broken');
    },
  });
  const early = await agent.post(dimensionOffer(), NDJSON);
  expect([early.status, early.headers.get('content-type')]).toEqual([500, 'application/json']);
  const late = await agent.post(dimensionOffer({ prompt: 'late' }), NDJSON);
  expect(late.status).toBe(200);
  expect(late.lines.map(({ message_type: type, code }) => [type, code])).toEqual([
    ['task_result', undefined],
    ['error', 'INTERNAL'],
  ]);
  const events = await agent.post(dimensionOffer({ prompt: 'late' }), {
    accept: 'text/event-stream',
  });
  expect(events.lines.at(-1)).toMatchObject({ code: 'INTERNAL', retryable: true });
  expect(agent.told.filter((line) => line === 'steerqa INTERNAL')).toHaveLength(3);
});

test('a silent stream shows that it goes on, and who joins is told what came before', async () => {
  const gate = newGate();
  const agent = await openAgent({
    face: { heartbeatMs: 20 },
    onTask: async function* (_task, { artifact }) {
      await artifact({ name: 'steerqa.partial', json: { early_result: EARLY } });
      await gate.opened;
      yield artifact({ name: 'steerqa.final', json: verdictFor(EARLY) as never });
    },
  });
  const offer = dimensionOffer();
  const response = await fetch(agent.url, {
    method: 'POST',
    headers: { ...AUTHORIZED, ...NDJSON, 'content-type': 'application/json' },
    body: JSON.stringify(offer),
  });
  let text = '';
  const decoder = new TextDecoder();
  const reader = response.body!.getReader();
  const read = async (): Promise<boolean> => {
    const { value, done } = await reader.read();
    text += decoder.decode(value, { stream: true });
    return done;
  };
  while (!text.endsWith('\n\n\n')) await read();
  const joined = agent.post(offer, NDJSON);
  gate.open();
  while (!(await read()));
  const lines = text.split('\n').filter((line) => line !== '');
  expect(lines.map((line) => (JSON.parse(line) as Record<string, unknown>)['status'])).toEqual([
    'partial',
    'final',
  ]);
  const after = await joined;
  expect(after.lines.map(({ status }) => status)).toEqual(['partial', 'final']);
  expect(after.text.split('\n').at(-2)).toBe(lines.at(-1));
});

test('the work of who has gone goes on and is kept', async () => {
  const gate = newGate();
  let runs = 0;
  const agent = await openAgent({
    onTask: async function* (_task, { artifact }) {
      runs += 1;
      await gate.opened;
      yield artifact({ name: 'steerqa.final', json: verdictFor(EARLY) as never });
    },
  });
  const offer = dimensionOffer();
  const leaving = new AbortController();
  const gone = fetch(agent.url, {
    method: 'POST',
    headers: { ...AUTHORIZED, 'content-type': 'application/json' },
    body: JSON.stringify(offer),
    signal: leaving.signal,
  }).catch(() => 'gone');
  await expect.poll(() => runs).toBe(1);
  leaving.abort();
  expect(await gone).toBe('gone');
  gate.open();
  expect((await agent.post(offer)).status).toBe(200);
  expect(runs).toBe(1);
});
