// Owns that on every transport a server which stops waits for nobody who has gone, and for all others.

import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/codec/value.ts';
import type { RuntimeOptions } from '../../../src/runtime/options.ts';
import { defineContent } from '../../../src/handlers/custom/define-content.ts';
import type { Agent } from '../../support/agents/agents.ts';
import { until } from '../../support/agents/exchanges.ts';
import { Gate } from '../../support/agents/tasks.ts';
import type { MakeWire, Pair } from '../../support/agents/transport-pairs.ts';
import { createPair } from '../../support/agents/transport-pairs.ts';

/** Far longer than a test may take: one that waits for it fails. */
const ENDLESS = { graceMs: 600_000 };
const TEST_MS = 20_000;

export function describeGone(name: string, makeWire: MakeWire): void {
  describe(`${name}: who has gone is not waited for #transport-timeouts`, () => {
    async function withPair(
      options: Partial<RuntimeOptions>,
      run: (pair: Pair, client: Agent) => Promise<void>,
    ): Promise<void> {
      const pair = await createPair(makeWire, options);
      try {
        await run(pair, await pair.client());
      } finally {
        await pair.close();
      }
    }

    test(
      'neither before the server stops nor meanwhile',
      () =>
        withPair({}, async (pair, first) => {
          const { server } = pair;
          const second = await pair.client();
          const calls = [first, second].map(({ runtime }, at) =>
            runtime
              .connect(server.identity.agentId)
              .call('test.hold', { key: `${at}` }, { retries: 0 })
              .catch(() => 'gone'),
          );
          await Promise.all([server.held.entered('0'), server.held.entered('1')]);
          await first.runtime.close({ graceMs: 0 });
          const closed = server.runtime.close(ENDLESS);
          await second.runtime.close({ graceMs: 0 });
          expect(await Promise.all(calls)).toEqual(['gone', 'gone']);
          await closed;
        }),
      TEST_MS,
    );

    test(
      'and its task is taken up by the next start',
      () => {
        let starts = 0;
        const onTask: RuntimeOptions['onTask'] = async function* (_task, ctx) {
          starts += 1;
          yield ctx.progress('begun');
          await once(ctx.signal, 'abort');
        };
        return withPair({ onTask }, async (pair, { runtime }) => {
          const { server } = pair;
          const follow = runtime.connect(server.identity.agentId).task('never ends');
          const steps = follow[Symbol.asyncIterator]();
          await steps.next();
          const rest = steps.next().catch(() => 'gone');
          await runtime.close({ graceMs: 0 });
          await rest;
          await server.runtime.close(ENDLESS);
          expect(starts).toBe(1);
          await pair.restart();
          await until(() => starts === 2);
        });
      },
      TEST_MS,
    );

    test(
      'but the event that it left is worked to its end',
      () => {
        const [entered, released] = [new Gate(), new Gate()];
        const ends: string[] = [];
        const handle = async (
          _payload: unknown,
          ctx: { signal: AbortSignal },
        ): Promise<JsonObject> => {
          entered.open();
          await released.opened;
          ends.push(ctx.signal.aborted ? 'cut off' : 'done');
          return {};
        };
        const note = defineContent({ ct: 'note.v1', schema: { type: 'object' }, handle });
        return withPair({ contents: [note] }, async (pair, { runtime }) => {
          const { server } = pair;
          const options = { retries: 0 };
          runtime.handle(note);
          const peer = runtime.connect(server.identity.agentId);
          const told = peer.notify({ ct: 'note.v1', payload: {} }, options).catch(() => {});
          await entered.opened;
          const other = (await pair.client()).runtime.connect(server.identity.agentId);
          await other.call('sys.ping', {});
          await runtime.close({ graceMs: 0 });
          await told;
          const closed = server.runtime.close(ENDLESS).then(() => ends.push('closed'));
          await expect(other.call('sys.ping', {}, options)).rejects.toThrow();
          released.open();
          await closed;
          expect(ends).toEqual(['done', 'closed']);
        });
      },
      TEST_MS,
    );
  });
}
