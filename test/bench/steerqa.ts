// Offers of SteerQA beside unsigned tasks of the SDL wire: both over HTTP, to the same agent, on the same SQLite store,
// with the same work. The ratio has a bound.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createCallers } from '../../profiles/auth/index.ts';
import { steerqa } from '../../profiles/steerqa/index.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import { http } from '../../transports/http/index.ts';
import { Clock, crypto, entryFor, newAgent } from '../support/agents/agents.ts';
import { INTENT_FINAL, intentOffer } from '../support/steerqa/agent.ts';
import { OPENERS } from './end-to-end/clients.ts';
import { median } from './pipeline/pipeline.ts';
import type { Sender } from './pipeline/sender.ts';
import { NO_BRAKES, TYPICAL_TASK, newSender } from './pipeline/sender.ts';
import { printTable } from './table.ts';
import { NO_LIMITS } from './tasks/writes.ts';

const BOUND = 0.8;
const CLIENTS = [1, 16];
const ROUNDS = 9;
const REQUESTS = 128;
/** More than one, as each may only have so many live nonces. */
const SENDERS = 8;

type Make = () => Promise<Uint8Array[]>;

export async function benchSteerqa(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'a2a-sdl-bench-'));
  const store = await openSqliteStore({ path: join(folder, 'store') });
  const clock = new Clock();
  const senders = await Promise.all(
    Array.from({ length: SENDERS }, () =>
      newSender({ mode: 'none', crypto, clock, content: TYPICAL_TASK }),
    ),
  );
  const { identity, book, runtime } = await newAgent({
    store,
    admission: NO_BRAKES,
    tasks: NO_LIMITS,
    policy: { minMode: 'none' },
    callers: createCallers({ entries: [], anonymous: ['steerqa'] }),
    onTask: async function* (_task, { artifact }) {
      yield artifact({ name: 'steerqa.final', json: INTENT_FINAL });
    },
  });
  for (const { entry } of senders) book.add(entry);
  const [web, offers] = await runtime.listen(http({ port: 0 }), steerqa());
  const [sdlUrl, offerUrl] = [web!.urls[0]!, offers!.urls[0]!];
  try {
    const meeting = await OPENERS.http(sdlUrl);
    for (const sender of senders) await sender.meet(entryFor(identity), meeting.ask);
    meeting.close();
    const ways = [
      { url: sdlUrl, make: sealedBy(senders), wants: '"completed"' },
      { url: offerUrl, make: newOffers, wants: '"final"' },
    ] as const;
    return await report(ways);
  } finally {
    await runtime.close({ graceMs: 0 });
    for (const sender of senders) await sender.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Way {
  readonly url: string;
  readonly make: Make;
  /** What stands in every good answer. */
  readonly wants: string;
}

async function report(ways: readonly [Way, Way]): Promise<boolean> {
  const rows: string[][] = [];
  let isWithinBounds = true;
  for (const clients of CLIENTS) {
    const speeds: [number, number][] = [];
    // The first rounds only warm up.
    for (let round = -3; round < ROUNDS; round += 1) {
      const [sdl, own] = [await speedOf(ways[0], clients), await speedOf(ways[1], clients)];
      if (round >= 0) speeds.push([sdl, own]);
    }
    const ratio = median(speeds.map(([sdl, own]) => own / sdl));
    if (ratio < BOUND) isWithinBounds = false;
    const typical = (at: 0 | 1): string => median(speeds.map((pair) => pair[at])).toFixed(0);
    rows.push([`${clients} at once`, ratio.toFixed(2), typical(1), typical(0)]);
  }
  printTable(
    `SteerQA over HTTP against unsigned tasks of the SDL wire, SQLite; the ratio is to be at least ${BOUND}`,
    ['', 'ratio', 'offers/s', 'SDL none/s'],
    rows,
  );
  return isWithinBounds;
}

async function speedOf({ url, make, wants }: Way, atOnce: number): Promise<number> {
  const requests = await make();
  const clients = await Promise.all(Array.from({ length: atOnce }, () => OPENERS.http(url)));
  const began = process.hrtime.bigint();
  await Promise.all(
    clients.map(async ({ ask }, client) => {
      for (let at = client; at < requests.length; at += atOnce) {
        const answer = new TextDecoder().decode(await ask(requests[at]!));
        if (!answer.includes(wants)) throw new Error(`an answer is another one: ${answer}`);
      }
    }),
  );
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  for (const { close } of clients) close();
  return requests.length / seconds;
}

function sealedBy(senders: readonly Sender[]): Make {
  return async () => {
    const shares: Uint8Array[] = [];
    for (const sender of senders) shares.push(...(await sender.seal(REQUESTS / senders.length)));
    return shares;
  };
}

async function newOffers(): Promise<Uint8Array[]> {
  return Array.from({ length: REQUESTS }, () =>
    new TextEncoder().encode(JSON.stringify(intentOffer({ idempotency_key: randomUUID() }))),
  );
}
