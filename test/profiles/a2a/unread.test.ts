// Proves that clients which never read cost the agent a bounded queue each, and nobody else anything: what is queued for
// each of them is measured at its own connection.

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import { a2a } from '../../../profiles/a2a/index.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import { mountHttp } from '../../../transports/http/index.ts';
import type { TestAgent } from '../../support/a2a/agent.ts';
import { runtimeFor } from '../../support/a2a/agent.ts';
import { allFrames, textAt } from '../../support/a2a/ask.ts';
import type { Cell } from '../../support/a2a/cells.ts';
import { CELLS } from '../../support/a2a/cells.ts';
import { readMetrics } from '../../support/wire/prometheus.ts';

const PIECES = 300;
const PIECE = 'x'.repeat(100_000);
const SILENT = 4;
/** What Node takes before it says that it is enough, and a frame with what it is wrapped in. */
const BOUND = 65_536 + PIECE.length + 4_096;

interface Served extends TestAgent {
  /** The open streams, in the order in which they were asked for. */
  readonly streams: readonly ServerResponse[];
}

/** In a server whose responses the test can see. */
async function servedFor(onTask: OnTask): Promise<Served> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const mount = mountHttp({ publicUrl: `${origin}/a2a`, faces: [a2a()] });
  const tasks = { maxHeldBytes: 1_073_741_824, maxOutputBytes: 1_000_000 };
  const runtime = await runtimeFor({ runtime: { onTask, tasks } });
  await runtime.listen(mount);
  const streams: ServerResponse[] = [];
  server.on('request', (request, response) => {
    if (request.headers['x-silent'] === '1') streams.push(response);
    mount.handler(request, response);
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await runtime.close({ graceMs: 0 });
  });
  return { runtime, origin, rpc: `${origin}/rpc`, streams };
}

/** A client that sends a request and reads nothing of the answer. */
function silentClient(cell: Cell, agent: TestAgent, id: string): Socket {
  const [url, { method = 'GET', headers = {}, body }] = cell.requestFor(agent, 'subscribe', { id });
  const { host, hostname, port, pathname } = new URL(url);
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = Object.entries({
    ...headers,
    host,
    'x-silent': '1',
    'content-length': String(Buffer.byteLength(text)),
  }).map(([name, value]) => `${name}: ${value}`);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(`${method} ${pathname} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text}`);
  onTestFinished(() => void socket.destroy());
  return socket;
}

describe.each(CELLS.filter(({ wire }) => wire === 'v1'))('$name #a2a-streams', (cell) => {
  test('who never reads has a bounded queue, holds up nobody, and finds all of it when it reads', async () => {
    let go = (): void => undefined;
    const told = new Promise<void>((resolve) => (go = resolve));
    const agent = await servedFor(async function* work(_task, ctx) {
      await told;
      for (let piece = 0; piece < PIECES; piece += 1) {
        yield ctx.artifact({ id: 'log', text: PIECE });
      }
    });
    const id = textAt(cell.taskOf(await cell.ask(agent, 'send', { isWaiting: false })), 'id');
    const { metrics } = await agent.runtime.listenContext();
    const watchers = (): number | undefined =>
      readMetrics(metrics()).get('a2a_sdl_watchers')?.samples.get('a2a_sdl_watchers');
    const clients = Array.from({ length: SILENT }, () => silentClient(cell, agent, id));
    await expect.poll(watchers, { timeout: 30_000 }).toBe(SILENT);
    const reading = cell.fetch(agent, 'subscribe', { id }).then(allFrames);
    await expect.poll(watchers, { timeout: 30_000 }).toBe(SILENT + 1);
    go();
    // Somebody who reads has all of it meanwhile.
    const frames = await reading;
    expect(frames.flatMap((frame) => cell.inFrame(frame, 'artifactUpdate') ?? [])).toHaveLength(
      PIECES,
    );
    expect(agent.streams).toHaveLength(SILENT);
    await expect
      .poll(() => agent.streams.every((stream) => stream.writableNeedDrain), { timeout: 30_000 })
      .toBe(true);
    for (const stream of agent.streams) expect(stream.writableLength).toBeLessThan(BOUND);
    // One of them changes its mind.
    const late = clients[0]!;
    let text = '';
    late.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    late.resume();
    await expect.poll(() => text.endsWith('0\r\n\r\n'), { timeout: 60_000 }).toBe(true);
    expect(text.split(PIECE)).toHaveLength(PIECES + 1);
    expect(agent.streams[1]!.writableLength).toBeLessThan(BOUND);
  }, 120_000);
});
