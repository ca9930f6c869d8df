// The daemon as a real process: offers over HTTP, who may send them, what it logs, and a final that outlives kill -9.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { afterAll, describe, expect, test } from 'vitest';

import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';
import type { RunningDaemon } from '../../support/agents/daemon.ts';
import { newFile, runCli } from '../../support/agents/cli.ts';
import { INTENT_FINAL, dimensionOffer, intentOffer } from '../../support/steerqa/agent.ts';

afterAll(stopDaemons);

const handler = (): string =>
  daemonFile(
    'agent.mjs',
    `export async function* onTask(task, { artifact }) {
      yield artifact({ name: 'steerqa.final', json: ${JSON.stringify(INTENT_FINAL)} });
    }`,
  );

async function post(url: string, offer: object): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(offer) });
  return { status: response.status, text: await response.text() };
}

const urlOf = (daemon: RunningDaemon): string => daemon.log()[0]!['steerqa'] as string;

describe('serve --steerqa', () => {
  test('tells its address, lets in who proves nothing only where that was said, and logs refusals', async () => {
    const args = [
      '--steerqa',
      '/offers',
      '--handler',
      handler(),
      '--steerqa-agent',
      'intent@0.1.3',
    ];
    const closed = await startDaemon(daemonFolder(), args);
    expect(urlOf(closed)).toBe(`http://127.0.0.1:${closed.port}/offers`);
    expect((await post(urlOf(closed), intentOffer())).status).toBe(401);
    const line = await closed.logged(({ code }) => code === 'UNAUTHENTICATED');
    expect(line).toMatchObject({ event: 'message', face: 'steerqa', operation: 'offer' });
    const open = await startDaemon(daemonFolder(), [...args, '--anonymous', 'steerqa']);
    expect((await post(urlOf(open), intentOffer())).status).toBe(200);
    expect((await post(urlOf(open), dimensionOffer())).status).toBe(412);
    await open.logged(
      ({ code, from }) => code === 'AGENT_VERSION_MISMATCH' && from === '~none:steerqa',
    );
    // Peers see what is carried in envelopes too.
    const document = await (
      await fetch(`http://127.0.0.1:${open.port}/.well-known/a2a-sdl.json`)
    ).json();
    expect((document as { content_types: string[] }).content_types).toEqual(
      expect.arrayContaining(['steerqa.offer.v1', 'steerqa.result.v1', 'steerqa.event.v1']),
    );
  });

  test('gives the same final after kill -9', async () => {
    const home = daemonFolder();
    const args = ['--steerqa', '/task_offer', '--anonymous', 'steerqa', '--handler', handler()];
    const first = await startDaemon(home, args);
    const offer = intentOffer();
    const { text } = await post(urlOf(first), offer);
    first.signal('SIGKILL');
    await first.ended;
    const second = await startDaemon(home, args);
    const later = { ...offer, issued_at: new Date().toISOString(), trace_id: 'later' };
    expect(await post(urlOf(second), later)).toEqual({ status: 200, text });
    const path = newFile('offer.json', JSON.stringify(later));
    for (const accept of ['json', 'ndjson', 'sse']) {
      const run = await runCli(['steerqa', 'offer', urlOf(second), path, '--accept', accept], {
        nowMs: Date.now(),
      });
      expect([run.code, run.stdout]).toEqual([0, `${text}\n`]);
    }
    const conflict = newFile('offer.json', JSON.stringify({ ...later, prompt: 'other' }));
    const refused = await runCli(['steerqa', 'offer', urlOf(second), conflict, '--json']);
    expect([refused.code, refused.error()]).toMatchObject([1, { code: 'IDEMPOTENCY_CONFLICT' }]);
  });

  test.each([[['--anonymous', 'nobody']], [['--anonymous', 'steerqa', '--http', '0.0.0.0:0']]])(
    '%j is wrong use',
    async (args) => {
      const program = [
        '--import',
        'tsx',
        'cli/main.ts',
        'serve',
        '--home',
        daemonFolder(),
        ...args,
      ];
      await expect(promisify(execFile)(process.execPath, program)).rejects.toMatchObject({
        code: 2,
      });
    },
  );
});
