// Two agents of one process: the requests of one are sealed ahead, the other one answers them.

import { createMemoryStore } from '../../../src/stores/memory.ts';
import { Clock, entryFor, inboundOf, newAgent } from '../../support/agents/agents.ts';
import type { Ask, SenderOptions } from './sender.ts';
import { NO_BRAKES, echoContent, newSender } from './sender.ts';

export interface PairOptions extends Omit<SenderOptions, 'clock'> {
  readonly audit: boolean;
  /** Called with every request that reaches the handler. @default nothing */
  readonly onHandle?: () => void;
}

export interface Pair {
  readonly seal: (count: number) => Promise<Uint8Array[]>;
  /** The whole way of one message. */
  readonly receive: Ask;
  /** Moves the clock on until every nonce has expired: one sender may only have so many. */
  readonly forget: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Longer than a nonce of the client lives, and the skew. */
const NONCE_LIFE_MS = 300_000;

export async function newPair({ mode, crypto, audit, onHandle }: PairOptions): Promise<Pair> {
  const clock = new Clock();
  const store = createMemoryStore({ now: clock.now });
  const { identity, book, runtime } = await newAgent({
    crypto,
    now: clock.now,
    store,
    audit,
    admission: NO_BRAKES,
    contents: [echoContent(onHandle)],
  });
  const context = await runtime.listenContext();
  const receive: Ask = async (request) => {
    let last = request;
    for await (const { bytes } of context.receive(inboundOf(request))) last = bytes;
    return last;
  };
  const sender = await newSender({ mode, crypto, clock });
  book.add(sender.entry);
  await sender.meet(entryFor(identity), receive);
  return {
    seal: sender.seal,
    receive,
    async forget() {
      clock.nowMs += NONCE_LIFE_MS;
      await store.purge();
    },
    async close() {
      await sender.close();
      await runtime.close({ graceMs: 0 });
      await store.close();
    },
  };
}
