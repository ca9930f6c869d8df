// Proves that clients which do not read what they asked for leave nothing behind in the daemon, and get all of it
// from the log when they read at last.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { ReadyHome } from '../../../cli/home/init.ts';
import type { RemoteAgent } from '../../../src/client/remote-agent.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import { decodeMessage } from '../../../src/envelope/decode.ts';
import { createSseParser } from '../../../transports/http/sse.ts';
import {
  closeClients,
  openHome,
  operatorClient,
  operatorMessage,
} from '../../support/agents/daemon-peers.ts';
import type { RunningDaemon } from '../../support/agents/daemon.ts';
import { daemonFile, daemonFolder, startDaemon, stopDaemons } from '../../support/agents/daemon.ts';

const MIB = 1_048_576;
const EVENTS = 2_500;
/** Of each kind. What one of them is sent is about 6 MiB. */
const SLOW = 4;
/** What the daemon may keep for one of them: what is written and not taken yet, and a page of the log. */
const BOUND = 0.5 * MIB;

const HANDLER = `
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  export const tools = [{
    name: 'test.held',
    args: { type: 'object' },
    run: async () => {
      // What is over is let go of in later turns of the event loop.
      for (let turn = 0; turn < 3; turn += 1) {
        await new Promise((resolve) => setTimeout(resolve, 0));
        collect();
      }
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    },
  }];
  export async function onTask(task, ctx) {
    for (let step = 1; step <= ${EVENTS}; step += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, at) => ctx.progress(('step ' + (step + at) + ' ').padEnd(1000, '.'))));
    }
  }`;
/** As the messages that are made by hand: who has spoken a stronger mode must go on with it. */
const SIGNED = { mode: 'sig', timeoutMs: 120_000 } as const;
const CONFIG = { admission: { rate_per_second: 100_000, burst: 100_000 } };

let daemon: RunningDaemon;
let home: ReadyHome;
beforeAll(async () => {
  const path = daemonFolder();
  home = await openHome(path);
  daemon = await startDaemon(path, [
    `--config=${daemonFile('config.json', JSON.stringify(CONFIG))}`,
    `--handler=${daemonFile('handler.mjs', HANDLER)}`,
  ]);
}, 60_000);
afterAll(async () => {
  await closeClients();
  await stopDaemons();
});

const watchOf = (id: string): { ct: string; payload: JsonObject } => ({
  ct: 'toolcall.v1',
  payload: { tool: 'task.watch', call_id: 'c', args: { id }, expect: {} },
});

async function slowHttp(id: string): Promise<IncomingMessage> {
  const { bytes } = await operatorMessage(home, { content: watchOf(id), wantsStream: true });
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
  const outgoing = request(daemon.urls.http, { method: 'POST', agent: false, headers });
  outgoing.end(bytes);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
}

async function slowWs(id: string): Promise<WebSocket> {
  const { bytes } = await operatorMessage(home, { content: watchOf(id), wantsStream: true });
  const socket = new WebSocket(daemon.urls.ws, ['a2a-sdl.v1']);
  await once(socket, 'open');
  socket.pause();
  socket.send(bytes, { binary: false });
  return socket;
}

/** The steps that were told, in order, and last the status of the answer. */
class ReadTask {
  readonly told: string[] = [];
  hasEnded = false;

  add(bytes: Uint8Array): void {
    const { type, payload } = decodeMessage(bytes, 'json') as JsonObject;
    if (type === 'evt') {
      const { patch } = payload as { readonly patch: readonly JsonObject[] };
      const step = /step \d+/.exec(JSON.stringify(patch))?.[0];
      if (step !== undefined) this.told.push(step);
      return;
    }
    this.hasEnded = true;
    this.told.push(((payload as JsonObject)['result'] as JsonObject)['status'] as string);
  }
}

const WHOLE = [...Array.from({ length: EVENTS }, (_, at) => `step ${at + 1}`), 'completed'];

async function readHttp(response: IncomingMessage): Promise<ReadTask> {
  const [read, parser] = [new ReadTask(), createSseParser(MIB)];
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    for (const { data } of parser.push(chunk)) read.add(data);
  }
  return read;
}

async function readWs(socket: WebSocket): Promise<ReadTask> {
  const read = new ReadTask();
  const ended = new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer) => {
      read.add(new Uint8Array(data));
      if (read.hasEnded) resolve();
    });
    socket.on('close', resolve);
  });
  socket.resume();
  await ended;
  socket.terminate();
  return read;
}

/** Reads all of a task as fast as it comes. */
async function follow(agent: RemoteAgent, id: string): Promise<void> {
  let events = 0;
  for await (const { type } of agent.request(watchOf(id), { ...SIGNED, stream: true })) {
    if (type === 'evt') events += 1;
  }
  expect(events).toBeGreaterThan(EVENTS);
}

describe('slow readers #exchange #limits', () => {
  test('cost the daemon no memory, and lose nothing', async () => {
    const agent = operatorClient(home).connect(daemon.urls.ipc, { agentId: daemon.agentId });
    const startTask = async (id: string): Promise<void> => {
      await agent.task({ goal: 'go', id, constraints: { time_budget_s: 0 } }, SIGNED).result();
    };
    await startTask('warm-up');
    await follow(agent, 'warm-up');
    await readHttp(await slowHttp('warm-up'));
    await readWs(await slowWs('warm-up'));
    const held = async (): Promise<number> => Number(await agent.call('test.held', {}, SIGNED));
    const before = await held();

    await startTask('slow');
    const [responses, sockets] = [[] as IncomingMessage[], [] as WebSocket[]];
    for (let count = 0; count < SLOW; count += 1) {
      responses.push(await slowHttp('slow'));
      sockets.push(await slowWs('slow'));
    }
    // Others are served to the end meanwhile, so the daemon has had all the time to run ahead of those.
    await follow(agent, 'slow');
    const each = ((await held()) - before) / (2 * SLOW);

    expect(each).toBeLessThan(BOUND);

    const stories = await Promise.all([readHttp(responses.pop()!), readWs(sockets.pop()!)]);
    for (const { told } of stories) expect(told).toEqual(WHOLE);
    for (const response of responses) response.destroy();
    for (const socket of sockets) socket.terminate();
    expect(await agent.call('sys.ping', {}, SIGNED)).toMatchObject({ pong: true });
  }, 300_000);
});
