// What a task costs, beside commit b3437ec and the official A2A SDK: the contestants take turns, so that what else the
// machine does is shared by all.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import {
  LANDED,
  buildLanded,
  buildOurs,
  installLandedDriver,
} from '../../../support/landed/build.ts';
import { printTable } from '../../table.ts';
import type { Contestant } from './child.ts';
import { AT_ONCE, startContestant } from './child.ts';

/** Processes of each contestant, one after the other: what the compiler makes of a program differs between two runs. */
const PASSES = 4;
const ROUNDS = 6;
const TASKS = 1_024;
/** Until the compiler has little left to do. With the rounds it stays below what known callers may keep by default. */
const WARM_UP = 2_560;

type StoreName = 'memory' | 'SQLite';

interface Entry {
  readonly name: string;
  readonly module: string;
  readonly stores: readonly StoreName[];
}

/** The first is what the others are compared with. */
const ENTRIES: readonly Entry[] = [
  { name: `(a) commit ${LANDED}`, module: 'landed.ts', stores: ['memory', 'SQLite'] },
  { name: '(b) @a2a-js/sdk', module: 'sdk.ts', stores: ['memory'] },
  { name: '(c) this', module: 'ours.ts', stores: ['memory', 'SQLite'] },
];

/** What (c) may cost of (a) at most. */
const BOUNDS: Readonly<Record<StoreName, number>> = { memory: 0.75, SQLite: 0.7 };

/** One contestant on one store. */
class Seat {
  readonly store: StoreName;
  readonly entry: Entry;
  /** Microseconds of CPU time of a task, round by round. */
  readonly samples: number[] = [];
  /** Why it does not take part. */
  absent: string | undefined;

  constructor(store: StoreName, entry: Entry, absent: string | undefined) {
    this.store = store;
    this.entry = entry;
    this.absent = absent;
  }
}

/** False when a bound is broken. With `--builds=FOLDER` what is built is kept there, and commit b3437ec is not built again. */
export async function benchCompared(flags: ReadonlySet<string>): Promise<boolean> {
  const temporary = mkdtempSync(join(tmpdir(), 'a2a-sdl-bench-'));
  const kept = [...flags].find((flag) => flag.startsWith('--builds='))?.slice('--builds='.length);
  const builds = kept === undefined ? join(temporary, 'builds') : resolve(kept);
  mkdirSync(builds, { recursive: true });
  try {
    const seats = seatsIn(builds);
    for (let pass = 0; pass < PASSES; pass += 1) await runPass(seats, builds, temporary, pass);
    report(seats);
    return seats.every((seat) => isWithinBounds(seat, seats));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function seatsIn(builds: string): Seat[] {
  const landed = buildLanded(builds);
  const driver = landed ?? installLandedDriver(builds);
  const ours = buildOurs(builds);
  const absent = ({ module }: Entry, store: StoreName): string | undefined => {
    if (module === 'ours.ts') return ours;
    if (module !== 'landed.ts') return undefined;
    return store === 'memory' ? landed : driver;
  };
  return (['memory', 'SQLite'] as const).flatMap((store) =>
    ENTRIES.filter(({ stores }) => stores.includes(store)).map(
      (entry) => new Seat(store, entry, absent(entry, store)),
    ),
  );
}

async function runPass(
  seats: readonly Seat[],
  builds: string,
  temporary: string,
  pass: number,
): Promise<void> {
  const present: { readonly seat: Seat; readonly contestant: Contestant }[] = [];
  try {
    for (const [number, seat] of seats.entries()) {
      if (seat.absent !== undefined) continue;
      const file = join(temporary, `db-${pass}-${number}`);
      const order = { builds, ...(seat.store === 'SQLite' && { file }) };
      try {
        const contestant = await startContestant(seat.entry.module, order);
        present.push({ seat, contestant });
        await contestant.round(WARM_UP);
      } catch (thrown) {
        seat.absent = (thrown as Error).message;
      }
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { seat, contestant } of present) {
        if (seat.absent === undefined) seat.samples.push(await contestant.round(TASKS));
      }
    }
  } finally {
    for (const { contestant } of present) await contestant.stop();
  }
}

function report(seats: readonly Seat[]): void {
  const rows = seats.map((seat) => {
    const name = `${seat.store}: ${seat.entry.name}`;
    if (seat.absent !== undefined) return [`${name}: ${seat.absent}`, '', '', ''];
    const sorted = seat.samples.toSorted((a, b) => a - b);
    const ratio = ratioOf(seat, seats);
    return [
      name,
      at(sorted, 0.5).toFixed(0),
      `${at(sorted, 0.1).toFixed(0)}–${at(sorted, 0.9).toFixed(0)}`,
      ratio?.toFixed(2) ?? '',
    ];
  });
  printTable(
    `CPU time of the process for a task (one text artifact, then its end), started and followed, ${AT_ONCE} at once; the middle of ${PASSES} × ${ROUNDS} rounds of ${TASKS} tasks, in turns`,
    ['', 'µs a task', '8 of 10 rounds within', 'to (a)'],
    rows,
  );
}

function isWithinBounds(seat: Seat, seats: readonly Seat[]): boolean {
  const { entry, store } = seat;
  return entry.module !== 'ours.ts' || (ratioOf(seat, seats) ?? 0) <= BOUNDS[store];
}

/** The middle of what it is in each round: a round of one is compared with the round of the other beside it. */
function ratioOf(seat: Seat, seats: readonly Seat[]): number | undefined {
  const first = seats.find(({ store }) => store === seat.store)!;
  if (first.absent !== undefined || seat.absent !== undefined) return undefined;
  const ratios = seat.samples.map((micros, round) => micros / first.samples[round]!);
  return at(
    ratios.toSorted((a, b) => a - b),
    0.5,
  );
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)]!;
}
