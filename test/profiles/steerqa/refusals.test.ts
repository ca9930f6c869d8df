// Every row of the table of refusals, over a real socket, and the order in which offers are looked at.

import { describe, expect, test } from 'vitest';

import { MAP } from '../../../profiles/steerqa/refusal.ts';
import { checkMessage } from '../../../profiles/steerqa/index.ts';
import { ERRORS } from '../../../src/errors.ts';
import { TaskError } from '../../../src/tasks/error.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import type { Answered } from '../../support/steerqa/agent.ts';
import {
  AUTHORIZED,
  INTENT_FINAL,
  NARROW_TOKEN,
  dimensionOffer,
  forever,
  intentOffer,
  openAgent,
  verdictFor,
} from '../../support/steerqa/agent.ts';

const JSON_HEADERS = { 'content-type': 'application/json' };
const LATER = (ms: number): string => new Date(Date.now() + ms).toISOString();

/** Status, code, retryable; the error itself has to fit its schema with all eight fields. */
function rowOf({ status, body, headers }: Answered): readonly unknown[] {
  expect(checkMessage(body as never, true)).toEqual({ kind: 'error' });
  expect(headers.get('content-type')).toBe('application/json');
  return [status, body['code'], body['retryable']];
}

const BAD = [400, 'SCHEMA_VALIDATION_FAILED', false];

describe('#steerqa-errors an offer that is refused', () => {
  const withoutPrompt: Record<string, unknown> = intentOffer();
  delete withoutPrompt['prompt'];
  const rows: [string, unknown, readonly unknown[]][] = [
    ['nothing', '', BAD],
    ['no JSON', '{', BAD],
    ['a list', '[]', BAD],
    ['a duplicate member', JSON.stringify(intentOffer()).replace('{', '{"prompt":"a",'), BAD],
    [
      'a duplicate inside',
      JSON.stringify(intentOffer({ hints: 1 })).replace('"hints":1', '"hints":{"a":1,"a":2}'),
      BAD,
    ],
    ['no prompt', withoutPrompt, BAD],
    ['an empty prompt', intentOffer({ prompt: '' }), BAD],
    ['an empty key', intentOffer({ idempotency_key: '' }), BAD],
    ['a number for an id', intentOffer({ task_id: 7 }), BAD],
    ['no version', intentOffer({ version: undefined }), BAD],
    ['a version that is a number', intentOffer({ version: 1 }), BAD],
    ['a ttl of 0', intentOffer({ ttl: 0 }), BAD],
    ['a ttl of half a millisecond', intentOffer({ ttl: 0.5 }), BAD],
    ['a moment without an offset', intentOffer({ issued_at: '2026-01-01T00:00:00' }), BAD],
    ['a day that is none', intentOffer({ issued_at: '2026-02-30T00:00:00Z' }), BAD],
    ['a moment in the future', intentOffer({ issued_at: LATER(60_000) }), BAD],
    ['half a dimension offer', intentOffer({ dimension: 'clarity' }), BAD],
    ['a cap above 100', dimensionOffer({ dimension_cap: 101 }), BAD],
    ['no replica', dimensionOffer({ k_replicas: 0 }), BAD],
    ['half a character', JSON.stringify(intentOffer()).replace('judge this', '\\ud800'), BAD],
    ['another major', intentOffer({ version: '2.0' }), [400, 'UNSUPPORTED_VERSION', false]],
    ['no version at all', intentOffer({ version: 'one' }), [400, 'UNSUPPORTED_VERSION', false]],
    [
      'a result',
      intentOffer({ message_type: 'task_result' }),
      [400, 'UNKNOWN_MESSAGE_TYPE', false],
    ],
    ['what nobody knows', intentOffer({ message_type: 'x' }), [400, 'UNKNOWN_MESSAGE_TYPE', false]],
    ['an old one', intentOffer({ issued_at: LATER(-13_000) }), [410, 'TTL_EXPIRED', false]],
    [
      'another build',
      intentOffer({ agent_version: 'x@1' }),
      [412, 'AGENT_VERSION_MISMATCH', false],
    ],
  ];
  test.each(rows)('%s', async (_what, body, row) => {
    const agent = await openAgent({ face: { agents: ['intent@0.1.3', 'clarity@0.1.0'] } });
    expect(rowOf(await agent.post(body))).toEqual(row);
    expect(agent.told).toEqual([`steerqa ${String(row[1])}`]);
    expect(await agent.metrics()).toContain(
      `a2a_sdl_face_refusals_total{face="steerqa",code="${String(row[1])}"} 1`,
    );
  });

  test('a minor version and unknown members are taken', async () => {
    const agent = await openAgent();
    const { status, body } = await agent.post(intentOffer({ version: '1.7', extra: { a: 1.0 } }));
    expect([status, body['version']]).toEqual([200, '1.7']);
  });

  test('what could be read is echoed, the rest is unknown', async () => {
    const agent = await openAgent();
    const { body } = await agent.post(intentOffer({ ttl: 'x', trace_id: 7, version: '3.0' }));
    expect(body).toMatchObject({
      version: '1.0',
      task_id: 'intent-7421',
      trace_id: 'unknown',
      agent_version: 'intent@0.1.3',
      ttl: 1,
    });
    const long = JSON.stringify(intentOffer({ prompt: '', ttl: 7 }));
    const echoed = await agent.post(long.replace('"ttl":7', '"ttl":9007199254740993'));
    expect(echoed.text).toContain('"ttl":9007199254740993');
    const nothing = await agent.post('nothing');
    expect(nothing.body).toMatchObject({ task_id: 'unknown', idempotency_key: 'unknown', ttl: 1 });
  });
});

describe('#steerqa-http before an offer is read', () => {
  const big = JSON.stringify(intentOffer({ prompt: 'x'.repeat(5_000) }));
  const narrow = { authorization: `Bearer ${NARROW_TOKEN}` };
  const everything = { 'content-type': 'text/plain', accept: 'text/html' };

  test('each is refused with its status, the first that applies wins', async () => {
    const agent = await openAgent({ face: { maxBytes: 4_096 } });
    const row = async (init: RequestInit): Promise<readonly unknown[]> =>
      rowOf(await agent.send(init));
    // Each request has everything wrong that comes after what it is refused for.
    expect(await row({ method: 'PUT', headers: everything, body: big })).toEqual([
      405,
      'METHOD_NOT_ALLOWED',
      false,
    ]);
    expect(await row({ method: 'POST', headers: everything, body: big })).toEqual([
      401,
      'UNAUTHENTICATED',
      false,
    ]);
    expect(await row({ method: 'POST', headers: { ...everything, ...narrow }, body: big })).toEqual(
      [403, 'FORBIDDEN', false],
    );
    expect(
      await row({ method: 'POST', headers: { ...everything, ...AUTHORIZED }, body: big }),
    ).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE', false]);
    expect(
      await row({
        method: 'POST',
        headers: { ...JSON_HEADERS, ...AUTHORIZED, accept: 'text/html' },
        body: big,
      }),
    ).toEqual([406, 'NOT_ACCEPTABLE', false]);
    expect(
      await row({ method: 'POST', headers: { ...JSON_HEADERS, ...AUTHORIZED }, body: big }),
    ).toEqual([413, 'PAYLOAD_TOO_LARGE', false]);
    expect(agent.told.map((line) => line.replace('steerqa ', ''))).toEqual([
      'METHOD_NOT_ALLOWED',
      'UNAUTHENTICATED',
      'FORBIDDEN',
      'UNSUPPORTED_MEDIA_TYPE',
      'NOT_ACCEPTABLE',
      'PAYLOAD_TOO_LARGE',
    ]);
    const get = await agent.send({ method: 'GET' });
    expect(get.body['message']).toBe('an offer is sent with POST');
    const log = (await agent.runtime.audit())!;
    await expect.poll(async () => (await log.verify()).size).toBe(7);
  });

  test('what it takes and gives is agreed on as the headers say', async () => {
    const agent = await openAgent();
    const types: [Record<string, string>, string][] = [
      [{}, 'application/json'],
      [{ accept: 'application/*' }, 'application/json'],
      [{ accept: 'application/x-ndjson, application/json' }, 'application/x-ndjson'],
      [{ accept: 'application/x-ndjson;q=0.5, application/json;q=0.9' }, 'application/json'],
      [{ accept: 'text/event-stream, */*;q=0.1' }, 'text/event-stream'],
      [{ accept: 'application/json;q=0, */*' }, 'application/x-ndjson'],
      [{ 'content-type': 'Application/JSON; charset=UTF-8' }, 'application/json'],
    ];
    for (const [headers, type] of types) {
      const { status, headers: got } = await agent.post(intentOffer(), headers);
      expect([status, got.get('content-type')]).toEqual([200, type]);
    }
    for (const type of ['application/json; charset=latin1', 'application/jsonx', 'text/json']) {
      expect((await agent.post(intentOffer(), { 'content-type': type })).status).toBe(415);
    }
    expect((await agent.post(intentOffer(), { 'content-encoding': 'gzip' })).status).toBe(415);
  });
});

describe('#steerqa-offer the order', () => {
  test('JSON, version, message type, fields, key, ttl, pin', async () => {
    const agent = await openAgent({ face: { agents: ['clarity@0.1.0'] } });
    const kept = dimensionOffer({ idempotency_key: 'kept' });
    expect((await agent.post(kept)).status).toBe(200);
    const old = { issued_at: LATER(-60_000) };
    // Each has all faults of those below it.
    const pin = { agent_version: 'clarity@9' };
    const faults = [
      [
        { ...kept, version: '2', message_type: 'x', prompt: '', ...old, ...pin },
        'UNSUPPORTED_VERSION',
      ],
      [{ ...kept, message_type: 'x', prompt: '', ...old, ...pin }, 'UNKNOWN_MESSAGE_TYPE'],
      [{ ...kept, prompt: '', ...old, ...pin }, 'SCHEMA_VALIDATION_FAILED'],
      [{ ...kept, prompt: 'another', ...old, ...pin }, 'IDEMPOTENCY_CONFLICT'],
      [{ ...kept, idempotency_key: 'new', ...old, ...pin }, 'TTL_EXPIRED'],
      [{ ...kept, idempotency_key: 'new', ...pin }, 'AGENT_VERSION_MISMATCH'],
    ] as const;
    for (const [offer, code] of faults) expect((await agent.post(offer)).body['code']).toBe(code);
  });
});

describe('#steerqa-result work that gives no result', () => {
  const yielding = (...outputs: readonly (readonly [string, unknown])[]): OnTask =>
    async function* (_task, { artifact }) {
      for (const [name, json] of outputs) yield artifact({ name, json: json as never });
    };
  const verdict = verdictFor({ dimension: 'clarity', run_id: 'r1' });
  const early = { dimension: 'clarity', run_id: 'r1', score_stub: 5, top_issue_title: 'x' };
  const OUTPUT = [500, 'SCHEMA_VALIDATION_FAILED', true];
  const FAILED = [500, 'INTERNAL', true];
  const rows: [string, OnTask, readonly unknown[]][] = [
    ['no final', yielding(['other', verdict]), OUTPUT],
    ['two finals', yielding(['steerqa.final', verdict], ['steerqa.final', verdict]), OUTPUT],
    ['both bodies', yielding(['steerqa.final', { ...verdict, ...INTENT_FINAL }]), OUTPUT],
    ['the wrong body', yielding(['steerqa.final', INTENT_FINAL]), OUTPUT],
    ['no body', yielding(['steerqa.final', { model: 'x' }]), OUTPUT],
    ['no object', yielding(['steerqa.final', 7]), OUTPUT],
    [
      'another dimension',
      yielding(['steerqa.final', verdictFor({ dimension: 'x', run_id: 'r1' })]),
      OUTPUT,
    ],
    [
      'another run',
      yielding(['steerqa.final', verdictFor({ dimension: 'clarity', run_id: 'r2' })]),
      OUTPUT,
    ],
    [
      'a score above 100',
      yielding(['steerqa.final', verdictFor({ dimension: 'clarity', run_id: 'r1' }, 101)]),
      OUTPUT,
    ],
    [
      'a partial that is none',
      yielding(['steerqa.partial', {}], ['steerqa.final', verdict]),
      OUTPUT,
    ],
    [
      'a partial of another run',
      yielding(
        ['steerqa.partial', { early_result: { ...early, run_id: 'r9' } }],
        ['steerqa.final', verdict],
      ),
      OUTPUT,
    ],
    ['an accident', async () => Promise.reject(new Error('secret words')), FAILED],
    ['a failure', async () => Promise.reject(new TaskError('no model')), FAILED],
    [
      'a rejection',
      async () => Promise.reject(new TaskError('not mine', { rejects: true })),
      FAILED,
    ],
    ['a question', async (_task, { ask }) => void (await ask('which?')), FAILED],
  ];
  test.each(rows)('%s', async (_what, onTask, row) => {
    const agent = await openAgent({ onTask });
    const answer = await agent.post(dimensionOffer());
    expect(rowOf(answer)).toEqual(row);
    expect(answer.text).not.toContain('secret');
    expect(agent.told).toContain(`steerqa ${String(row[1])}`);
  });

  test('the deadline', async () => {
    const agent = await openAgent({ onTask: forever });
    const began = Date.now();
    expect(rowOf(await agent.post(intentOffer({ ttl: 150 })))).toEqual([504, 'TIMEOUT', true]);
    const fast = intentOffer({ policy: { max_latency_ms: 50 } });
    expect(rowOf(await agent.post(fast))).toEqual([504, 'TIMEOUT', true]);
    // Issued so long ago that only the skew is left.
    const late = intentOffer({ issued_at: LATER(-11_900) });
    expect(rowOf(await agent.post(late))).toEqual([504, 'TIMEOUT', true]);
    expect(Date.now() - began).toBeLessThan(5_000);
  });

  test('an agent that is full, and one that does not take it', async () => {
    const full = await openAgent({
      tasks: { maxTasksPerOwner: 1 },
      onTask: forever,
    });
    const first = full.post(intentOffer({ ttl: 2_000 })).catch(() => undefined);
    await expect.poll(() => full.metrics()).toContain('a2a_sdl_tasks_started_total 1');
    expect(rowOf(await full.post(intentOffer()))).toEqual([503, 'OVERLOADED', true]);
    expect(full.told.at(-1)).toBe('steerqa OVERLOADED');
    await full.close();
    await first;
    const choosy = await openAgent({
      accepts: () => {
        throw new TaskError('not on Sundays');
      },
    });
    const { status, body } = await choosy.post(intentOffer());
    expect([status, body['code'], body['message'], body['retryable']]).toEqual([
      422,
      'OFFER_REFUSED',
      'not on Sundays',
      false,
    ]);
  });
});

test('every error of this package has a place in the dialect', () => {
  expect(Object.keys(MAP).sort()).toEqual(Object.keys(ERRORS).sort());
});
