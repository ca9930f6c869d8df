// A daemon whose PostgreSQL is stopped: callers are told at once to try again, and the operator which store it is.

import { afterAll, describe, expect, test } from 'vitest';

import type { Finding } from '../../../cli/doctor/finding.ts';
import { runCli } from '../../support/agents/cli.ts';
import type { CliRun } from '../../support/agents/cli.ts';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';
import { startPostgres } from '../../support/stores/postgres-server.ts';

const server = await startPostgres(['-F']);

afterAll(stopDaemons);

describe.skipIf(server === undefined)('#errors-store a daemon whose PostgreSQL is stopped', () => {
  const store = `${server?.url}&password=s3cret`;
  const folder = decodeURIComponent(/host=([^&]*)/.exec(store)?.[1] ?? '');
  const cli = (home: string, ...args: string[]): Promise<CliRun> =>
    runCli([...args, '--home', home, '--json'], { nowMs: Date.now() });

  test('answers soon that it is to be tried again, and logs where the store is', async () => {
    const home = daemonFolder();
    const daemon = await startDaemon(home, ['--store', `@${daemonFile('store', store)}`]);
    expect((await cli(home, 'send', 'agent', 'sum 1 2')).code).toBe(0);
    await server!.stop();
    for (const goal of ['sum 3 4', 'sum 5 6']) {
      // Far less than each call of the store would wait by itself, one after the other.
      const run = await cli(home, 'send', 'agent', goal, '--timeout', '10');
      expect(run.code).toBe(1);
      expect(`${run.stdout}${run.stderr}`).toContain('UNAVAILABLE');
      expect(`${run.stdout}${run.stderr}`).not.toContain(folder);
    }
    const line = await daemon.logged((each) => JSON.stringify(each).includes('PostgreSQL at'));
    expect(JSON.stringify(line)).toContain(folder);
    expect(JSON.stringify(daemon.log()) + daemon.notes()).not.toContain('s3cret');
    const { checks } = (await cli(home, 'doctor')).json() as unknown as {
      readonly checks: readonly Finding[];
    };
    expect(checks.find(({ check }) => check === 'store')).toMatchObject({ status: 'fail' });
    daemon.signal('SIGTERM');
    await daemon.ended;
  });

  test('does not start, and says where it looked and what to do', async () => {
    const run = await cli(
      daemonFolder(),
      'serve',
      '--http',
      '127.0.0.1:0',
      '--store',
      `@${daemonFile('s', store)}`,
    );
    expect(run.code).toBe(1);
    const { code, message, next } = run.error();
    expect(code).toBe('STORE_FAILED');
    expect(message).toContain(`PostgreSQL at ${folder}, database postgres cannot be reached`);
    expect(next).toContain('start the database');
    expect(run.stderr).not.toContain('s3cret');
  });
});
