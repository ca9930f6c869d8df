// Requests of official A2A that are nearly right, over every operation, wire and binding: each is answered in a form of
// its binding, none with 5xx, HTML or silence, and nothing is left behind. A2A_SDL_FUZZ_ROUNDS sets how many.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { TestAgent } from '../support/a2a/agent.ts';
import { openAgent } from '../support/a2a/agent.ts';
import { formFault } from '../support/a2a/answer-forms.ts';
import { textAt } from '../support/a2a/ask.ts';
import { CELLS } from '../support/a2a/cells.ts';
import { OPERATIONS, hostile, randomFrom, rawOf } from '../support/a2a/hostile.ts';
import type { RawRequest } from '../support/a2a/raw.ts';
import { RawClient } from '../support/a2a/raw.ts';
import { readMetrics } from '../support/wire/prometheus.ts';

/** Of each operation over each wire and binding. */
const ROUNDS = Number(process.env['A2A_SDL_FUZZ_ROUNDS'] ?? 25);
const AT_ONCE = 8;

let agent: TestAgent;
let client: RawClient;
const errors: unknown[] = [];

beforeAll(async () => {
  agent = await openAgent({
    runtime: {
      admission: { ratePerSecond: 1_000_000, burst: 1_000_000 },
      on: { error: (cause) => void errors.push(cause) },
    },
  });
  client = new RawClient(agent.origin);
});
afterAll(async () => {
  client.close();
  await agent.runtime.close({ graceMs: 0 });
});

/** The first that is answered wrongly, with how it is asked again. */
async function faultOf(request: RawRequest): Promise<string | undefined> {
  const answer = await client.ask(request).catch((thrown: unknown) => thrown as Error);
  if (answer instanceof Error) return `${answer.message} ${shown(request)}`;
  // Where the answer of HEAD and TRACE has no body there is no form.
  if (request.method === 'HEAD') return answer.status < 500 ? undefined : shown(request);
  const fault = formFault(answer, /^\/rpc\/?(\?|$)/.test(request.path));
  return fault === undefined ? undefined : `${fault} ${answer.status} ${shown(request)}`;
}

function shown(request: RawRequest): string {
  return JSON.stringify(request).slice(0, 1_000);
}

describe.each(CELLS)('$name #a2a-input #a2a-errors', (cell) => {
  test.each(OPERATIONS)('%s', { timeout: 120_000 }, async (operation) => {
    if (cell.wire === 'v03' && operation === 'list') return;
    const random = randomFrom(CELLS.indexOf(cell) * 100 + OPERATIONS.indexOf(operation));
    const waiting = textAt(cell.taskOf(await cell.ask(agent, 'send', { text: 'ask' })), 'id');
    const wish = { id: waiting, ...(operation === 'list' && { filter: { pageSize: 2 } }) };
    const asked = operation === 'send' || operation === 'stream' ? { text: 'hello' } : wish;
    const right = rawOf(...cell.requestFor(agent, operation, asked));
    for (let round = 0; round < ROUNDS; round += AT_ONCE) {
      const requests = Array.from({ length: AT_ONCE }, () => hostile(right, random));
      const faults = await Promise.all(requests.map(faultOf));
      expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
    }
  });
});

test('the check of forms finds what is none', () => {
  const json = 'application/json';
  const error = { code: -32_603, message: 'x', data: [{}] };
  const answers: readonly (readonly [number, string, string])[] = [
    [500, json, '{}'],
    [400, 'text/html', '<!DOCTYPE html>'],
    [400, json, 'no JSON'],
    [400, json, '{"message":"no code"}'],
    [400, json, '{"error":{"code":404,"status":"NOT_FOUND","message":"x","details":[]}}'],
    [400, 'application/problem+json', '{"status":400,"title":"x","detail":"x"}'],
    [200, json, JSON.stringify({ jsonrpc: '2.0', id: 1, error })],
    [200, json, JSON.stringify({ jsonrpc: '2.0', id: {}, result: {} })],
    [413, json, ''],
  ];
  for (const [status, type, text] of answers) {
    expect(formFault({ status, type, text, headers: {} }, text.includes('jsonrpc'))).toBeDefined();
  }
});

test('nothing broke inside, and nothing is left behind #a2a-input', async () => {
  expect(errors).toEqual([]);
  const { metrics } = await agent.runtime.listenContext();
  const gauge = (name: string): number | undefined =>
    readMetrics(metrics()).get(name)?.samples.get(name);
  await expect.poll(() => gauge('a2a_sdl_in_flight')).toBe(0);
  await expect.poll(() => gauge('a2a_sdl_watchers')).toBe(0);
  // No name of a member has reached a prototype.
  expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
});
