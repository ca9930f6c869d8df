// Owns what becomes of work whose owner loses its rights: during a stream, between the calls of tools, while a part is
// with another agent, while it waits, and after a restart. The same over every face. SPEC.md section 13 (#rights-at-use).

import { describe, expect, test } from 'vitest';

import type { Task } from '../../../src/tasks/task.ts';
import { defineTool } from '../../../src/handlers/tools/tool.ts';
import type { DialectAgent } from '../../support/dialect/agent.ts';
import { asOperator } from '../../support/dialect/agent.ts';
import type { Caller } from '../../support/dialect/caller.ts';
import type { Change, Face } from '../../support/dialect/faces.ts';
import type { StoreKind } from '../../support/dialect/stores.ts';
import { aborted, doing, newGate } from '../../support/dialect/works.ts';
import { benchFor } from './bench.ts';
import { refusalOf } from './case.ts';
import { atWork } from './identity.ts';

const CHANGES: readonly Change[] = ['revoke', 'remove', 'expire', 'narrow'];

/** All at once: each waits for somebody to look. */
function forEach(run: (how: Change) => Promise<void>): () => Promise<void> {
  return async () => {
    const failures = await Promise.all(
      CHANGES.map((how) =>
        run(how).then(
          () => [],
          (cause: unknown) => [`${how}: ${String(cause)}`],
        ),
      ),
    );
    expect(failures.flat()).toEqual([]);
  };
}

/** As the operator sees it: its owner may see nothing any more. */
async function seen({ runtime }: DialectAgent, { owner }: Caller, id: string): Promise<Task> {
  for await (const { task } of runtime.tasks.follow(asOperator(), id, undefined, { owner })) {
    if (task.status.state === 'canceled') return task;
  }
  return (await runtime.tasks.get(asOperator(), id, { owner }))!;
}

export function describeRights(face: Face, kind: StoreKind): void {
  describe(`${face.name} on ${kind.name}: rights that are taken away #rights-at-use`, () => {
    const bench = benchFor(face, kind);

    test(
      'ends the stream and the task, and the next call is refused',
      forEach(async (how) => {
        const { agent } = bench;
        const { owner, id, stream, stopped } = await atWork({ agent, face });
        face.change(agent, owner, how);
        expect(await stream.end).toMatchObject({ name: 'Refused', retryable: false });
        await stopped;
        expect((await seen(agent, owner, id)).status.state).toBe('canceled');
        await refusalOf(owner.start(doing(async () => 'never')));
        await refusalOf(owner.get(id));
      }),
    );

    test(
      'counts for the next call of a tool by a task',
      forEach(async (how) => {
        let calls = 0;
        const count = defineTool({ name: 'test.count', args: true, run: () => (calls += 1) });
        const agent = await bench.newAgent({ tools: [count] });
        const owner = await face.caller(agent);
        const [called, changed, refused] = [newGate(), newGate(), newGate()];
        const { id } = await owner.start(
          doing(async (_task, ctx) => {
            await ctx.tools.call('test.count', {});
            called.open();
            await changed.opened;
            expect(ctx.tools.has('test.count')).toBe(false);
            await expect(ctx.tools.call('test.count', {})).rejects.toThrow();
            refused.open();
          }),
        );
        await called.opened;
        face.change(agent, owner, how);
        changed.open();
        await refused.opened;
        expect(calls).toBe(1);
        await seen(agent, owner, id);
      }),
    );

    test(
      'cancels a task that waits for its owner',
      forEach(async (how) => {
        const { agent } = bench;
        const owner = await face.caller(agent);
        const { id } = await owner.run(doing(async (_task, ctx) => (await ctx.ask('?')).text));
        face.change(agent, owner, how);
        await refusalOf(owner.say(id, 'go on'));
        expect((await seen(agent, owner, id)).status.state).toBe('canceled');
      }),
    );

    test(
      'while the agent is away: the task is not begun again',
      forEach(async (how) => {
        const place = bench.newPlace();
        const tasks = { node: 'same', isNodeExclusive: true };
        const first = await bench.newAgent({ store: await place.connect(), tasks });
        const owner = await face.caller(first);
        let attempts = 0;
        const { id } = await owner.start(
          doing(async (_task, ctx) => {
            attempts += 1;
            await aborted(ctx.signal);
          }),
        );
        await expect.poll(() => attempts).toBe(1);
        await first.close();
        face.change(first, owner, how);
        const second = await bench.newAgent({ store: await place.connect(), tasks }, first);
        expect((await seen(second, owner, id)).status.state).toBe('canceled');
        expect(attempts).toBe(1);
      }),
    );

    test(
      'ends the part that another agent was given',
      forEach(async (how) => {
        const helper = await bench.newAgent();
        const agent = await bench.delegating(helper);
        const owner = await face.caller(agent);
        const stopped = newGate();
        const begun = newGate();
        const part = doing(async (_task, ctx) => {
          begun.open();
          await aborted(ctx.signal);
          stopped.open();
        });
        const { id } = await owner.start(
          doing(async (_task, ctx) => {
            await ctx.delegate(helper.shared.identity.agentId, part).result();
          }),
        );
        await begun.opened;
        face.change(agent, owner, how);
        expect((await seen(agent, owner, id)).status.state).toBe('canceled');
        await stopped.opened;
      }),
    );
  });
}
