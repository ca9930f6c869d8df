// Proves the command line of the conformance agent: its one line, its flags, and how it ends.

import { describe, expect, test } from 'vitest';

import { runConformanceAgent, startConformanceAgent } from '../../support/a2a/conformance-agent.ts';

const MANY_MS = 120_000;

describe.concurrent('the conformance agent', () => {
  test(
    'prints one line when it can be asked, and ends cleanly on SIGTERM',
    { timeout: MANY_MS },
    async () => {
      const { stop, ...ready } = await startConformanceAgent();
      const { http } = ready;
      expect(http).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(ready).toEqual({
        event: 'ready',
        http,
        card: `${http}/.well-known/agent-card.json`,
        jsonrpc: `${http}/rpc`,
        rest: http,
        tokens: {
          user: expect.any(String) as string,
          other: expect.any(String) as string,
          insufficient: expect.any(String) as string,
        },
      });
      expect(new Set(Object.values(ready.tokens)).size).toBe(3);
      expect((await fetch(ready.card)).status).toBe(200);
      const { code, signal, stdout, stderr } = await stop();
      expect([code, signal, stderr]).toEqual([0, null, '']);
      expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    },
  );

  test('says where gRPC is, only where it is spoken', { timeout: MANY_MS }, async () => {
    const agent = await startConformanceAgent('--grpc', '127.0.0.1:0');
    expect(agent.grpc).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(await agent.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  test('ends on SIGINT while a task works and a stream is open', { timeout: MANY_MS }, async () => {
    const { stop, rest } = await startConformanceAgent('--http', 'localhost:0');
    expect(rest).toMatch(/^http:\/\/localhost:\d+$/);
    const message = { messageId: 'tck-cancel', role: 'ROLE_USER', parts: [{ text: 'x' }] };
    const stream = await fetch(`${rest}/message:stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ message }),
    });
    const reader = stream.body!.getReader();
    await reader.read();
    expect(await stop('SIGINT')).toMatchObject({ code: 0, signal: null, stderr: '' });
    await reader.cancel().catch(() => undefined);
  });

  test.each([
    ['--colour', 'red'],
    ['--profile', '2.0'],
    ['--card', 'tarot'],
    ['--capabilities', 'some'],
    ['--auth', 'basic'],
    ['--context-ids', 'maybe'],
    ['--http', 'nowhere'],
    ['--http', '127.0.0.1:65536'],
    ['--grpc', '50051'],
    ['--http'],
    ['surprise'],
  ])('%j is wrong usage', { timeout: MANY_MS }, async (...args) => {
    const { code, stdout, stderr } = await runConformanceAgent(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('usage: npm run conformance-agent');
    expect(stderr).toContain(args[0]);
  });

  test('says how it is used, and that a port is taken', { timeout: MANY_MS }, async () => {
    const help = await runConformanceAgent('--help');
    expect([help.code, help.stderr]).toEqual([0, '']);
    expect(help.stdout).toContain('--context-ids accept|refuse');
    const first = await startConformanceAgent();
    const { host } = new URL(first.http);
    const second = await runConformanceAgent('--http', host);
    expect([second.code, second.stdout]).toEqual([1, '']);
    expect(second.stderr).toContain('EADDRINUSE');
    await first.stop();
  });
});
