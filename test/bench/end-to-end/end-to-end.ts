// Requests over real sockets to a server in its own process, against a bare server that is given and gives as many
// bytes: requests a second, and CPU time of the server for each.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Clock, crypto } from '../../support/agents/agents.ts';
import type { ServerChild, WireName } from './child.ts';
import { WIRES, startServer } from './child.ts';
import { OPENERS } from './clients.ts';
import { assertAnswered, median } from '../pipeline/pipeline.ts';
import type { Sender } from '../pipeline/sender.ts';
import { newSender } from '../pipeline/sender.ts';
import { printTable } from '../table.ts';

const MODES = ['sig', 'enc+sig'] as const;
type Mode = (typeof MODES)[number];

const CLIENTS = [1, 16, 64];
/** More than one, as each may only have so many live nonces; each in one mode, as nobody may fall back to a weaker. */
const SENDERS_PER_MODE = 4;
const ROUNDS = 5;
const REQUESTS = 128;
/** A bare server is so much faster that it needs more of them to be timed. */
const BARE_FACTOR = 6;
const WARM_UP_REQUESTS = 2_000;
/** A round takes well below a second: what takes so long has come to a halt. */
const MAX_ROUND_MS = 30_000;

interface Load {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

/** A mode with those who send in it, and one exchange of theirs. */
interface Party {
  readonly mode: Mode;
  readonly senders: readonly Sender[];
  readonly seal: (count: number) => Promise<Uint8Array[]>;
}

export async function benchEndToEnd(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-sdl-bench-'));
  const parties = await Promise.all(MODES.map(newParty));
  const children: ServerChild[] = [];
  try {
    const ours = await startServer('./server.ts', {
      socketPath: join(folder, 'ours'),
      peers: parties.flatMap(({ senders }) => senders.map(({ entry }) => entry)),
      replyBytes: new Map(),
    });
    children.push(ours);
    const replyBytes = new Map<number, number>();
    for (const party of parties) await meet(party, ours, replyBytes);
    const bare = await startServer('./bare.ts', {
      socketPath: join(folder, 'bare'),
      peers: [],
      replyBytes,
    });
    children.push(bare);
    for (const wire of WIRES) await reportWire(wire, parties, ours, bare);
  } finally {
    for (const child of children) await child.stop();
    for (const { senders } of parties) for (const sender of senders) await sender.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function newParty(mode: Mode): Promise<Party> {
  const clock = new Clock();
  const senders = await Promise.all(
    Array.from({ length: SENDERS_PER_MODE }, () => newSender({ mode, crypto, clock })),
  );
  const seal = async (count: number): Promise<Uint8Array[]> => {
    const share = Math.ceil(count / senders.length);
    const shares: Uint8Array[][] = [];
    for (const sender of senders) shares.push(await sender.seal(share));
    return shares.flat();
  };
  return { mode, senders, seal };
}

/** Makes the senders known to the server, and warms it up. Notes how long replies to a request of a length are. */
async function meet(
  { senders, seal }: Party,
  { addresses, entry }: ServerChild,
  replyBytes: Map<number, number>,
): Promise<void> {
  const { ask, close } = await OPENERS.ipc(addresses.ipc);
  for (const sender of senders) await sender.meet(entry!, ask);
  for (const request of await seal(WARM_UP_REQUESTS)) {
    const reply = await ask(request);
    replyBytes.set(request.length, reply.length);
  }
  close();
}

async function reportWire(
  wire: WireName,
  parties: readonly Party[],
  ours: ServerChild,
  bare: ServerChild,
): Promise<void> {
  const rows: string[][] = [];
  for (const clients of CLIENTS) {
    const loads = parties.map(() => ({ ours: [] as Load[], bare: [] as Load[] }));
    // The first round only opens paths that were not used yet.
    for (let round = -1; round < ROUNDS; round += 1) {
      for (const [index, { seal }] of parties.entries()) {
        const requests = await seal(REQUESTS);
        const repeated = Array.from({ length: BARE_FACTOR }, () => requests).flat();
        const real = await load(wire, ours, requests, clients);
        const plain = await load(wire, bare, repeated, clients);
        if (round < 0) continue;
        loads[index]!.ours.push(real);
        loads[index]!.bare.push(plain);
      }
    }
    for (const [index, { mode }] of parties.entries()) {
      rows.push(rowOf(`${mode}, ${clients}`, loads[index]!.ours, loads[index]!.bare));
    }
  }
  printTable(
    `${wire}: a request and its sealed reply, by mode and clients, against a bare server with the same bytes`,
    ['', 'requests/s ratio', 'CPU ratio', 'requests/s', 'bare', 'server CPU µs', 'bare µs'],
    rows,
  );
}

function rowOf(name: string, ours: readonly Load[], bare: readonly Load[]): string[] {
  const typical = (loads: readonly Load[], of: keyof Load): number =>
    median(loads.map((each) => each[of]));
  const ratio = (of: keyof Load): string =>
    median(ours.map((each, round) => each[of] / bare[round]![of])).toFixed(
      of === 'cpuMicros' ? 1 : 3,
    );
  return [
    name,
    ratio('perSecond'),
    ratio('cpuMicros'),
    ...[ours, bare].map((loads) => typical(loads, 'perSecond').toFixed(0)),
    ...[ours, bare].map((loads) => typical(loads, 'cpuMicros').toFixed(0)),
  ];
}

/** Every client sends its next request when it has its answer, until all are answered. */
async function load(
  wire: WireName,
  { addresses, cpuMicros }: ServerChild,
  requests: readonly Uint8Array[],
  clients: number,
): Promise<Load> {
  const open = OPENERS[wire];
  const lines = await Promise.all(Array.from({ length: clients }, () => open(addresses[wire])));
  const queue = requests.values();
  let last: Uint8Array | undefined;
  const cpuBefore = await cpuMicros();
  const start = performance.now();
  const answered = lines.map(async ({ ask }) => {
    for (const request of queue) last = await ask(request);
  });
  await inTime(Promise.all(answered));
  const seconds = (performance.now() - start) / 1_000;
  const cpu = (await cpuMicros()) - cpuBefore;
  for (const { close } of lines) close();
  // What a bare server sends is blank.
  if (last![0] !== 0x20) assertAnswered(last!);
  return { perSecond: requests.length / seconds, cpuMicros: cpu / requests.length };
}

async function inTime(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('a server does not answer')), MAX_ROUND_MS);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
