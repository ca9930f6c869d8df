// Where the time of a request goes: check by check, then the way to the handler and the making of the reply.

import type { CryptoProvider } from '../../../src/crypto/provider.ts';
import type { SecurityMode } from '../../../src/envelope/types.ts';
import type { Stage } from '../../../src/pipeline/stages.ts';
import { STAGES } from '../../../src/pipeline/stages.ts';
import type { Library } from './pipeline.ts';
import { median } from './pipeline.ts';
import { newPair } from './pair.ts';
import { printTable } from '../table.ts';

const WARM_UP = 1_000;
const REQUESTS = 400;
const BATCH = 50;

const TO_HANDLER = 'to the handler';
const REPLY = 'reply';

/** Microseconds of one request, by part. */
type Split = Map<string, number>;

/** One table for each library and mode, with the audit log. */
export async function reportStages(libraries: readonly Library[]): Promise<void> {
  for (const { provider } of libraries) {
    for (const mode of ['sig', 'enc+sig'] as const) await reportMode(provider, mode);
  }
}

async function reportMode(provider: CryptoProvider, mode: SecurityMode): Promise<void> {
  const stopwatch = new Stopwatch();
  const onHandle = (): void => stopwatch.enter(REPLY);
  const crypto = timed(provider, stopwatch);
  const pair = await newPair({ mode, crypto, audit: true, onHandle });
  const splits: { readonly all: Split; readonly crypto: Split }[] = [];
  for (let done = 0; done < WARM_UP + REQUESTS; done += BATCH) {
    await pair.forget();
    const requests = await pair.seal(BATCH);
    const restore = watchStages(stopwatch);
    for (const request of requests) {
      stopwatch.start();
      await pair.receive(request);
      splits.push(stopwatch.stop());
    }
    restore();
  }
  await pair.close();
  const counted = splits.slice(WARM_UP);
  const names = [...STAGES.map(({ name }) => name), TO_HANDLER, REPLY];
  const typical = (kind: 'all' | 'crypto', name: string): number =>
    median(counted.map((split) => split[kind].get(name) ?? 0));
  const rows = names.map((name) => [name, typical('all', name), typical('crypto', name)] as const);
  const total = rows.reduce((sum, [, micros]) => sum + micros, 0);
  const inCrypto = rows.reduce((sum, [, , micros]) => sum + micros, 0);
  printTable(
    `${mode}, ${provider.name}, audit: where the time goes (medians)`,
    ['', 'µs', 'of it cryptography', 'the rest', 'share of the rest'],
    [...rows, ['all', total, inCrypto] as const].map(([name, micros, inside]) => [
      name,
      micros.toFixed(1),
      inside.toFixed(1),
      (micros - inside).toFixed(1),
      `${Math.round(((micros - inside) / (total - inCrypto)) * 100)} %`,
    ]),
  );
}

/** Whatever runs counts for the part that was entered last. */
class Stopwatch {
  #all: Split = new Map();
  #crypto: Split = new Map();
  #part = '';
  #since = 0;

  start(): void {
    this.#all = new Map();
    this.#crypto = new Map();
    this.#part = 'admit';
    this.#since = performance.now();
  }

  enter(part: string): void {
    const now = performance.now();
    add(this.#all, this.#part, now - this.#since);
    this.#part = part;
    this.#since = now;
  }

  spend<T>(work: () => T): T {
    const start = performance.now();
    try {
      return work();
    } finally {
      add(this.#crypto, this.#part, performance.now() - start);
    }
  }

  stop(): { readonly all: Split; readonly crypto: Split } {
    this.enter('');
    return { all: this.#all, crypto: this.#crypto };
  }
}

function add(split: Split, part: string, millis: number): void {
  split.set(part, (split.get(part) ?? 0) + millis * 1_000);
}

/** The same provider; both run on this thread, so that a call is over when it returns. */
function timed(provider: CryptoProvider, stopwatch: Stopwatch): CryptoProvider {
  const entries = Object.entries(provider) as [string, unknown][];
  return Object.fromEntries(
    entries.map(([name, member]) => [
      name,
      typeof member === 'function'
        ? (...args: unknown[]): unknown =>
            stopwatch.spend(() => (member as (...all: unknown[]) => unknown)(...args))
        : member,
    ]),
  ) as unknown as CryptoProvider;
}

/** Puts the stopwatch between the checks; answers how to take it out again. */
function watchStages(stopwatch: Stopwatch): () => void {
  const stages = STAGES as { name: string; run: Stage['run'] }[];
  const originals = stages.map(({ run }) => run);
  for (const stage of stages) {
    const { name, run } = stage;
    stage.run = (passage) => {
      stopwatch.enter(name);
      return run(passage);
    };
  }
  const last = stages.at(-1)!;
  const { run } = last;
  last.run = async (passage) => {
    await run(passage);
    stopwatch.enter(TO_HANDLER);
  };
  return () => {
    for (const [index, stage] of stages.entries()) stage.run = originals[index]!;
  };
}
