// The messages that the contract shows, what each kind has to hold, and the lock on the published schemas.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import hashes from '../../../schemas/steerqa/hashes.json' with { type: 'json' };
import { checkMessage } from '../../../profiles/steerqa/index.ts';
import { readMoment } from '../../../profiles/steerqa/moment.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import { compileTrusted, contentHash } from '../../../src/schema/index.ts';
import { dimensionOffer, intentOffer } from '../../support/steerqa/agent.ts';

const seeds = fileURLToPath(new URL('../../../../shared/seeds/', import.meta.url));
const seed = existsSync(seeds)
  ? readdirSync(seeds).find((name) => name.startsWith('001_'))
  : undefined;
if (seed === undefined) {
  if (process.env['CI'] === 'true') throw new Error('CI needs ../shared/seeds beside the checkout');
  console.log('no ../shared/seeds beside the checkout: the blocks of the contract are not checked');
}

describe.skipIf(seed === undefined)('#steerqa-messages the blocks of the contract', () => {
  const text = seed === undefined ? '' : readFileSync(seeds + seed, 'utf8');
  const blocks = [...text.matchAll(/```json\n(.*?)```/gs)].map(
    ([, block]) => JSON.parse(block!) as JsonObject,
  );
  const kinds = [
    'intent_offer',
    'dimension_offer',
    'intent_result',
    'replica_result',
    'error',
    'early_partial',
    'hint_partial',
  ];
  test('all seven are accepted as what they are; strictly, offers alone have all fields', () => {
    expect(blocks.map((block) => checkMessage(block))).toEqual(kinds.map((kind) => ({ kind })));
    const strict = blocks.map((block) => checkMessage(block, true).misfit === undefined);
    expect(strict).toEqual(kinds.map((kind) => kind.endsWith('offer')));
  });
});

const RESULT = {
  version: '1.0',
  message_type: 'task_result',
  task_id: 't',
  trace_id: 'x',
  agent_version: 'a@1',
};
const VERDICT = { dimension: 'd', run_id: 'r', score: 1, annotations: [], confidence: 0 };
const PACKET = { objective: 'o', requirements: [], constraints: [] };
const INTENT = {
  ...RESULT,
  intent_packet: PACKET,
  scoring_contract: { schema_version: '1' },
  confidence: 1,
};
const EARLY = { dimension: 'd', run_id: 'r', score_stub: 1, top_issue_title: 't' };
const HINT = { conflict_risk: 0, suggest_third_replica: [], cap_violation_risk: {} };
const ERROR = {
  version: '1.0',
  message_type: 'error',
  task_id: 't',
  trace_id: 'x',
  code: 'A_B',
  message: 'm',
  retryable: true,
};

describe('#steerqa-messages what does not fit', () => {
  test('these do, also with members that nobody knows', () => {
    for (const message of [
      { ...RESULT, verdict: VERDICT },
      { ...RESULT, verdict: VERDICT, status: 'final', extra: 1 },
      INTENT,
      { ...RESULT, status: 'partial', early_result: EARLY },
      { ...RESULT, status: 'partial', arbitration_hint: HINT },
      ERROR,
      intentOffer({ issued_at: '2026-01-01t00:00:00.123456+05:30' }),
      dimensionOffer({ dimension_cap: 0 }),
    ]) {
      expect(checkMessage(message as never).misfit).toBeUndefined();
    }
  });

  test.each<[string, unknown]>([
    ['a text', 'x'],
    ['nothing', {}],
    ['both bodies', { ...INTENT, verdict: VERDICT }],
    ['no body', RESULT],
    ['a partial body without its status', { ...RESULT, early_result: EARLY }],
    ['a final that says partial', { ...RESULT, status: 'partial', verdict: VERDICT }],
    ['a partial that says final', { ...RESULT, status: 'final', arbitration_hint: HINT }],
    ['confidence above 1', { ...INTENT, confidence: 1.1 }],
    [
      'a risk below 0',
      { ...RESULT, status: 'partial', arbitration_hint: { ...HINT, conflict_risk: -0.1 } },
    ],
    [
      'a risk that is no boolean',
      { ...RESULT, status: 'partial', arbitration_hint: { ...HINT, cap_violation_risk: { a: 1 } } },
    ],
    ['a score above 100', { ...RESULT, verdict: { ...VERDICT, score: 100.5 } }],
    ['time that runs back', { ...INTENT, elapsed_ms: -1 }],
    ['half a millisecond', { ...INTENT, elapsed_ms: 0.5 }],
    ['a code in small letters', { ...ERROR, code: 'a' }],
    ['retryable as text', { ...ERROR, retryable: 'yes' }],
    ['an offer with a seed of half', dimensionOffer({ seed: 0.5 })],
    ['a list of findings that is none', intentOffer({ hints: { static_findings: {} } })],
    ['a moment of a 13th month', { ...INTENT, issued_at: '2026-13-01T00:00:00Z' }],
  ])('%s', (_what, message) => {
    expect(checkMessage(message as never).misfit).toBeDefined();
  });
});

test('moments are read exactly', () => {
  expect(readMoment('2016-12-31T23:59:60Z')).toBe(Date.UTC(2017, 0, 1));
  expect(readMoment('2024-02-29T12:00:00.5-01:30')).toBe(Date.UTC(2024, 1, 29, 13, 30, 0, 500));
  expect(readMoment('0001-01-01T00:00:00Z')).toBe(Date.parse('0001-01-01T00:00:00Z'));
  for (const text of [
    '2023-02-29T00:00:00Z',
    '2026-01-01 00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:00+24:00',
  ]) {
    expect(readMoment(text)).toBeUndefined();
  }
});

describe('#steerqa-schemas the published schemas', () => {
  const folder = fileURLToPath(new URL('../../../schemas/steerqa/', import.meta.url));
  const files = readdirSync(folder).filter((name) => name !== 'hashes.json');
  test.each(files)('%s compiles, and its content is locked', (name) => {
    const schema = JSON.parse(readFileSync(folder + name, 'utf8')) as JsonObject;
    compileTrusted(schema);
    expect(hashes[name.replace('.json', '') as keyof typeof hashes]).toBe(contentHash(schema));
  });
  test('nothing else is locked', () => {
    expect(Object.keys(hashes).toSorted()).toEqual(
      files.map((name) => name.replace('.json', '')).toSorted(),
    );
  });
});
