// Proves that a daemon which is asked to stop does not wait for clients that were killed, on any transport.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';
import { until } from '../../support/agents/exchanges.ts';

afterAll(stopDaemons);

const ROOT = join(import.meta.dirname, '../../..');

/** Notes each task that it begins, and ends none. */
function handlerFile(begun: string): string {
  return daemonFile(
    'handler.mjs',
    `import { appendFileSync } from 'node:fs';
     import { once } from 'node:events';
     export async function* onTask(task, ctx) {
       yield ctx.progress('begun');
       appendFileSync(${JSON.stringify(begun)}, task.text + '\\n');
       await once(ctx.signal, 'abort');
     }`,
  );
}

test('SIGTERM ends a daemon at once whose clients were killed #transport-timeouts', async () => {
  const home = daemonFolder();
  const begun = join(daemonFolder(), 'begun');
  appendFileSync(begun, '');
  // Far longer than the test may take: waiting for it fails.
  const config = daemonFile('config.json', JSON.stringify({ drain_s: 600 }));
  const daemon = await startDaemon(home, ['--handler', handlerFile(begun), '--config', config]);
  const { http, ws, ipc } = daemon.urls;
  const asked = [
    ['send', http, 'whole'],
    ...[http, ws, ipc].map((url) => ['send', url, 'stream', '--stream']),
  ];
  const clients = asked.map((args) =>
    spawn(process.execPath, ['--import', 'tsx', 'cli/main.ts', ...args, '--home', home], {
      cwd: ROOT,
      stdio: 'ignore',
    }),
  );
  await until(() => readFileSync(begun, 'utf8').split('\n').length > clients.length);
  await Promise.all(
    clients.map(async (client) => {
      const gone = once(client, 'exit');
      client.kill('SIGKILL');
      await gone;
    }),
  );
  daemon.signal('SIGTERM');
  expect(await daemon.ended).toEqual({ code: 0, signal: null });
}, 120_000);
