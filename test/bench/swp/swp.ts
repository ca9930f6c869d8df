// SWP against what it stands beside: tasks a second against signed envelopes over the same kind of socket, reading a frame
// against a protobuf runtime that reads the payload alone, and what an idle connection costs above a bare socket.

import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { fromBinary } from '@bufbuild/protobuf';

import { messageFrame } from '../../../profiles/swp/face/frames.ts';
import { judgeEnvelope, readEnvelope } from '../../../profiles/swp/wire/envelope.ts';
import { SwpFrameReader } from '../../../profiles/swp/wire/frame-reader.ts';
import type { SwpMessage } from '../../../profiles/swp/wire/message.ts';
import { readPayload } from '../../../profiles/swp/wire/read-payload.ts';
import { A2A_PROFILE, resolveLimits } from '../../../profiles/swp/wire/rules.ts';
import { writePayload } from '../../../profiles/swp/wire/write-payload.ts';
import { FrameReader } from '../../../src/codec/frame.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import { Clock, crypto } from '../../support/agents/agents.ts';
import { payloadSchema } from '../../support/swp/protobuf.ts';
import { OPENERS } from '../end-to-end/clients.ts';
import { typicalEnvelope } from '../envelopes.ts';
import { measure } from '../measure.ts';
import { median } from '../pipeline/pipeline.ts';
import { newSender } from '../pipeline/sender.ts';
import { printTable } from '../table.ts';
import type { SwpOrder, SwpReady } from './server.ts';

const IN_FLIGHT = 64;
const ROUNDS = 7;
const TASKS = 512;
const IDLE = 5_000;
const LEAST_RATIO = 1.5;
const MOST_DECODE = 2;
const MOST_IDLE_BYTES = 16_384;

const octets = (text: string): Uint8Array => new TextEncoder().encode(text);

export async function benchSwp(): Promise<boolean> {
  const bounds = [await benchDecode(), await benchTasks(), await benchIdle()];
  return bounds.every(Boolean);
}

async function benchTasks(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'b-'));
  const payload = { ...(typicalEnvelope()['payload'] as JsonObject), goal: 'work' };
  const options = { mode: 'sig', crypto, clock: new Clock() } as const;
  const sender = await newSender({ ...options, content: { ct: 'task.v1', payload } });
  const places = { ipc: join(folder, 'i'), swp: join(folder, 's') };
  const server = await startServer({ kind: 'runtime', ...places, peers: [sender.entry] });
  try {
    const line = await OPENERS.ipc(places.ipc);
    await sender.meet(server.ready.entry!, line.ask);
    line.close();
    const rates = { sdl: [] as number[], swp: [] as number[] };
    // The first rounds only warm it up.
    for (let round = -2; round < ROUNDS; round += 1) {
      const sdl = await sdlRate(places.ipc, await sender.seal(TASKS));
      const swp = await swpRate(places.swp, round);
      if (round < 0) continue;
      rates.sdl.push(sdl);
      rates.swp.push(swp);
    }
    const ratio = median(rates.swp.map((rate, at) => rate / rates.sdl[at]!));
    printTable(
      `a task and its result, ${IN_FLIGHT} in flight, over a Unix socket, store in memory`,
      ['', 'tasks/s'],
      [
        ['SDL, sig', median(rates.sdl).toFixed(0)],
        ['SWP, paces off', median(rates.swp).toFixed(0)],
        [`SWP / SDL (at least ${LEAST_RATIO})`, ratio.toFixed(2)],
      ],
    );
    return ratio >= LEAST_RATIO;
  } finally {
    await server.stop();
    await sender.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every connection asks for its next task when it has the result of the one before. */
async function sdlRate(path: string, requests: readonly Uint8Array[]): Promise<number> {
  const lines = await Promise.all(Array.from({ length: IN_FLIGHT }, () => OPENERS.ipc(path)));
  const queue = requests.values();
  const start = performance.now();
  await Promise.all(
    lines.map(async ({ ask }) => {
      for (const request of queue) await ask(request);
    }),
  );
  const seconds = (performance.now() - start) / 1_000;
  for (const { close } of lines) close();
  return requests.length / seconds;
}

async function swpRate(path: string, round: number): Promise<number> {
  const frames = Array.from({ length: TASKS }, (_, at) =>
    messageFrame(
      { type: 'task', taskId: octets(`t${round}-${at}`), kind: 'work', input: octets('{}') },
      Date.now(),
    ),
  );
  const lines = await Promise.all(Array.from({ length: IN_FLIGHT }, () => openSwp(path)));
  const queue = frames.values();
  const start = performance.now();
  await Promise.all(
    lines.map(async ({ ask }) => {
      for (const frame of queue) await ask(frame);
    }),
  );
  const seconds = (performance.now() - start) / 1_000;
  for (const { socket } of lines) socket.destroy();
  return frames.length / seconds;
}

/** Events come too: the Result is what is waited for. */
async function openSwp(path: string): Promise<{
  readonly socket: Socket;
  readonly ask: (frame: Uint8Array) => Promise<void>;
}> {
  const socket = connect(path);
  const reader = new FrameReader(1_048_576);
  let resolve: () => void = () => undefined;
  socket.on('data', (chunk) => {
    for (const body of reader.read(chunk)) if (body[2] === 4) resolve();
  });
  await once(socket, 'connect');
  const ask = (frame: Uint8Array): Promise<void> =>
    new Promise((done) => {
      resolve = done;
      socket.write(frame);
    });
  return { socket, ask };
}

async function benchDecode(): Promise<boolean> {
  const schema = payloadSchema();
  const sizes = resolveLimits({});
  const rules = { profiles: new Set([A2A_PROFILE]), maxPayloadBytes: sizes.maxPayloadBytes };
  const messages: Readonly<Record<string, SwpMessage>> = {
    Handshake: {
      type: 'handshake',
      agentId: 'agent.demo',
      capabilities: ['demo.run', 'demo.stop'],
    },
    Task: { type: 'task', taskId: octets('task-1'), kind: 'demo.run', input: octets('{"x":1}') },
    Event: {
      type: 'event',
      taskId: octets('task-1'),
      message: 'running',
      eventPayload: octets('{}'),
    },
    Result: {
      type: 'result',
      taskId: octets('task-1'),
      ok: true,
      output: octets('done'),
      errorMessage: '',
    },
  };
  const reader = new SwpFrameReader(sizes.maxFrameBytes);
  const take = (body: Uint8Array): boolean => {
    const envelope = readEnvelope(body, sizes);
    judgeEnvelope(envelope, rules);
    readPayload(envelope.payload, envelope.msgType);
    return true;
  };
  const rows: string[][] = [];
  const sums: [number, number] = [0, 0];
  for (const [name, message] of Object.entries(messages)) {
    const payload = new Uint8Array(writePayload(message));
    // As a socket gives it.
    const frame = Buffer.from(messageFrame(message, Date.now()));
    const [ours, theirs] = await measure([
      {
        name: 'ours',
        run: () => reader.read(frame, take),
      },
      { name: 'protobuf', run: () => fromBinary(schema, payload) },
    ]);
    sums[0] += ours!.micros;
    sums[1] += theirs!.micros;
    rows.push(rowOf(name, ours!.micros, theirs!.micros));
  }
  const [ours, theirs] = sums;
  rows.push(rowOf('all of them', ours, theirs));
  printTable(
    `reading a whole frame (length, envelope, payload) against @bufbuild/protobuf reading the payload alone (at most ${MOST_DECODE})`,
    ['', 'µs', 'protobuf µs', 'ratio'],
    rows,
  );
  return ours / theirs <= MOST_DECODE;
}

function rowOf(name: string, ours: number, theirs: number): string[] {
  return [name, ours.toFixed(2), theirs.toFixed(2), (ours / theirs).toFixed(2)];
}

async function benchIdle(): Promise<boolean> {
  const [ours, bare] = [await idleBytes('runtime'), await idleBytes('bare')];
  printTable(
    `bytes of one idle connection of ${IDLE}, without TLS (at most ${MOST_IDLE_BYTES} above a bare socket)`,
    ['SWP', 'bare socket', 'above it'],
    [[ours.toFixed(0), bare.toFixed(0), (ours - bare).toFixed(0)]],
  );
  return ours - bare <= MOST_IDLE_BYTES;
}

async function idleBytes(kind: SwpOrder['kind']): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'b-'));
  const places = { ipc: join(folder, 'i'), swp: join(folder, 's') };
  const server = await startServer({ kind, ...places, peers: [] });
  try {
    // What the first ones load counts for none of the others.
    const first = await idle(server.ready.port, 100);
    const before = await server.usedBytes();
    const sockets = await idle(server.ready.port, IDLE);
    const after = await server.usedBytes();
    if (sockets.length !== IDLE) throw new Error(`${IDLE - sockets.length} were closed`);
    for (const socket of [...first, ...sockets]) socket.destroy();
    return (after - before) / IDLE;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function idle(port: number, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  // Not all at once: the line of those that nobody has accepted yet is short.
  for (let at = 0; at < count; at += 50) {
    const some = Array.from({ length: Math.min(50, count - at) }, () => connect(port, '127.0.0.1'));
    await Promise.all(some.map((socket) => once(socket, 'connect')));
    for (const socket of some) {
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.splice(sockets.indexOf(socket), 1));
    }
    sockets.push(...some);
  }
  return sockets;
}

interface Server {
  readonly ready: SwpReady;
  readonly usedBytes: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

async function startServer(order: SwpOrder): Promise<Server> {
  const child: ChildProcess = fork(fileURLToPath(new URL('./server.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx', '--expose-gc'],
    serialization: 'advanced',
  });
  const ask = async (question: SwpOrder | 'used'): Promise<unknown> => {
    child.send(question);
    const [answer] = (await once(child, 'message')) as unknown[];
    return answer;
  };
  const ready = (await ask(order)) as SwpReady;
  return {
    ready,
    usedBytes: async () => (await ask('used')) as number,
    stop: async () => {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}
