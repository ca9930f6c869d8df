// Proves how the HTTP listener ends: nothing new, what is in flight to its end, and no connection left.

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Inbound, Receive } from '../../../src/transport.ts';
import {
  call,
  echo,
  open,
  rawPost,
  reply,
  serveAgent,
  stopAgents,
  untilClosed,
} from '../../support/agents/http-agent.ts';

afterEach(stopAgents);

/** Answers when the test says so. */
function held(): { receive: Receive; seen: Inbound[]; release: () => void } {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const seen: Inbound[] = [];
  const receive: Receive = async function* (inbound) {
    seen.push(inbound);
    yield reply('{"started":true}', { type: 'evt' });
    await Promise.race([released, once(inbound.signal, 'abort')]);
    yield reply('{"done":true}');
  };
  return { receive, seen, release };
}

const LONG_MS = 60_000;

describe('#transport-timeouts closing', () => {
  test('lets an exchange end and closes its connection then', async () => {
    const { receive, seen, release } = held();
    const agent = await serveAgent(receive);
    const answer = call(agent, { body: '{}', headers: { connection: 'keep-alive' } });
    await expect.poll(() => seen.length).toBe(1);
    const closed = agent.listener.close(LONG_MS);
    release();
    expect(await answer).toMatchObject({
      status: 200,
      body: '{"done":true}',
      headers: { connection: 'close' },
    });
    await closed;
    expect(seen[0]!.signal.aborted).toBe(false);
  });

  test('closes the connection of a stream that had begun before', async () => {
    const { receive, release } = held();
    const agent = await serveAgent(receive);
    const socket = await open(agent);
    socket.write(rawPost(agent, '{}', 'Accept: text/event-stream\r\n'));
    await once(socket, 'data');
    const said = untilClosed(socket);
    const closed = agent.listener.close(LONG_MS);
    release();
    expect(await said).toContain('data: {"done":true}\n\n');
    await closed;
  });

  test('closes idle connections at once and takes no new ones', async () => {
    const agent = await serveAgent(echo);
    const idle = await open(agent);
    idle.write(rawPost(agent, '{}'));
    await once(idle, 'data');
    const mute = await open(agent);
    const ends = [untilClosed(idle), untilClosed(mute)];
    await agent.listener.close(LONG_MS);
    await Promise.all(ends);
    const late = connect(agent.port, '127.0.0.1');
    const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
  });

  test('hands a request that comes meanwhile to the runtime, which says what to do', async () => {
    const { receive, seen, release } = held();
    const agent = await serveAgent(receive);
    const socket = await open(agent);
    socket.write(rawPost(agent, '{"n":1}'));
    await expect.poll(() => seen.length).toBe(1);
    const said = untilClosed(socket);
    const closed = agent.listener.close(LONG_MS);
    socket.write(rawPost(agent, '{"n":2}'));
    await expect.poll(() => seen.length).toBe(2);
    release();
    expect((await said).match(/HTTP\/1\.1 200 OK\r\nconnection: close/gi)).not.toBeNull();
    await closed;
  });

  test('cuts off after the grace what has not ended', async () => {
    const { receive, seen } = held();
    const agent = await serveAgent(receive);
    const socket = await open(agent);
    socket.write(rawPost(agent, '{}'));
    await expect.poll(() => seen.length).toBe(1);
    const said = untilClosed(socket);
    await agent.listener.close(20);
    expect(await said).toBe('');
    expect(seen[0]!.signal.aborted).toBe(true);
  });

  test('does not cut off an answer that is written but not read yet', async () => {
    const size = 8_000_000;
    const agent = await serveAgent(async function* () {
      yield reply('x'.repeat(size));
    });
    const socket = await open(agent);
    socket.write(rawPost(agent, '{}'));
    await once(socket, 'readable');
    const closed = agent.listener.close(LONG_MS);
    expect((await untilClosed(socket)).length).toBeGreaterThan(size);
    await closed;
  });

  test('twice is the same as once', async () => {
    const agent = await serveAgent(echo);
    await Promise.all([agent.listener.close(LONG_MS), agent.listener.close(0)]);
    await agent.listener.close(0);
    await expect(call(agent)).rejects.toThrow('ECONNREFUSED');
  });

  test('a port that is taken is told by an error, and nothing stays behind', async () => {
    const agent = await serveAgent(echo);
    await expect(serveAgent(echo, { port: agent.port })).rejects.toThrow('EADDRINUSE');
  });
});
