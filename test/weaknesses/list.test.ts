// Where the negative test of each weakness is. A weakness without one is not closed, whatever the documents say.

import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { specTable } from '../support/repository/spec.ts';

/** By file, the weaknesses that it attacks. W15 has none: the v1 wire leaves it open. */
const TESTS: Readonly<Record<string, readonly number[]>> = {
  'a-messages.test.ts': [1, 2, 3, 5, 6, 8, 9, 16, 17],
  'a-client.test.ts': [2, 4, 19],
  'a-trust.test.ts': [7, 10, 11, 12, 13, 14, 18, 19],
  'b.test.ts': [20, 21, 22, 23, 24, 25],
  'c.test.ts': [26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36],
  'd.test.ts': [37, 38, 39, 42, 43, 45, 48],
  'd-oracle.test.ts': [47],
  'e.test.ts': [51, 52, 53, 54, 55],
  // Every purpose against every other.
  '../security/document-signature.test.ts': [7],
  '../transports/http/hostile.test.ts': [40],
  '../transports/ipc/ipc.test.ts': [41],
  '../transports/http/http.test.ts': [44, 46],
  '../audit/tamper.test.ts': [49],
  '../keys/directory.test.ts': [50],
};

const OPEN = 15;

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** What `describe` and `test` are called with, tables of cases before it or not. */
function titlesOf(source: string): string[] {
  const titles = /\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1,\s*(?:async\b|\(|[\w$]+ =>)/g;
  return [...source.matchAll(titles)].map((match) => match[2]!);
}

describe('#hardening the list of weaknesses', () => {
  const weaknesses = specTable('hardening').map(([name]) => Number(name!.slice(1)));
  const listed = new Set(Object.values(TESTS).flat());

  test('has a test for every one but the open one', () => {
    expect(weaknesses.filter((weakness) => !listed.has(weakness))).toEqual([OPEN]);
    expect([...listed].filter((weakness) => !weaknesses.includes(weakness))).toEqual([]);
  });

  test.each(
    Object.entries(TESTS).flatMap(([file, numbers]) =>
      numbers.map((weakness) => [weakness, file] as const),
    ),
  )('W%i has a test of its name in %s', (weakness, file) => {
    const name = new RegExp(`\\bW${weakness}\\b`);
    expect(titlesOf(read(file)).filter((title) => name.test(title))).not.toEqual([]);
  });

  test('W15, which v1 leaves open, is told in SECURITY.md', () => {
    expect(read('../../SECURITY.md')).toMatch(/\bW15\b/);
    expect(specTable('hardening')[OPEN - 1]).toMatchObject({ 0: 'W15', 3: 'open' });
  });
});
