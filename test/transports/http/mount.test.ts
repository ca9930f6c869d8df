// Proves the agent inside a server of node:http, connections that are handed over, and the options.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import type { Inbound } from '../../../src/transport.ts';
import type { HttpOptions } from '../../../transports/http/index.ts';
import { http, mountHttp } from '../../../transports/http/index.ts';
import { isUpgradeHost } from '../../../transports/http/host/upgrade.ts';
import {
  call,
  contextOf,
  echo,
  listenOn,
  open,
  rawPost,
  reply,
  say,
  serveAgent,
  stopAgents,
  textOf,
  untilClosed,
} from '../../support/agents/http-agent.ts';
import { listen, stopServers } from '../../support/wire/loopback-servers.ts';

afterEach(async () => {
  await stopAgents();
  await stopServers();
});

const publicUrl = 'http://agent.example/a2a';
const toAgent = { host: 'agent.example' };

describe('#transport-http inside another server', () => {
  test('a handler for node:http serves from the moment that a runtime listens', async () => {
    const mount = mountHttp({ publicUrl, allowedHosts: ['other.example'] });
    const server = await listen(createServer(mount.handler));
    expect((await call(server, { headers: toAgent })).status).toBe(503);
    const listener = await mount.listen(contextOf(echo), []);
    expect(listener.urls).toEqual([publicUrl]);
    await expect(mount.listen(contextOf(echo), [])).rejects.toThrow('one runtime at a time');
    const answer = await call(server, { body: '{"n":1}', headers: toAgent });
    expect(answer).toMatchObject({ status: 200, body: '{"n":1}' });
    expect((await call(server, { headers: { host: 'other.example' } })).status).toBe(200);
    expect((await call(server, { headers: { host: 'localhost' } })).status).toBe(421);
    expect((await call(server, { path: '/else', headers: toAgent })).status).toBe(404);
    await listener.close(0);
    await listener.close(0);
    expect((await call(server, { headers: toAgent })).status).toBe(503);
  });

  test('closing lets an exchange end', async () => {
    const mount = mountHttp({ publicUrl });
    const server = await listen(createServer(mount.handler));
    let release = (): void => {};
    let started = (): void => {};
    const isStarted = new Promise<void>((resolve) => (started = resolve));
    const listener = await mount.listen(
      contextOf(async function* () {
        started();
        await new Promise<void>((resolve) => (release = resolve));
        yield reply('{"done":true}');
      }),
      [],
    );
    const first = call(server, { headers: { ...toAgent, connection: 'keep-alive' } });
    await isStarted;
    const closed = listener.close(60_000);
    release();
    expect(await first).toMatchObject({ body: '{"done":true}', headers: { connection: 'close' } });
    await closed;
  });

  test('closing cuts off what does not end', async () => {
    const mount = mountHttp({ publicUrl });
    const server = await listen(createServer(mount.handler));
    const seen: Inbound[] = [];
    const listener = await mount.listen(
      contextOf(async function* (inbound) {
        seen.push(inbound);
        await once(inbound.signal, 'abort');
        yield reply('{}');
      }),
      [],
    );
    const socket = await open(server);
    socket.write(rawPost(server, '{}').replace(/Host: \S+/, 'Host: agent.example'));
    await expect.poll(() => seen.length).toBe(1);
    const said = untilClosed(socket);
    await listener.close(10);
    expect(await said).toBe('');
    expect(seen[0]!.signal.aborted).toBe(true);
  });
});

describe('#transport-ws a connection that is handed over', () => {
  const ask = (port: number, path: string, more = ''): string =>
    `GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${more}\r\nfirst`;

  test('goes to who takes its path, with the first bytes behind it', async () => {
    const agent = await serveAgent(echo);
    expect(isUpgradeHost(agent.listener)).toBe(true);
    expect(agent.listener.urlOf('/x')).toBe(`http://127.0.0.1:${agent.port}/x`);
    const release = agent.listener.onUpgrade('/a2a', (request, socket, head) => {
      const facts = agent.listener.peerFactsOf(request, 'ws');
      socket.end(`${JSON.stringify(facts)} ${textOf(head)}`);
    });
    expect(() => agent.listener.onUpgrade('/a2a', () => {})).toThrow('already has a handler');
    expect(await say(agent, ask(agent.port, '/a2a?x=1'))).toBe(
      '{"transport":"ws","address":"127.0.0.1"} first',
    );
    release();
    release();
    expect(await say(agent, ask(agent.port, '/a2a'))).toMatch(/^HTTP\/1\.1 404 /);
    agent.listener.onUpgrade('/a2a', (_request, socket) => void socket.end('again'));
    expect(await say(agent, ask(agent.port, '/a2a'))).toBe('again');
  });

  test('is refused with a foreign path, host or origin', async () => {
    const agent = await serveAgent(echo, { allowedOrigins: ['https://console.example'] });
    agent.listener.onUpgrade('/a2a', (_request, socket) => void socket.end('taken'));
    const { port } = agent;
    expect(await say(agent, ask(port, '/else'))).toMatch(/^HTTP\/1\.1 404 /);
    expect(await say(agent, ask(port + 1, '/a2a'))).toMatch(/^HTTP\/1\.1 421 /);
    expect(await say(agent, ask(port, '/a2a', 'Origin: http://evil.example\r\n'))).toMatch(
      /^HTTP\/1\.1 403 /,
    );
    expect(await say(agent, ask(port, '/a2a', 'Origin: https://console.example\r\n'))).toBe(
      'taken',
    );
  });

  test('has its own time to end when the listener closes', async () => {
    const agent = await listenOn(contextOf(echo));
    const taken: Duplex[] = [];
    agent.listener.onUpgrade('/a2a', (_request, socket) => taken.push(socket));
    const socket = await open(agent);
    socket.write(ask(agent.port, '/a2a'));
    await expect.poll(() => taken.length).toBe(1);
    const said = untilClosed(socket);
    const closed = agent.listener.close(60_000);
    taken[0]!.end('goodbye');
    expect(await said).toBe('goodbye');
    await closed;
    taken[0]!.destroy();
  });

  test('that does not end is cut off after the grace', async () => {
    const agent = await listenOn(contextOf(echo));
    const taken: Duplex[] = [];
    agent.listener.onUpgrade('/a2a', (_request, socket) => taken.push(socket));
    const socket = await open(agent);
    socket.write(ask(agent.port, '/a2a'));
    await expect.poll(() => taken.length).toBe(1);
    const said = untilClosed(socket);
    await agent.listener.close(10);
    expect(await said).toBe('');
  });
});

describe('#transport-http options', () => {
  test.each<[HttpOptions, string]>([
    [{ port: -1 }, '"port" expected an integer from 0 to 65535'],
    [{ port: 1.5 }, '"port"'],
    [{ host: '' }, '"host" expected'],
    [{ headersTimeoutMs: 0 }, '"headersTimeoutMs" expected an integer from 1'],
    [
      { headersTimeoutMs: 50, requestTimeoutMs: 49 },
      '"requestTimeoutMs" expected an integer from 50',
    ],
    [{ keepAliveTimeoutMs: Number.NaN }, '"keepAliveTimeoutMs"'],
    [{ stalledWriteTimeoutMs: 2 ** 31 }, '"stalledWriteTimeoutMs"'],
    [{ maxConnections: 0 }, '"maxConnections"'],
    [{ maxConnectionsPerAddress: 0 }, '"maxConnectionsPerAddress"'],
    [{ maxSockets: 0 }, '"maxSockets"'],
    [{ adminToken: 'short' }, '"adminToken" expected at least 16 characters'],
    [{ allowedHosts: ['http://x'] }, '"allowedHosts" expected'],
    [{ allowedHosts: ['::1'] }, '"allowedHosts" expected'],
    [{ allowedOrigins: ['x.example'] }, '"allowedOrigins" expected'],
    [{ allowedOrigins: ['https://x.example/'] }, '"allowedOrigins" expected'],
    [{ allowedOrigins: ['null'] }, '"allowedOrigins" expected'],
    [{ publicUrl: 'agent.example' }, '"publicUrl" expected'],
  ])('%j are refused', (options, message) => {
    expect(() => http(options)).toThrow(message);
  });

  test('are good as they are', () => {
    expect(http()).toMatchObject({ name: 'http', schemes: ['http:', 'https:'] });
    expect(() => http({ allowedHosts: ['a.example', '[::1]:80', '10.0.0.1:1'] })).not.toThrow();
  });
});
