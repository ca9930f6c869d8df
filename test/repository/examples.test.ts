// The examples hold: each asserts what it shows, and fails where the package does not keep it.

import { readdirSync } from 'node:fs';

import { expect, test, vi } from 'vitest';

/** Runs the built program; `npm run examples` runs it. */
const NEEDS_BUILD = 'exec.ts';

const examples = readdirSync(new URL('../../examples', import.meta.url))
  .filter((name) => name.endsWith('.ts') && name !== NEEDS_BUILD)
  .map((name) => name.slice(0, -'.ts'.length));

test('there are examples', () => expect(examples.length).toBeGreaterThan(6));

test.each(examples)('%s holds what it asserts', async (name) => {
  const shown = vi.spyOn(console, 'log').mockReturnValue(undefined);
  try {
    await import(`../../examples/${name}.ts`);
    expect(shown).toHaveBeenCalled();
  } finally {
    shown.mockRestore();
  }
});
