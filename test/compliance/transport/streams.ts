// Owns what every transport must do with the stream of a task whose connection is cut again and again: nothing of the
// log is lost, nothing comes twice, and nobody goes on watching for a client that has gone.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Received } from '../../../src/client/exchange.ts';
import type { RemoteAgent } from '../../../src/client/remote-agent.ts';
import type { TaskUpdate } from '../../../src/client/task-update.ts';
import { TransportError } from '../../../src/transport.ts';
import type { CuttableWire } from '../../support/wire/cuttable-wire.ts';
import { cuttable } from '../../support/wire/cuttable-wire.ts';
import { until } from '../../support/agents/exchanges.ts';
import {
  PacedTask,
  SeenEvents,
  namesOfLog,
  seededNumbers,
} from '../../support/agents/paced-task.ts';
import type { MakeWire, Pair } from '../../support/agents/transport-pairs.ts';
import { createPair } from '../../support/agents/transport-pairs.ts';

const CUTS = 50;
const FIRST_EVENTS = 2;

export function describeStreams(name: string, makeWire: MakeWire): void {
  describe(`${name}: streams that are cut #transport-same #task-ids #exchange`, () => {
    let pair: Pair;
    let wire: CuttableWire;
    let peer: RemoteAgent;
    let paced: PacedTask;
    beforeEach(async () => {
      paced = new PacedTask();
      pair = await createPair(makeWire, { onTask: paced.onTask });
      wire = cuttable(pair.wire.dialer);
      const { runtime } = await pair.client({}, wire.dialer);
      peer = runtime.connect(pair.server.identity.agentId);
    });
    afterEach(() => pair.close());

    const watch = (id: string, after: number): AsyncIterator<Received> => {
      const payload = { tool: 'task.watch', call_id: 'c', args: { id, after }, expect: {} };
      const content = { ct: 'toolcall.v1', payload };
      const exchange = peer.request(content, { stream: true, retries: 0 });
      return exchange[Symbol.asyncIterator]();
    };

    test.each([1, 2])(
      `cut ${CUTS} times at random points, seed %i, and resumed it yields exactly the log`,
      async (seed) => {
        const random = seededNumbers(seed);
        await peer.task({ goal: 'go', id: 'cut', constraints: { time_budget_s: 0 } }).result();
        const seen = new SeenEvents();
        for (let cut = 0; cut < CUTS; cut += 1) {
          paced.allow(random(7));
          const events = watch('cut', seen.generation);
          const left = FIRST_EVENTS + paced.steps - seen.generation;
          for (let count = random(left + 1); count > 0; count -= 1) take(await events.next(), seen);
          // Perhaps nothing comes, perhaps more is on its way.
          const next = events.next().then(
            (step) => take(step, seen),
            (thrown: unknown) => expect(thrown).toBeInstanceOf(TransportError),
          );
          await until(() => wire.sent.length === cut + 2);
          await wire.cut();
          await next;
        }
        paced.end();
        const events = watch('cut', seen.generation);
        let step = await events.next();
        for (; (step.value as Received).type === 'evt'; step = await events.next())
          take(step, seen);
        expect((step.value as Received).payload).toMatchObject({
          ok: true,
          result: { status: 'completed', task: { generation: seen.generation } },
        });
        expect(seen.names).toEqual(namesOfLog(paced.steps));
      },
    );

    test.each(['task', 'tasks.watch'] as const)(
      'peer.%s goes on by itself where it was cut: every event once, and at last the task',
      async (way) => {
        const again = { wait: () => Promise.resolve() };
        const task = { goal: 'go', id: 'own' };
        if (way === 'tasks.watch') {
          await peer.task({ ...task, constraints: { time_budget_s: 0 } }).result();
        }
        const updates = way === 'task' ? peer.task(task, again) : peer.tasks.watch('own', again);
        const seen = new SeenEvents();
        let last: TaskUpdate | undefined;
        const reading = (async () => {
          for await (const update of updates) {
            last = update;
            if (update.isAnswer) continue;
            seen.addUpdate(update);
            expect(update.generation).toBe(seen.generation);
          }
        })();
        for (let cut = 1; cut <= 5; cut += 1) {
          paced.allow(4);
          await until(() => seen.generation === FIRST_EVENTS + paced.steps);
          await wire.cut();
          // What happens meanwhile is in the log only.
          paced.allow(3);
        }
        await until(() => seen.generation === FIRST_EVENTS + paced.steps);
        paced.end();
        await reading;
        // The answer itself tells of the rest that it came with.
        const told = way === 'task' ? [...seen.names, 'completed'] : seen.names;
        expect(told).toEqual(namesOfLog(paced.steps));
        expect(last).toMatchObject({ isAnswer: true, hasEnded: true, status: 'completed' });
        expect(last!.artifacts).toHaveLength(Math.floor(paced.steps / 2));
      },
    );

    test('nobody goes on watching for a client that has gone', async () => {
      await peer.task({ goal: 'go', id: 'left', constraints: { time_budget_s: 0 } }).result();
      const { outcomes } = pair.server;
      const before = outcomes.length;
      for (let cut = 1; cut <= 5; cut += 1) {
        const events = watch('left', 0);
        await events.next();
        await events.next();
        const next = events.next().catch(() => undefined);
        await wire.cut();
        await next;
        await until(() => outcomes.length === before + cut);
        expect(outcomes.at(-1)!.error?.reason).toBe('the sender has gone');
      }
    });
  });
}

function take(step: IteratorResult<Received>, seen: SeenEvents): void {
  const { type, ct, payload } = step.value as Received;
  expect(type).toBe('evt');
  seen.add(ct, payload);
}
