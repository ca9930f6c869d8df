// The README's code is code that runs.

import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('README.md', () => {
  const example = read('../examples/use.ts');
  const readme = read('../README.md');

  test.each(['sender', 'receiver'])('has the %s of examples/use.ts, letter for letter', (name) => {
    const region = example.split(`// #region ${name}\n`)[1]?.split('// #endregion')[0];
    expect(region).toBeTypeOf('string');
    expect(readme).toContain(region);
  });

  test('has the two commands', () => {
    expect(readme).toContain('npm ci && npm start');
    expect(readme).toContain('npm ci && npm test');
  });
});
