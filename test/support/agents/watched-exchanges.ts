// Owns exchanges between two real agents with somebody in between: what is asked, and what came of it.

import { onTestFinished } from 'vitest';

import type { ExchangeOptions, Received } from '../../../src/client/exchange.ts';
import type { Content } from '../../../src/envelope/build.ts';
import type { Envelope } from '../../../src/envelope/types.ts';
import type { Tool } from '../../../src/handlers/tools/tool.ts';
import { defineTool } from '../../../src/handlers/tools/tool.ts';
import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { Store } from '../../../src/stores/store.ts';
import { taskPayload } from '../wire/envelopes.ts';
import type { Change } from '../wire/man-between.ts';
import { manBetween, numberOf } from '../wire/man-between.ts';
import type { Agent } from './agents.ts';
import { entryFor, newAgent } from './agents.ts';
import type { MakeWire, Pair } from './transport-pairs.ts';
import { createPair, httpWire, unixWire, wsWire } from './transport-pairs.ts';

export const WIRES: readonly (readonly [string, MakeWire])[] = [
  ['HTTP', httpWire],
  ['WebSocket', wsWire],
  ['a Unix socket', unixWire],
];

/** Tells three steps, and then its result. */
const counting: Tool = defineTool({
  name: 'test.count',
  args: { type: 'object' },
  async *run() {
    for (const step of [1, 2, 3]) {
      await Promise.resolve();
      yield step;
    }
    return 'done';
  },
});

export const task = { ct: 'task.v1', payload: { ...taskPayload, context: { task: { id: 't' } } } };
export const toolCall = {
  ct: 'toolcall.v1',
  payload: { tool: 'test.count', call_id: 'c', args: {}, expect: {} },
};
export const watch = {
  ct: 'toolcall.v1',
  payload: { tool: 'task.watch', call_id: 'w', args: { id: 't', whole: true }, expect: {} },
};

export interface Scene {
  readonly pair: Pair;
  readonly client: Agent;
  /** Of the client. */
  readonly store: Store;
  /** As they came from the agent. */
  readonly told: readonly Envelope[];
  readonly ask: (content?: Content, options?: ExchangeOptions) => Promise<Received[]>;
}

export async function sceneOn(
  makeWire: MakeWire,
  change: Change,
  more: Parameters<typeof manBetween>[2] = {},
): Promise<Scene> {
  const pair = await createPair(makeWire, { tools: [counting] });
  onTestFinished(() => pair.close());
  const { dialer, told } = manBetween(pair.wire.dialer, change, more);
  const store = createMemoryStore({ now: pair.server.clock.now });
  const client = await newAgent({ transports: [dialer], now: pair.server.clock.now, store });
  onTestFinished(() => client.runtime.close({ graceMs: 0 }));
  client.book.add(entryFor(pair.server.identity, { endpoints: [pair.url] }));
  pair.server.book.add(entryFor(client.identity));
  return {
    pair,
    client,
    store,
    told,
    ask: async (content = task, options = {}) => {
      const peer = client.runtime.connect(pair.server.identity.agentId);
      const received: Received[] = [];
      for await (const one of peer.request(content, { stream: true, ...options })) {
        received.push(one);
      }
      return received;
    },
  };
}

export const honest: Change = (answers) => answers;

export const numbersOf = (received: readonly Received[]): unknown[] =>
  received.map(({ envelope }) => numberOf(envelope));

/** 1, 2 … and of the `res` the last of them again. */
export function wholeCount(length: number): number[] {
  return Array.from({ length }, (_, index) => Math.min(index + 1, length - 1));
}
