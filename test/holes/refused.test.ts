// Holes that were found in refusals that should be final: the same over every wire of signed messages, and on every store
// that keeps their nonces. SPEC.md section 7 (#replay-retry, #replay-horizon).

import { randomUUID } from 'node:crypto';

import { describe, expect, onTestFinished, test } from 'vitest';

import { createClient } from '../../src/client/client.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import type { RuntimeOptions } from '../../src/runtime/options.ts';
import { peerFromBundle } from '../../src/security/peers/new-peer.ts';
import type { EntryStore } from '../../src/stores/store.ts';
import type { Dialer, Incoming, Outbound } from '../../src/transport.ts';
import { openPostgresStore } from '../../stores/postgres/index.ts';
import { http } from '../../transports/http/index.ts';
import { ipc } from '../../transports/ipc/index.ts';
import { ws } from '../../transports/ws/index.ts';
import { Clock, entryFor, newIdentity } from '../support/agents/agents.ts';
import { DialectAgent } from '../support/dialect/agent.ts';
import { schemaAt, server } from '../support/stores/postgres.ts';
import { hasRedis, sharedRedis } from '../support/stores/redis.ts';
import { forge, judge, newReceiver } from '../support/wire/forge.ts';

const DAY_MS = 86_400_000;

describe('A6 a final refusal stays final over every wire #replay-retry', () => {
  test.each([
    ['http', http],
    ['ws', ws],
    ['ipc', ipc],
  ] as const)('A6 over %s', async (name, transport) => {
    const agent = await DialectAgent.open({});
    onTestFinished(() => agent.close());
    const { book, identity: own, now } = agent.shared;
    const identity = await newIdentity();
    const entry = peerFromBundle(identity.bundle, {}, now());
    book.add({ ...entry, contentTypes: ['task.v1'] });
    const tap = tapped(transport());
    const client = createClient({ identity, peers: [own.bundle], transports: [tap], now });
    onTestFinished(() => client.close());
    const peer = client.connect(agent.url(name), { agentId: own.agentId });
    await expect(peer.call('sys.ping')).rejects.toMatchObject({ code: 'SECURITY_UNSUPPORTED' });
    book.add(entry);
    const [first, again] = [tap.answers.at(-1)!, await tap.again()];
    expect(again).toEqual(first);
    expect(await peer.call('sys.ping')).toBeDefined();
  });
});

interface Tapped extends Dialer {
  readonly answers: readonly (readonly Uint8Array[])[];
  /** The last message once more, by somebody who has its bytes. */
  again(): Promise<readonly Uint8Array[]>;
}

function tapped(dialer: Dialer): Tapped {
  const answers: Uint8Array[][] = [];
  let last: { readonly url: string; readonly outbound: Outbound };
  return {
    schemes: dialer.schemes,
    answers,
    again: async () => {
      const connection = await dialer.dial(last.url, { limits: DEFAULT_LIMITS });
      const found: Uint8Array[] = [];
      const { signal } = new AbortController();
      for await (const { bytes } of connection.exchange({ ...last.outbound, signal })) {
        found.push(bytes);
      }
      await connection.close();
      return found;
    },
    dial: async (url, options) => {
      const connection = await dialer.dial(url, options);
      async function* exchange(outbound: Outbound): AsyncGenerator<Incoming> {
        last = { url, outbound };
        const found: Uint8Array[] = [];
        answers.push(found);
        for await (const incoming of connection.exchange(outbound)) {
          found.push(incoming.bytes);
          yield incoming;
        }
      }
      return {
        exchange,
        notify: (outbound) => connection.notify(outbound),
        get isOpen() {
          return connection.isOpen;
        },
        close: () => connection.close(),
      };
    },
  };
}

type Ledger = (
  clock: Clock,
) => Promise<{ readonly options: Partial<RuntimeOptions>; readonly store: EntryStore }>;

const LEDGERS: readonly (readonly [string, Ledger])[] = [
  ...(server === undefined ? [] : [['PostgreSQL', postgresLedger] as const]),
  ...(hasRedis ? [['Redis', redisLedger] as const] : []),
];

async function postgresLedger({ now }: Clock): ReturnType<Ledger> {
  const schema = schemaAt(`refused_${randomUUID().slice(0, 8)}`);
  const store = await openPostgresStore({ connection: server!.url, schema, now });
  onTestFinished(() => store.close());
  return { options: { store }, store };
}

async function redisLedger({ now }: Clock): ReturnType<Ledger> {
  const { open } = await sharedRedis();
  const store = await open(randomUUID().slice(0, 8), { now });
  onTestFinished(() => store.close());
  return { options: { shared: { replayStore: store } }, store };
}

describe.skipIf(LEDGERS.length === 0)('what other stores keep of nonces', () => {
  test.each(LEDGERS)(
    'A6 A11 a refusal, and what was forgotten, on two nodes on %s',
    async (_name, open) => {
      const clock = new Clock();
      // The server of the store has a clock of its own.
      clock.nowMs = Date.now();
      const { options, store } = await open(clock);
      const bob = await newReceiver({ ...options, now: clock.now });
      const alice = await newIdentity();
      const other = await newReceiver({ ...options, now: clock.now, identity: bob.identity });
      const nodes = [bob, { ...other, identity: bob.identity }];
      const setRights = (contentTypes?: readonly string[]): void => {
        for (const { book } of nodes) book.add(entryFor(alice, contentTypes && { contentTypes }));
      };
      setRights(['negotiation.v1']);
      const draft = { nowMs: clock.nowMs };
      const refused = await forge(alice, bob, draft);
      expect((await judge(bob, refused)).code).toBe('NOT_AUTHORIZED');
      setRights();
      const ran = await forge(alice, bob, draft);
      expect((await judge(bob, ran)).code).toBeUndefined();
      for (const node of nodes) {
        expect((await judge(node, refused)).outcome.isRetry).toBe(true);
        expect((await judge(node, ran)).outcome.isRetry).toBe(true);
      }
      clock.nowMs += DAY_MS;
      await judge(bob, await forge(alice, bob, { nowMs: clock.nowMs }));
      await store.purge();
      clock.nowMs -= DAY_MS - 1_000;
      for (const node of nodes) {
        for (const message of [refused, ran]) {
          expect((await judge(node, message)).code).toBe('TIME_INVALID');
        }
      }
      expect([bob.runs.length, other.runs.length]).toEqual([2, 0]);
    },
  );
});
