// Cost of a request through the whole pipeline, its sealed reply included, as a ratio to the sum of what cannot be left
// out. In CPU time, because other programs run too.

import * as node from 'node:crypto';

import { createNativeProvider } from '../../../src/crypto/native.ts';
import type { CryptoProvider } from '../../../src/crypto/provider.ts';
import { createSodiumProvider } from '../../../src/crypto/sodium.ts';
import type { SecurityMode } from '../../../src/envelope/types.ts';
import type { Calls } from '../bare-crypto.ts';
import { bareNode, bareSodium, installedSodium } from '../bare-crypto.ts';
import { floorOf } from './floor.ts';
import type { Pair } from './pair.ts';
import { newPair } from './pair.ts';
import { reportStages } from './stages.ts';
import { printTable } from '../table.ts';

/** A library for cryptography: as the runtime uses it, and bare. */
export interface Library {
  readonly provider: CryptoProvider;
  readonly bareFor: (message: Uint8Array) => Calls;
}

interface Row {
  readonly name: string;
  readonly pair: Pair;
  readonly floor: () => void;
  readonly sizes: string;
  readonly micros: number[];
  readonly floorMicros: number[];
  readonly ratios: number[];
}

const MODES: readonly SecurityMode[] = ['none', 'sig', 'enc+sig'];
/** The compiler needs thousands of requests before their cost stays the same. */
const WARM_UP_ROUNDS = 16;
const ROUNDS = 21;
/** Requests in a round: some ten milliseconds of work. */
const BATCH = 30;

/** With `--stages` it also prints where the time goes. */
export async function benchPipeline(flags: ReadonlySet<string>): Promise<void> {
  const libraries = installedLibraries();
  const rows: Row[] = [];
  for (const library of libraries) {
    for (const mode of MODES) {
      for (const audit of [false, true]) rows.push(await newRow(library, mode, audit));
    }
  }
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    for (const row of rows) await runRound(row, round >= 0);
  }
  for (const { pair } of rows) await pair.close();
  printTable(
    'a request and its signed reply in process, against the sum of the parts that cannot be avoided (CPU time)',
    ['', 'ratio', 'µs', 'sum µs', 'bytes in / out'],
    rows.map(({ name, micros, floorMicros, ratios, sizes }) => [
      name,
      median(ratios).toFixed(2),
      median(micros).toFixed(0),
      median(floorMicros).toFixed(0),
      sizes,
    ]),
  );
  if (flags.has('--stages')) await reportStages(libraries);
}

function installedLibraries(): Library[] {
  const sodium = installedSodium();
  if (sodium === undefined) console.log('\nsodium-native is not installed');
  return [
    ...(sodium
      ? [
          {
            provider: createSodiumProvider(),
            bareFor: (message: Uint8Array) => bareSodium(sodium, message),
          },
        ]
      : []),
    // On this thread: what the thread pool adds is latency, and what it frees no loop can show.
    { provider: createNativeProvider(node, 1), bareFor: bareNode },
  ];
}

async function newRow(library: Library, mode: SecurityMode, audit: boolean): Promise<Row> {
  const { provider, bareFor } = library;
  const pair = await newPair({ mode, audit, crypto: provider });
  const [request] = await pair.seal(1);
  const reply = await pair.receive(request!);
  return {
    name: `${mode}, ${provider.name}${audit ? ', audit' : ''}`,
    pair,
    floor: floorOf({ mode, audit, bareFor, request: request!, reply }),
    sizes: `${request!.length} / ${reply.length}`,
    micros: [],
    floorMicros: [],
    ratios: [],
  };
}

/** The floor right after the real thing, so that what slows one of them slows the other too. */
async function runRound(
  { pair, floor, micros, floorMicros, ratios }: Row,
  counts: boolean,
): Promise<void> {
  await pair.forget();
  const requests = await pair.seal(BATCH);
  const start = cpuMicros();
  let reply = requests[0]!;
  for (const request of requests) reply = await pair.receive(request);
  const middle = cpuMicros();
  for (let time = 0; time < BATCH; time += 1) floor();
  const end = cpuMicros();
  assertAnswered(reply);
  if (!counts) return;
  micros.push((middle - start) / BATCH);
  floorMicros.push((end - middle) / BATCH);
  ratios.push((middle - start) / (end - middle));
}

/** A refusal would be fast, and prove nothing. */
export function assertAnswered(reply: Uint8Array): void {
  const { ct } = JSON.parse(new TextDecoder().decode(reply)) as { ct: string };
  if (ct === 'error.v1') throw new Error('a request of the benchmark was refused');
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

export function median(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[samples.length >> 1]!;
}
