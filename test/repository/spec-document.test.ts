// SPEC.md against the code and the tests: every rule can be found, every claim has a test.

import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import { ERRORS } from '../../src/errors.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { STAGES } from '../../src/pipeline/stages.ts';
import { specAnchors, specTable, specText } from '../support/repository/spec.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));
const testSources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => readFileSync(folder + name, 'utf8'));

/** Anchors that tests name in the titles of `describe` and `test`. */
const provenAnchors = new Set(
  testSources.flatMap((source) =>
    [...source.matchAll(/\b(?:describe|test)[\w.()!=& ]*\(\s*[`'"]([^`'"]*)/g)].flatMap((title) =>
      [...title[1]!.matchAll(/#([a-z][a-z0-9-]*)/g)].map((match) => match[1]!),
    ),
  ),
);

describe('SPEC.md', () => {
  test('has each anchor once', () => {
    expect(specAnchors.length).toBeGreaterThan(90);
    expect(new Set(specAnchors).size).toBe(specAnchors.length);
  });

  test('points only at anchors that exist', () => {
    const used = [...specText.matchAll(/(?<![\w(])#([a-z][a-z0-9-]+)/g)].map((match) => match[1]!);
    expect(used.filter((anchor) => !specAnchors.includes(anchor))).toEqual([]);
  });

  test('has every anchor that a test names', () => {
    expect([...provenAnchors].filter((anchor) => !specAnchors.includes(anchor))).toEqual([]);
  });

  test('has a test for every rule', () => {
    expect(specAnchors.filter((anchor) => !provenAnchors.has(anchor))).toEqual([]);
  });

  test('#hardening answers each of the 55 weaknesses once', () => {
    const rows = specTable('hardening');
    expect(rows.map(([name]) => name)).toEqual(
      Array.from({ length: 55 }, (_, index) => `W${index + 1}`),
    );
    for (const [, , , how] of rows) expect(['v1', 'switch', 'open']).toContain(how);
  });

  test('names the 18 checks in the order of the code', () => {
    const names = [...STAGES.map(({ name }) => name), 'route'];
    expect(specTable('checks').map(([name]) => name?.replaceAll('`', ''))).toEqual(names);
    expect(names).toHaveLength(18);
    const quoted = /^STAGES = ([a-z_,\s]+)\n```/m.exec(specText)?.[1];
    expect(quoted?.split(/,\s+/)).toEqual(names);
  });
});

describe('#errors #errors-table the table of errors', () => {
  test('is the same in SPEC.md and in the code, both ways', () => {
    const inCode = Object.entries(ERRORS).map(([code, row]) => [
      code,
      row.wire,
      String(row.http),
      row.retryable ? 'yes' : 'no',
    ]);
    expect(specTable('errors-table')).toEqual(inCode);
  });

  test('names in the checks only codes that exist', () => {
    const named = specTable('checks').flatMap(([, , codes]) => codes!.split(', '));
    const unknown = named.filter((code) => !code.endsWith('…') && !Object.hasOwn(ERRORS, code));
    expect(unknown).toEqual([]);
  });

  test('#errors-dialects says nothing of other wires, and no check of an envelope ends as UNAUTHENTICATED', () => {
    for (const row of Object.values(ERRORS)) {
      expect(Object.keys(row).sort()).toEqual(['http', 'retryable', 'wire', 'words']);
    }
    expect(specTable('checks').filter(([, , codes]) => codes!.includes('UNAUTHENTICATED'))).toEqual(
      [],
    );
  });
});

describe('#limits the table of limits', () => {
  test('has the defaults of the code', () => {
    const inSpec = specTable('limits').map(([name, value]) => [
      name?.replaceAll('`', ''),
      Number(value?.replaceAll(',', '')),
    ]);
    expect(Object.fromEntries(inSpec)).toEqual(DEFAULT_LIMITS);
  });
});
