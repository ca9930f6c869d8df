// The events of an evaluation: numbered from 1 without gaps, stage after stage, FINAL last and once.

import { writeFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import type { SteerqaEventType } from '../../../profiles/steerqa/index.ts';
import { createEvaluation, createEventCheck } from '../../../profiles/steerqa/index.ts';
import { newFile, runCli } from '../../support/agents/cli.ts';

const now = (): number => Date.UTC(2026, 0, 1);

describe('#steerqa-events an evaluation', () => {
  test('numbers its six kinds of events, and each dimension by itself', () => {
    const evaluation = createEvaluation({ evaluationId: 'e', traceId: 't', now });
    const emitted = (
      [
        ['STATIC_CHECK_COMPLETE'],
        ['INTENT_EXTRACTION_COMPLETE'],
        ['LIGHTNING_COMPLETE'],
        ['REPLICA_COMPLETE', 'clarity'],
        ['REPLICA_COMPLETE', 'structure'],
        ['REPLICA_COMPLETE', 'clarity'],
        ['DIMENSION_COMPLETE', 'clarity'],
        ['DIMENSION_COMPLETE', 'structure'],
        ['FINAL'],
      ] as [SteerqaEventType, string?][]
    ).map(([type, dimension]) =>
      evaluation.emit(type, { ...(dimension !== undefined && { dimension }), data: { a: 1 } }),
    );
    expect(emitted[0]).toEqual({
      type: 'STATIC_CHECK_COMPLETE',
      evaluation_id: 'e',
      trace_id: 't',
      sequence_id: 1,
      ts: '2026-01-01T00:00:00.000Z',
      data: { a: 1 },
    });
    expect(emitted.map(({ sequence_id: id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(emitted.flatMap(({ dimension_seq: seq }) => seq ?? [])).toEqual([1, 1, 2, 3, 2]);
    const check = createEventCheck();
    expect(emitted.map((event) => check(event as never))).toEqual(emitted.map(() => undefined));
    expect(() => evaluation.emit('TOKEN_UPDATE')).toThrow('"final"');
  });

  test('refuses what breaks the order, and counts nothing for it', () => {
    const evaluation = createEvaluation();
    evaluation.emit('LIGHTNING_COMPLETE');
    expect(() => evaluation.emit('STATIC_CHECK_COMPLETE')).toThrow('"order"');
    expect(() => evaluation.emit('LIGHTNING_COMPLETE')).toThrow('"order"');
    expect(() => evaluation.emit('REPLICA_COMPLETE')).toThrow('"dimension"');
    expect(() => evaluation.emit('NEWS' as never)).toThrow('does not fit');
    evaluation.emit('REPLICA_COMPLETE', { dimension: 'a' });
    expect(() => evaluation.emit('FINAL')).toThrow('"order"');
    evaluation.emit('DIMENSION_COMPLETE', { dimension: 'a' });
    expect(() => evaluation.emit('REPLICA_COMPLETE', { dimension: 'a' })).toThrow('"order"');
    expect(evaluation.emit('FINAL').sequence_id).toBe(4);
  });

  test('a static gate may stop it early', () => {
    const evaluation = createEvaluation();
    evaluation.emit('STATIC_CHECK_COMPLETE');
    expect(evaluation.emit('FINAL').sequence_id).toBe(2);
  });
});

const event = (members: object): string =>
  JSON.stringify({
    type: 'TOKEN_UPDATE',
    evaluation_id: 'e',
    trace_id: 't',
    sequence_id: 1,
    ts: '2026-01-01T00:00:00Z',
    data: {},
    ...members,
  });

describe('steerqa events', () => {
  const replica = { type: 'REPLICA_COMPLETE', dimension: 'a', dimension_seq: 1 };
  test.each<[string, readonly string[], object]>([
    ['nothing', [], { ok: true, events: 0 }],
    [
      'two evaluations, mixed',
      [event({}), event({ evaluation_id: 'f' }), event({ sequence_id: 2 })],
      { ok: true, events: 3 },
    ],
    ['no end yet', [event(replica)], { ok: true, events: 1 }],
    ['no JSON', ['{'], { ok: false, events: 0, rule: 'json', line: 1 }],
    ['no event', [event({ data: 1 })], { ok: false, events: 0, rule: 'schema', line: 1 }],
    [
      'half a dimension',
      [event({ dimension: 'a' })],
      { ok: false, events: 0, rule: 'schema', line: 1 },
    ],
    [
      'a number without a dimension',
      [event({ dimension_seq: 1 })],
      { ok: false, events: 0, rule: 'schema', line: 1 },
    ],
    ['from 0', [event({ sequence_id: 0 })], { ok: false, events: 0, rule: 'schema', line: 1 }],
    ['from 2', [event({ sequence_id: 2 })], { ok: false, events: 0, rule: 'sequence', line: 1 }],
    [
      'a gap',
      [event({}), '', event({ sequence_id: 3 })],
      { ok: false, events: 1, rule: 'sequence', line: 3 },
    ],
    ['a repeat', [event({}), event({})], { ok: false, events: 1, rule: 'sequence', line: 2 }],
    [
      'a gap in a dimension',
      [event({ ...replica, dimension_seq: 2 })],
      { ok: false, events: 0, rule: 'dimension_sequence', line: 1 },
    ],
    [
      'an open dimension',
      [event(replica), event({ type: 'FINAL', sequence_id: 2 })],
      { ok: false, events: 1, rule: 'order', line: 2 },
    ],
    [
      'two ends',
      [event({ type: 'FINAL' }), event({ type: 'FINAL', sequence_id: 2 })],
      { ok: false, events: 1, rule: 'final', line: 2 },
    ],
  ])('%s', async (_what, lines, result) => {
    const run = await runCli(['steerqa', 'events', newFile('events.ndjson', lines.join('\n'))]);
    expect([run.json(), run.code]).toEqual([result, 'rule' in result ? 1 : 0]);
  });
});

test('a line that is no UTF-8 is told by its number', async () => {
  const path = newFile('events.ndjson', '');
  const first = new TextEncoder().encode(`${event({})}\r\n`);
  writeFileSync(path, Uint8Array.from([...first, 0x22, 0xff, 0x22, 0x0a]));
  const run = await runCli(['steerqa', 'events', path]);
  expect([run.json(), run.code]).toEqual([{ ok: false, events: 1, rule: 'json', line: 2 }, 1]);
});

test('steerqa check says what a message is, and whether it fits', async () => {
  const error = {
    version: '1.0',
    message_type: 'error',
    task_id: 't',
    trace_id: 'x',
    code: 'A',
    message: 'm',
    retryable: false,
  };
  const path = newFile('error.json', JSON.stringify(error));
  const loose = await runCli(['steerqa', 'check', path, '--json']);
  expect([loose.json(), loose.code]).toEqual([{ ok: true, kind: 'error' }, 0]);
  const strict = await runCli(['steerqa', 'check', path, '--strict']);
  expect(strict.json()).toMatchObject({ ok: false, kind: 'error', path: '/issued_at' });
  expect(strict.code).toBe(1);
  const double = await runCli(['steerqa', 'check', '-'], { input: '{"a":1,"a":2}' });
  expect([double.json(), double.code]).toMatchObject([{ ok: false }, 1]);
});
