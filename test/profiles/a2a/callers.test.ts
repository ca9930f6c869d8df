// Proves who is let in, that nobody sees the tasks of others or of another tenant, and that refusals are on record.

import { describe, expect, test } from 'vitest';

import type { Outcome } from '../../../src/pipeline/receive.ts';
import { agentFor } from '../../support/a2a/agent.ts';
import { ask, at, textAt } from '../../support/a2a/ask.ts';
import { CELLS } from '../../support/a2a/cells.ts';
import { readMetrics } from '../../support/wire/prometheus.ts';

describe.each(CELLS)('$name #a2a-callers', (cell) => {
  test('who shows nothing, or something wrong, is refused in the same words and challenged', async () => {
    const agent = await agentFor({ isOpen: false });
    for (const operation of ['send', 'stream', 'get', 'cancel', 'subscribe', 'listPush'] as const) {
      const nothing = await cell.ask(agent, operation, { id: 'x' });
      const wrong = await cell.ask(agent, operation, { id: 'x', as: 'of-nobody' });
      for (const answer of [nothing, wrong]) {
        expect(answer.status).toBe(401);
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm=/);
        expect(cell.reasonOf(answer)).toBe('UNAUTHENTICATED');
      }
      expect(wrong.text).toBe(nothing.text);
    }
    const sent = await cell.ask(agent, 'send', { text: 'hello', as: 'user' });
    expect(at(cell.taskOf(sent), 'status.state')).toBe(cell.stateOf('completed'));
  });

  test('who may not do it is told so with 403', async () => {
    const agent = await agentFor({ isOpen: false });
    const answer = await cell.ask(agent, 'send', { as: 'narrow' });
    expect([answer.status, cell.reasonOf(answer)]).toEqual([403, 'PERMISSION_DENIED']);
    expect(answer.headers.get('www-authenticate')).toContain('insufficient_scope');
  });

  test("another's task looks like none, to the byte", async () => {
    const agent = await agentFor({ isOpen: false });
    const sent = await cell.ask(agent, 'send', { text: 'ask', as: 'user' });
    const id = textAt(cell.taskOf(sent), 'id');
    for (const operation of ['get', 'cancel', 'subscribe', 'send', 'stream'] as const) {
      const [hidden, missing] = [
        await cell.fetch(agent, operation, { id, as: 'other' }),
        await cell.fetch(agent, operation, { id: 'x'.repeat(id.length), as: 'other' }),
      ];
      const text = await hidden.text();
      expect(text).toBe(await missing.text());
      expect(text).toMatch(/task.not.found/i);
    }
    if (cell.wire === 'v03') return;
    const list = await cell.ask(agent, 'list', { as: 'other' });
    expect(at(cell.resultOf(list), 'totalSize')).toBe(0);
    const own = await cell.ask(agent, 'list', { as: 'user' });
    expect(at(cell.resultOf(own), 'tasks.0.id')).toBe(id);
  });
});

describe.each(CELLS.filter(({ wire }) => wire !== 'v03'))('$name: tenants #a2a-callers', (cell) => {
  test('the tenant of the caller may be named, and no other is there', async () => {
    const agent = await agentFor({ isOpen: false });
    const sent = await cell.ask(agent, 'send', { text: 'ask', as: 'tenant', tenant: 'acme' });
    const id = textAt(cell.taskOf(sent), 'id');
    const found = await cell.ask(agent, 'get', { id, as: 'tenant' });
    expect(at(cell.resultOf(found), 'id')).toBe(id);
    for (const operation of ['send', 'get', 'list', 'cancel', 'subscribe'] as const) {
      const foreign = await cell.ask(agent, operation, { id, as: 'tenant', tenant: 'other' });
      expect(cell.reasonOf(foreign)).toBe('TASK_NOT_FOUND');
      const outside = await cell.ask(agent, operation, { id, as: 'user', tenant: 'acme' });
      expect(cell.reasonOf(outside)).toBe('TASK_NOT_FOUND');
    }
  });
});

test('a tenant in the body that is not that of the path is refused #a2a-callers', async () => {
  const agent = await agentFor({ isOpen: false });
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  const answer = await ask(`${agent.origin}/acme/message:send`, {
    method: 'POST',
    headers: { 'a2a-version': '1.0' },
    as: 'tenant',
    body: { tenant: 'other', message },
  });
  expect([answer.status, at(answer.body, 'error.details.1.fieldViolations.0.field')]).toEqual([
    400,
    'tenant',
  ]);
});

test('what the face refuses by itself is in the outcomes and the metrics #a2a-callers', async () => {
  const outcomes: Outcome[] = [];
  const agent = await agentFor({
    isOpen: false,
    runtime: { on: { outcome: (outcome) => void outcomes.push(outcome) } },
  });
  await ask(`${agent.origin}/tasks`, { headers: { 'a2a-version': '1.0' } });
  await ask(`${agent.origin}/tasks?pageSize=0`, { headers: { 'a2a-version': '1.0' }, as: 'user' });
  const { metrics } = await agent.runtime.listenContext();
  const { samples } = readMetrics(metrics()).get('a2a_sdl_face_refusals_total')!;
  const told = [...samples.keys()].filter((sample) => sample.includes('face="a2a"'));
  expect(told.join()).toContain('UNAUTHENTICATED');
  expect(told.join()).toContain('INVALID_PARAMS');
  expect(outcomes.some(({ error }) => error?.code === 'UNAUTHENTICATED')).toBe(true);
});
