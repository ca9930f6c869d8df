// The commands `peers` say whose book they show, and where else a peer stands.

import { describe, expect, test } from 'vitest';

import type { CliRun } from '../../support/agents/cli.ts';
import { initHome, runCli } from '../../support/agents/cli.ts';

describe('whose book it is', () => {
  test.each(['agent', 'operator'] as const)('of the %s, is told by list and show', async (role) => {
    const home = await initHome();
    const other = role === 'agent' ? 'operator' : 'agent';
    const at = (...args: string[]): Promise<CliRun> =>
      runCli(['peers', ...args, '--as', role, '--home', home]);
    expect((await at('list')).stdout).toMatch(new RegExp(`^the book of the ${role}:\\nNAME`));
    expect((await at('list', '--json')).json()).toMatchObject([{ book: role, name: other }]);
    expect((await at('show', other)).stdout).toMatch(new RegExp(`^book +${role}\\n`));
    expect((await at('show', other, '--json')).json()).toMatchObject({ book: role });
    const missing = await at('show', role);
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining(`--as ${other}`)]);
  });
});
