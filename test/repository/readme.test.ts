// The README's code is code that runs.

import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { COMMANDS } from '../../cli/commands.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('README.md', () => {
  const readme = read('../../README.md');

  test.each([
    ['embed.ts', 'worker'],
    ['embed.ts', 'asker'],
  ])('has of examples/%s the region %s, letter for letter', (file, name) => {
    const region = read(`../../examples/${file}`)
      .split(`// #region ${name}\n`)[1]
      ?.split('// #endregion')[0];
    expect(region).toBeTypeOf('string');
    expect(readme).toContain(region);
  });

  test('has the two commands', () => {
    expect(readme).toContain('npm ci && npm start');
    expect(readme).toContain('npm ci && npm test');
  });

  test('names every command of the command line', () => {
    for (const name of Object.keys(COMMANDS)) expect(readme).toContain(`\`${name}\``);
  });

  test('points at files that are there', () => {
    const links = [...readme.matchAll(/\]\(([\w./-]+)(?:#[\w-]+)?\)/g)].map((match) => match[1]!);
    expect(links.length).toBeGreaterThan(8);
    for (const link of links) expect(read(`../../${link}`)).not.toBe('');
  });
});
