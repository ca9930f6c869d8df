// Proves that `send`, `call`, `tasks` and `peers` use agents of official A2A: those of the official JavaScript SDKs, by
// their address and by a name of the home.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { ForeignServer } from '../../support/a2a/js-servers.ts';
import { startJsV03, startJsV1 } from '../../support/a2a/js-servers.ts';
import {
  artifactJson,
  scriptedAgent,
  statusJson,
  streamRpc,
  taskJson,
} from '../../support/a2a/scripted-agent.ts';
import type { CliRun } from '../../support/agents/cli.ts';
import { initHome, liveCli, newCliHome, runCli } from '../../support/agents/cli.ts';

let current: ForeignServer;
let former: ForeignServer;

beforeAll(async () => {
  current = await startJsV1();
  former = await startJsV03();
});
afterAll(() => Promise.all([current.stop(), former.stop()]));

/** A home that knows both, as `new` and `old`. */
async function homeWithAgents(): Promise<(...args: string[]) => Promise<CliRun>> {
  const home = await initHome();
  const run = (...args: string[]): Promise<CliRun> => runCli([...args, '--home', home]);
  for (const [name, { origin }] of [['new', current] as const, ['old', former] as const]) {
    const { code, stderr } = await run('peers', 'add', origin, '--yes', '--name', name);
    expect([code, stderr]).toEqual([0, '']);
  }
  return run;
}

const idIn = ({ stderr }: CliRun): string => /tasks watch (\S+)/.exec(stderr)![1]!;

describe('#a2a-client-home agents of official A2A on the command line', () => {
  test('are found by their address, and shown as they are kept', async () => {
    const home = await initHome();
    const run = (...args: string[]): Promise<CliRun> => runCli([...args, '--home', home]);
    const added = await run('peers', 'add', current.origin, '--yes', '--name', 'new', '--json');
    expect(added.json()).toMatchObject({
      book: 'a2a',
      name: 'new',
      title: 'js 1.3',
      proof: { kind: 'unsigned' },
      used: { binding: 'JSONRPC', version: '1.0', reason: 'the first that the card names' },
      interfaces: [{ binding: 'JSONRPC' }, { binding: 'HTTP+JSON' }, { binding: 'GRPC' }],
      pinned_origins: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)],
      security: [],
      skills: [{ id: 'echo' }],
      pinned_keys: [],
      created: true,
    });
    const again = await run('peers', 'add', current.origin);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('up to date')]);
    expect((await run('peers', 'list')).stdout).toMatch(/^new {2}.*agent-card\.json {2}nothing$/m);
    expect((await run('peers', 'show', 'new')).stdout).toContain('its card need not be signed');
    expect((await run('completion', '--peers')).stdout).toMatch(/^new$/m);
    const wrong = await run('peers', 'set', 'new', '--min-mode', 'sig', '--json');
    expect(wrong.error()).toMatchObject({ code: 'NOT_A_PEER' });
    expect((await run('peers', 'remove', 'new')).code).toBe(0);
    expect((await run('send', 'new', 'x', '--json')).error()).toMatchObject({
      code: 'PEER_UNKNOWN',
    });
  });

  test('have names that no peer has, and the other way round', async () => {
    const run = await homeWithAgents();
    for (const taken of ['operator', 'agent', 'old']) {
      const { code } = await run('peers', 'add', current.origin, '--yes', '--name', taken);
      expect(code).not.toBe(0);
    }
    const peer = 'did:key:z6Mkp92myXtWkQYxhFmDxqkTwURYZAEjUm9iAuZxyjYzmfSy';
    const added = await run('peers', 'add', peer, '--name', 'old', '--json');
    expect(added.error()).toMatchObject({ code: 'PEER_KNOWN' });
    await run('peers', 'add', peer, '--name', 'fine');
    const renamed = await run('peers', 'set', 'fine', '--name', 'new', '--json');
    expect(renamed.error()).toMatchObject({ code: 'PEER_KNOWN' });
    const envelopes = await run(
      'peers',
      'add',
      `${current.origin}/.well-known/agent-card.json`,
      '--canon',
      'jcs',
    );
    expect([envelopes.code, envelopes.stderr]).toEqual([
      2,
      expect.stringContaining('--canon is for peers'),
    ]);
  });

  test.each(['new', 'old'])('%s: send waits, streams, fails and is answered', async (name) => {
    const run = await homeWithAgents();
    const told = await run('send', name, 'hello world', '--verbose');
    expect([told.code, told.stdout]).toEqual([0, 'done hello world\n']);
    expect(told.stderr).toContain('the first that the card names');
    expect(told.stderr).toContain('not proven: it has no signature');
    const streamed = await run('send', name, 'chunks', '--stream', '--json');
    const lines = streamed.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.at(-1)).toMatchObject({
      ok: true,
      task: { status: 'completed', artifacts: [{ text: 'one two' }] },
    });
    const failed = await run('send', name, 'fail');
    expect([failed.code, failed.stderr]).toEqual([1, 'failed: no paper\n']);
    expect((await run('send', name, 'answer')).stdout).toBe('answered at once\n');
  });

  test.each(['new', 'old'])(
    '%s: tasks are answered, shown, followed and canceled',
    async (name) => {
      const run = await homeWithAgents();
      const asked = await run('send', name, 'ask');
      expect([asked.code, asked.stderr]).toEqual([3, expect.stringContaining('which?')]);
      const id = idIn(asked);
      expect((await run('tasks', 'reply', id, 'red', '--peer', name)).code).toBe(0);
      const watched = await run('tasks', 'watch', id, '--peer', name);
      expect([watched.code, watched.stdout]).toEqual([0, expect.stringContaining('told red')]);
      expect((await run('tasks', 'show', id, '--peer', name, '--json')).json()).toMatchObject({
        status: 'completed',
      });
      const held = await run('send', name, 'hold', '--timeout', '2');
      expect(held.code).toBe(3);
      const canceled = await run('tasks', 'cancel', idIn(held), '--peer', name, '--json');
      expect(canceled.json()).toEqual({ ok: true, status: 'canceled' });
      const unknown = await run('tasks', 'show', 'nothing-there', '--peer', name, '--json');
      expect(unknown.error()).toMatchObject({ code: 'TASK_UNKNOWN' });
    },
  );

  test('lists, ids by their beginning and retries, where the wire has lists', async () => {
    const run = await homeWithAgents();
    const id = idIn(await run('send', 'new', 'ask'));
    const list = await run('tasks', 'list', '--peer', 'new', '--json', '--limit', '1');
    expect(JSON.parse(list.stdout.split('\n', 1)[0]!)).toMatchObject({ id, goal: 'ask' });
    expect((await run('tasks', 'show', id.slice(0, 8), '--peer', 'new')).stdout).toContain(id);
    const retried = await run('tasks', 'retry', id, '--peer', 'new', '--json');
    expect(retried.json()).toMatchObject({ ok: true });
    const former03 = await run('tasks', 'list', '--peer', 'old', '--json');
    expect(former03.error()).toMatchObject({
      code: 'CT_UNSUPPORTED',
      message: 'A2A 0.3 has no lists of tasks',
    });
  });

  test('a task goes on in the conversation that is named', async () => {
    const run = await homeWithAgents();
    const first = (await run('send', 'new', 'hello', '--json')).json() as {
      task: { context_id: string };
    };
    const context = first.task.context_id;
    const next = await run('send', 'new', 'hello again', '--context', context, '--json');
    expect(next.json()).toMatchObject({ task: { context_id: context } });
  });

  test('skills are tools', async () => {
    const run = await homeWithAgents();
    expect((await run('call', 'new')).stdout).toBe('echo  says it again\n');
    expect((await run('call', 'new', 'echo', '{"x":1}', '--json')).json()).toEqual({
      ok: true,
      result: 'done {"x":1}',
    });
    expect((await run('call', 'new', 'none', '--json')).error()).toMatchObject({
      code: 'TOOL_UNKNOWN',
    });
    expect((await run('call', 'new', '--describe', 'echo')).stdout).toContain('says it again');
  });

  test('what A2A cannot say is refused before anything is sent', async () => {
    const run = await homeWithAgents();
    const { code, stderr } = await run(
      'tasks',
      'show',
      'x',
      '--owner',
      'did:key:z',
      '--peer',
      'new',
    );
    expect([code, stderr]).toEqual([1, expect.stringContaining('which cannot say "owner"')]);
  });

  test('need no identity of ours', async () => {
    const home = newCliHome();
    const sent = await runCli(['send', current.origin, 'hello', '--home', home]);
    expect([sent.code, sent.stdout]).toEqual([0, 'done hello\n']);
    const own = await runCli(['send', 'agent', 'hello', '--home', home, '--json']);
    expect(own.error()).toMatchObject({ code: 'NO_HOME' });
  });

  test('are gone on with when the stream is cut, and nothing is told twice', async () => {
    const agent = await scriptedAgent({
      handle: (request, response) => {
        const stream = streamRpc(response, request);
        if (request.rpc === 'SendStreamingMessage') {
          stream.send({ task: taskJson('t', 'WORKING') }, '1');
          stream.send(artifactJson('t', 'a', 'one '), '2');
          setImmediate(() => stream.cut());
        } else {
          expect(request.headers['last-event-id']).toBe('2');
          stream.send(artifactJson('t', 'a', 'two', true), '3');
          stream.send(statusJson('t', 'COMPLETED'), '4');
          stream.end();
        }
      },
    });
    const live = liveCli(['send', agent.origin, 'go', '--stream', '--home', newCliHome()]);
    expect(await live.code).toBe(0);
    // A line ends where it is said that the agent is away.
    expect(live.stdout()).toBe('one \ntwo\n');
    expect(agent.requests.map(({ rpc }) => rpc)).toEqual([
      'SendStreamingMessage',
      'SubscribeToTask',
    ]);
  });

  test('whose answer got lost leave a doubt, and it is said', async () => {
    const agent = await scriptedAgent({ handle: (_request, response) => response.destroy() });
    const run = await runCli([
      'send',
      agent.origin,
      'go',
      '--wait',
      '0',
      '--home',
      newCliHome(),
      '--json',
    ]);
    expect(run.code).toBe(3);
    expect(run.error()).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(agent.requests).toHaveLength(1);
  });
});
