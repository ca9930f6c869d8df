// Owns the one question about captured messages: does any run a second time? Thousands of every kind are played again
// after whatever makes an agent forget. SPEC.md section 7 (#replay-horizon, #replay-retry).

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import { formatTimestamp } from '../../src/envelope/timestamp.ts';
import { defineTool } from '../../src/handlers/tools/tool.ts';
import type { LocalIdentity } from '../../src/security/identity/identity.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { openPostgresStore } from '../../stores/postgres/index.ts';
import { openSqliteStore } from '../../stores/sqlite/index.ts';
import type { Agent } from '../support/agents/agents.ts';
import {
  Clock,
  NOW,
  entryFor,
  inboundOf,
  newAgent,
  newIdentity,
  repliesOf,
} from '../support/agents/agents.ts';
import { cuttable } from '../support/dialect/stores.ts';
import { schemaAt, server } from '../support/stores/postgres.ts';
import { driver, temporaryFolder } from '../support/stores/sqlite.ts';
import { forge } from '../support/wire/forge.ts';

const DAY_MS = 86_400_000;
/** At the same time. */
const LANES = 64;
/** Each situation plays one message of so many, another one each time, so that each is played again; or all of them. */
const ONE_OF = process.env['A2A_SDL_REPLAY_ALL'] === undefined ? 5 : 1;
const folder = temporaryFolder();

/** What became of a message when it was captured, and how often it has run then. */
const KINDS = { answered: 1, streamed: 1, 'in flight': 1, refused: 0, expired: 0 } as const;
type Kind = keyof typeof KINDS;

interface Captured {
  readonly kind: Kind;
  readonly bytes: Uint8Array;
}

/** Where nodes of one agent keep things, by one clock. */
type Place = (clock: Clock) => Promise<Store>;

class Stage {
  readonly clock: Clock = new Clock();
  /** By the name of each message. */
  readonly runs: Map<string, number> = new Map();
  readonly #server: LocalIdentity;
  readonly #senders: readonly LocalIdentity[];
  /** May those do tasks now who could not when their messages were refused? */
  #isWide = false;
  #inFlight = 0;
  #situations = 0;

  constructor(own: LocalIdentity, senders: readonly LocalIdentity[]) {
    this.#server = own;
    this.#senders = senders;
  }

  static async open(): Promise<Stage> {
    const kinds = Object.keys(KINDS);
    const senders = await Promise.all(kinds.map(() => newIdentity()));
    return new Stage(await newIdentity(), senders);
  }

  /** A start of the agent on this store. */
  async start(store: Store): Promise<Agent> {
    const agent = await newAgent({
      store,
      identity: this.#server,
      now: this.clock.now,
      audit: false,
      tools: [this.#tool()],
      admission: {
        maxInFlight: 100_000,
        maxInFlightPerPeer: 100_000,
        ratePerSecond: 1e9,
        burst: 1e9,
      },
    });
    onTestFinished(() => agent.runtime.close({ graceMs: 0 }));
    for (const [at, kind] of Object.keys(KINDS).entries()) {
      const mayNothing = kind === 'refused' && !this.#isWide;
      const entry = mayNothing ? { tools: ['sys.ping'] } : {};
      agent.book.add(entryFor(this.#senders[at]!, entry));
    }
    return { ...agent, identity: this.#server };
  }

  widen(): void {
    this.#isWide = true;
  }

  /** Sealed at the beginning, and sent once. */
  async capture(agent: Agent, perKind: number): Promise<Captured[]> {
    const captured: Captured[] = [];
    for (const [at, kind] of (Object.keys(KINDS) as Kind[]).entries()) {
      // So long ago that its time is over when it comes.
      const nowMs = kind === 'expired' ? NOW - 600_000 : NOW;
      const lasts = kind === 'expired' ? 60_000 : 1_800_000;
      for (let count = 0; count < perKind; count += 1) {
        const payload = {
          tool: 'test.run',
          call_id: `${kind} ${count}`,
          args: { name: `${kind} ${count}`, kind },
          expect: {},
        };
        const { bytes } = await forge(this.#senders[at]!, agent, {
          ct: 'toolcall.v1',
          payload,
          nowMs,
          replay: { exp: formatTimestamp(nowMs + lasts) },
        });
        captured.push({ kind, bytes });
      }
    }
    const rest = captured.filter(({ kind }) => kind !== 'in flight');
    await this.#sendAll(agent, rest);
    // They have no end, so nobody waits for one.
    for (const one of captured) if (one.kind === 'in flight') void this.#send(agent, one);
    await expect.poll(() => this.#inFlight, { timeout: 30_000 }).toBe(perKind);
    return captured;
  }

  /** What was captured comes again. */
  async play(agent: Agent, captured: readonly Captured[]): Promise<void> {
    const turn = (this.#situations += 1);
    await this.#sendAll(
      agent,
      captured.filter((_, at) => (at + turn) % ONE_OF === 0),
    );
  }

  async #sendAll(agent: Agent, messages: readonly Captured[]): Promise<void> {
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < messages.length) await this.#send(agent, messages[(next += 1) - 1]!);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  /** Somebody is heard at this time. */
  async hear(agent: Agent): Promise<void> {
    const payload = { tool: 'sys.ping', call_id: 'ping', args: {}, expect: {} };
    const { bytes } = await forge(this.#senders[0]!, agent, {
      ct: 'toolcall.v1',
      payload,
      nowMs: this.clock.nowMs,
    });
    await this.#send(agent, { kind: 'answered', bytes });
  }

  /** By kind: how many messages have run how often. */
  counts(): Record<string, Record<number, number>> {
    const counts: Record<string, Record<number, number>> = {};
    for (const [name, times] of this.runs) {
      const kind = name.replace(/ \d+$/, '');
      (counts[kind] ??= {})[times] = (counts[kind][times] ?? 0) + 1;
    }
    return counts;
  }

  async #send({ runtime }: Agent, { kind, bytes }: Captured): Promise<void> {
    await repliesOf(runtime, inboundOf(bytes, 'json', { wantsStream: kind === 'streamed' }));
  }

  #tool(): ReturnType<typeof defineTool> {
    return defineTool({
      name: 'test.run',
      args: true,
      run: ({ name, kind }: JsonObject) => {
        const word = name as string;
        this.runs.set(word, (this.runs.get(word) ?? 0) + 1);
        if (kind === 'streamed') return told();
        if (kind !== 'in flight') return 'done';
        this.#inFlight += 1;
        return new Promise<never>(() => undefined);
      },
    });
  }
}

async function* told(): AsyncGenerator<string> {
  yield 'begun';
  yield 'done';
}

async function playAgain(place: Place, perKind: number): Promise<void> {
  const stage = await Stage.open();
  const { clock } = stage;
  const first = cuttable(await place(clock));
  const agent = await stage.start(first);
  const captured = await stage.capture(agent, perKind);
  const ran = Object.fromEntries(
    Object.entries(KINDS)
      .filter(([, times]) => times > 0)
      .map(([kind, times]) => [kind, { [times]: perKind }]),
  );
  expect(stage.counts()).toEqual(ran);
  stage.widen();

  const store = await place(clock);
  const other = await stage.start(store);
  await stage.play(other, captured);
  expect(stage.counts(), 'on the other node').toEqual(ran);

  // As by the end of its process: nothing of it is told to the store any more.
  first.cut();
  await agent.runtime.close({ graceMs: 0 });
  await other.runtime.close({ graceMs: 0 });
  clock.nowMs += 5_000;
  const again = await stage.start(store);
  await stage.play(again, captured);
  expect(stage.counts(), 'after a restart').toEqual(ran);

  await store.purge();
  await stage.play(again, captured);
  expect(stage.counts(), 'after a purge').toEqual(ran);

  clock.nowMs = NOW + DAY_MS;
  await stage.hear(again);
  await store.purge();
  await stage.play(again, captured);
  expect(stage.counts(), 'after the clock went forward').toEqual(ran);

  clock.nowMs = NOW + 6_000;
  await stage.play(again, captured);
  // To a time at which those that came too late would have been in time.
  clock.nowMs = NOW - 590_000;
  await stage.play(
    again,
    captured.filter(({ kind }) => kind === 'expired'),
  );
  expect(stage.counts(), 'after the clock went back').toEqual(ran);
  await again.runtime.close({ graceMs: 0 });

  clock.nowMs = NOW + 7_000;
  const empty = await stage.start(createMemoryStore({ now: clock.now }));
  await stage.play(empty, captured);
  expect(stage.counts(), 'on an empty store').toEqual(ran);
}

test.skipIf(driver === undefined)(
  'A11 10,000 captured messages of every kind (answered, refused, in flight, expired, streamed) are played again after restart, after a purge, after the clock went forward and back, on an empty store, on the other node: none runs a second time',
  async () => {
    const path = join(folder, randomUUID());
    const opened: Store[] = [];
    onTestFinished(async () => {
      for (const store of opened) await store.close();
    });
    await playAgain(async ({ now }) => {
      const store = await openSqliteStore({ path, now });
      opened.push(store);
      return store;
    }, 2_000);
  },
  300_000,
);

test.skipIf(server === undefined)(
  'A11 and so it is on PostgreSQL, with two nodes',
  async () => {
    const schema = schemaAt(`replayed_${randomUUID().slice(0, 8)}`);
    const opened: Store[] = [];
    onTestFinished(async () => {
      for (const store of opened) await store.close();
    });
    await playAgain(async ({ now }) => {
      const store = await openPostgresStore({ connection: server!.url, schema, now });
      opened.push(store);
      return store;
    }, 60);
  },
  120_000,
);
