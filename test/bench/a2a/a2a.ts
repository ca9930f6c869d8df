// Official A2A beside the official SDK: CPU time of the server for a message over HTTP and gRPC, a stored task and an event
// of a stream, and the memory of a subscription that waits. The servers take turns, so that what else the machine does is
// shared by all.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { buildOurs } from '../../support/landed/build.ts';
import { median } from '../pipeline/pipeline.ts';
import { printTable } from '../table.ts';
import { EVENTS, STREAMS } from './agent.ts';
import type { Server } from './child.ts';
import { startServer } from './child.ts';
import { LINES } from './clients.ts';
import { askGrpc } from './grpc-load.ts';
import { benchIdle } from './idle.ts';
import type { Streamed } from './loads.ts';
import { askAll, streamAll } from './loads.ts';

/** Processes of each server, one after the other: what the compiler makes of a program differs between two runs. */
const PASSES = 3;
const ROUNDS = 7;
/** Tasks are kept: with more of them, the memory that they take would be measured. */
const REQUESTS = { message: 4_096, task: 1_024, grpc: 2_048 } as const;
/** A young server is dear; its cost stays the same after some thousands. */
const WARM_UP = { message: 8_192, task: 4_096, grpc: 4_096 } as const;

const QUESTIONS = ['message', 'task'] as const;

const MOST = {
  message: 0.35,
  face: 0.35,
  grpc: 1,
  event: 0.15,
  lateEvent: 1.2,
} as const;

/** Microseconds of CPU time of each round. */
interface Samples {
  readonly message: number[];
  /** The same message over gRPC. */
  readonly grpc: number[];
  readonly task: number[];
  /** The same tasks without HTTP and without a face. */
  readonly door: number[];
  readonly streams: Streamed[];
}

const SERVERS = { ours: './ours.ts', sdk: './sdk.ts', bare: './bare.ts' } as const;
type Name = keyof typeof SERVERS;
type Contest = Readonly<Record<Name, Samples>>;

/** False when a bound is broken. With `--builds=FOLDER` what is built is kept there. */
export async function benchA2a(flags: ReadonlySet<string>): Promise<boolean> {
  const temporary = mkdtempSync(join(tmpdir(), 'a2a-sdl-bench-'));
  const kept = [...flags].find((flag) => flag.startsWith('--builds='))?.slice('--builds='.length);
  const builds = kept === undefined ? temporary : resolve(kept);
  mkdirSync(builds, { recursive: true });
  try {
    const failed = buildOurs(builds);
    if (failed !== undefined) throw new Error(failed);
    const contest: Contest = { ours: newSamples(), sdk: newSamples(), bare: newSamples() };
    for (let pass = 0; pass < PASSES; pass += 1) await runPass(contest, builds);
    const isFast = report(contest);
    return (await benchIdle(builds)) && isFast;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function newSamples(): Samples {
  return { message: [], grpc: [], task: [], door: [], streams: [] };
}

async function runPass({ ours, sdk, bare }: Contest, builds: string): Promise<void> {
  const started: Server[] = [];
  const start = async (name: Name): Promise<Server> => {
    const server = await startServer(SERVERS[name], { builds });
    started.push(server);
    return server;
  };
  try {
    const servers = {
      ours: await start('ours'),
      sdk: await start('sdk'),
      bare: await start('bare'),
    };
    await askAll(servers.bare, 'message', WARM_UP.message);
    for (const server of [servers.ours, servers.sdk]) {
      for (const question of QUESTIONS) await askAll(server, question, WARM_UP[question]);
      await askGrpc(server, WARM_UP.grpc);
      await streamAll(server);
    }
    await servers.ours.doTasks(WARM_UP.task);
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.message.push(await askAll(servers.bare, 'message', REQUESTS.message));
      ours.message.push(await askAll(servers.ours, 'message', REQUESTS.message));
      sdk.message.push(await askAll(servers.sdk, 'message', REQUESTS.message));
      ours.grpc.push(await askGrpc(servers.ours, REQUESTS.grpc));
      sdk.grpc.push(await askGrpc(servers.sdk, REQUESTS.grpc));
      await runTasks(servers, { ours, sdk }, round % 2 === 0);
      ours.streams.push(await streamAll(servers.ours));
      sdk.streams.push(await streamAll(servers.sdk));
    }
  } finally {
    for (const server of started) await server.stop();
  }
}

/** Tasks over HTTP, and through the door: each is the first as often as the other, since what is kept makes the second dearer. */
async function runTasks(
  servers: Readonly<Record<'ours' | 'sdk', Server>>,
  { ours, sdk }: Pick<Contest, 'ours' | 'sdk'>,
  isDoorFirst: boolean,
): Promise<void> {
  if (isDoorFirst) ours.door.push(await servers.ours.doTasks(REQUESTS.task));
  ours.task.push(await askAll(servers.ours, 'task', REQUESTS.task));
  if (!isDoorFirst) ours.door.push(await servers.ours.doTasks(REQUESTS.task));
  sdk.task.push(await askAll(servers.sdk, 'task', REQUESTS.task));
}

function report({ ours, sdk, bare }: Contest): boolean {
  const face = ours.task.map((micros, round) => micros - ours.door[round]!);
  const perEvent = ({ streams }: Samples): number[] => streams.map(({ micros }) => micros);
  const late = ({ streams }: Samples): number[] => streams.map((streamed) => streamed.late);
  const early = ({ streams }: Samples): number[] => streams.map((streamed) => streamed.early);
  const rows: readonly Row[] = [
    {
      name: 'a message without a task',
      ours: ours.message,
      theirs: sdk.message,
      most: MOST.message,
    },
    {
      name: 'the same on bare node:http, nothing checked',
      ours: bare.message,
      theirs: sdk.message,
    },
    {
      name: 'a message without a task, over gRPC',
      ours: ours.grpc,
      theirs: sdk.grpc,
      most: MOST.grpc,
    },
    { name: 'a stored task', ours: ours.task, theirs: sdk.task },
    { name: 'the same task through the door in process', ours: ours.door, theirs: sdk.task },
    { name: 'the share of HTTP and the face in it', ours: face, theirs: sdk.task, most: MOST.face },
    {
      name: `an event of a stream of ${EVENTS}, ${STREAMS} streams at once`,
      ours: perEvent(ours),
      theirs: perEvent(sdk),
      most: MOST.event,
    },
    { name: 'one of the events 11 to 110', ours: early(ours), theirs: early(sdk) },
    { name: 'one of the events 301 to 400', ours: late(ours), theirs: late(sdk) },
  ];
  printTable(
    `CPU time of the server, JSON-RPC over HTTP where nothing else is said, ${LINES} requests at once; the middle of ${PASSES} × ${ROUNDS} rounds in turns, of ${REQUESTS.message} messages (gRPC: ${REQUESTS.grpc}) or ${REQUESTS.task} tasks`,
    ['', 'µs', '@a2a-js/sdk µs', 'ratio', 'half of the rounds', 'at most'],
    rows.map(({ name, ours: own, theirs, most }) => [
      name,
      median(own).toFixed(0),
      median(theirs).toFixed(0),
      ratioOf(own, theirs).toFixed(2),
      spreadOf(own, theirs),
      most?.toFixed(2) ?? '',
    ]),
  );
  const growth = ratioOf(late(ours), early(ours));
  printTable(
    'what one of the events 301 to 400 costs to one of the events 11 to 110',
    ['this', '@a2a-js/sdk', 'at most'],
    [[growth.toFixed(2), ratioOf(late(sdk), early(sdk)).toFixed(2), MOST.lateEvent.toFixed(2)]],
  );
  return (
    growth <= MOST.lateEvent &&
    rows.every(({ ours: own, theirs, most = Infinity }) => ratioOf(own, theirs) <= most)
  );
}

interface Row {
  readonly name: string;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  /** Of the ratio. @default it is only told */
  readonly most?: number;
}

/** The middle of what it is in each round: a round of one is compared with the round of the other beside it. */
function ratioOf(ours: readonly number[], theirs: readonly number[]): number {
  return median(ratiosOf(ours, theirs));
}

function ratiosOf(ours: readonly number[], theirs: readonly number[]): number[] {
  return ours.map((micros, round) => micros / theirs[round]!);
}

/** Between which the ratios of half of the rounds are. */
function spreadOf(ours: readonly number[], theirs: readonly number[]): string {
  const ratios = ratiosOf(ours, theirs).toSorted((a, b) => a - b);
  const at = (share: number): string => ratios[Math.floor(share * (ratios.length - 1))]!.toFixed(2);
  return `${at(0.25)} to ${at(0.75)}`;
}
