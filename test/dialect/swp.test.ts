// Proves that SWP says of tasks what the other dialects say, as far as its wire goes; and that what it cannot say holds
// all the same: who owns a task, what is refused, what rights that are taken away end, and what other faces see.

import { describe, expect, onTestFinished, test } from 'vitest';

import type { ErrorCode } from '../../src/errors.ts';
import { ERRORS, SdlError } from '../../src/errors.ts';
import { MAP } from '../../profiles/swp/face/conditions.ts';
import type { RuntimeOptions } from '../../src/runtime/options.ts';
import { TaskError } from '../../src/tasks/error.ts';
import { ended, refusalOf, watching } from '../compliance/dialect/case.ts';
import { describeDialect } from '../compliance/dialect/dialect.ts';
import { DialectAgent, asOperator } from '../support/dialect/agent.ts';
import { outputOf, textOf } from '../support/dialect/caller.ts';
import type { Change } from '../support/dialect/faces.ts';
import { PLAIN } from '../support/dialect/faces.ts';
import { MEMORY, cuttable } from '../support/dialect/stores.ts';
import { SWP } from '../support/dialect/swp-face.ts';
import { aborted, doing, newGate } from '../support/dialect/works.ts';

test('what the wire cannot say is said here', () => {
  const all = Array.from({ length: 50 }, (_, at) => at + 1);
  const said = new Set([1, 2, 13, 14, 17, 19, 22, 23, 25]);
  expect(Object.keys(SWP.cannot).map(Number)).toEqual(all.filter((number) => !said.has(number)));
});

describeDialect(SWP, MEMORY);

async function newAgent(
  options: Partial<RuntimeOptions> = {},
  as?: DialectAgent,
): Promise<DialectAgent> {
  const agent = await DialectAgent.open(options, as);
  onTestFinished(() => agent.close());
  return agent;
}

describe('SWP beside other faces #swp-lifecycle', () => {
  test('3: a task that its author rejects fails with its words', async () => {
    const agent = await newAgent();
    const text = doing(async () => {
      throw new TaskError('not on Sundays', { code: 'SUNDAY', rejects: true });
    });
    expect(await agent.swp().run(text)).toMatchObject({
      state: 'failed',
      failure: { code: 'SUNDAY', message: 'not on Sundays' },
    });
  });

  test('15 and 16: the same task_id of two owners is two tasks, which do not see each other', async () => {
    const agent = await newAgent();
    const owners = [agent.swp(), agent.swp()];
    const text = doing(async ({ owner }) => owner);
    const views = await Promise.all(owners.map((owner) => owner.run({ text, id: 'ours' })));
    expect(views.map(outputOf)).toEqual(owners.map(({ owner }) => owner));
    const [one, other] = await Promise.all(owners.map((owner) => PLAIN.link(agent, owner)));
    expect([(await one!.list()).total, (await other!.list()).total]).toEqual([1, 1]);
  });

  test('18 and 50: a task begun over SWP is seen, answered and canceled by its owner elsewhere', async () => {
    const agent = await newAgent();
    const peer = await agent.sdl('http');
    const here = agent.swp(peer.owner);
    const asks = doing(async (_task, ctx) => `told ${(await ctx.ask('which?')).text}`);
    const waiting = await here.run({ text: asks, id: 'asks' });
    expect(waiting).toMatchObject({ state: 'input-required', words: 'which?' });
    const seen = await peer.get('asks');
    expect(seen).toMatchObject({ state: 'input-required', words: 'which?' });
    expect(textOf(seen.history[0]!.parts)).toBe(asks);
    const result = here.get('asks');
    await peer.say('asks', 'this');
    await ended(peer, 'asks');
    await expect.poll(async () => outputOf(await here.get('asks'))).toBe('told this');
    await result;
    const held = doing(async (_task, ctx) => aborted(ctx.signal));
    await here.start({ text: held, id: 'held' });
    await expect.poll(async () => (await peer.list()).total).toBe(2);
    const end = here.get('held');
    await peer.cancel('held');
    expect(await end).toMatchObject({ state: 'failed', failure: { code: 'CANCELED' } });
  });

  test.each<Change>(['revoke', 'remove', 'expire', 'narrow'])(
    '20 and 21: rights that are taken away (%s) close the stream and end the task',
    async (how) => {
      let starts = 0;
      const agent = await newAgent({
        on: { outcome: ({ operation }) => void (starts += Number(operation === 'start')) },
      });
      const owner = agent.swp();
      const stopped = newGate();
      const text = doing(async (_task, ctx) => {
        await ctx.progress('begun');
        await aborted(ctx.signal);
        stopped.open();
      });
      await owner.start({ text, id: 'held' });
      const stream = watching((signal) => owner.follow('held', undefined, signal));
      await expect.poll(() => starts).toBe(2);
      SWP.change(agent, owner, how);
      expect(await stream.end).toMatchObject({ name: 'Refused' });
      await stopped.opened;
      if (how === 'narrow') {
        expect(await owner.run(text)).toMatchObject({ failure: { code: 'NOT_AUTHORIZED' } });
      } else await refusalOf(owner.run(text));
    },
  );

  test('37 and 39: at another node the equal Task joins; a killed one loses nothing', async () => {
    const SOON = { leaseMs: 500, recoverEveryMs: 50, retryDelayMs: 1 };
    const place = MEMORY.newPlace();
    const store = cuttable(await place.connect());
    const first = await newAgent({ store, tasks: { ...SOON, node: 'one' } });
    const second = await newAgent(
      { store: await place.connect(), tasks: { ...SOON, node: 'two' } },
      first,
    );
    const near = first.swp();
    const far = second.swp(near.owner);
    const text = doing(async (_task, ctx) => {
      if (ctx.attempt === 1) await aborted(ctx.signal);
      return `attempt ${ctx.attempt}`;
    });
    await near.start({ text, id: 'shared' });
    await expect
      .poll(
        async () => (await second.runtime.tasks.get(asOperator(), 'shared', near))?.status.state,
      )
      .toBe('working');
    const result = far.run({ text, id: 'shared' });
    store.cut();
    expect(outputOf(await result)).toBe('attempt 2');
  });

  test('45 and 46: every code that refuses a Task is told by its condition, and nothing of its cause', async () => {
    const SECRET = 'the password is swordfish';
    const agent = await newAgent({
      accepts: ({ text }) => {
        throw new SdlError(text as ErrorCode, SECRET);
      },
    });
    // One is not answered, and with the other the connection ends.
    const silent = new Set<ErrorCode>(['TASK_CONFLICT', 'DRAINING']);
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      if (silent.has(code)) continue;
      const { failure, state } = await agent.swp().run(code);
      expect([state, failure]).toEqual(['failed', { code, message: ERRORS[code].words }]);
      expect(MAP[code]).toBeDefined();
    }
    expect((await refusalOf(agent.swp().run('DRAINING'))).code).toBe('GONE');
    expect(await agent.swp().run('TASK_CONFLICT', 100)).toMatchObject({ state: 'working' });
  });

  test('47 and 49: who is too fast and who is at its quota is told so; others are not stopped', async () => {
    const agent = await newAgent({ tasks: { maxTasks: 8, maxTasksPerOwner: 1 } });
    const text = doing(async (_task, ctx) => aborted(ctx.signal));
    const [one, two] = [agent.swp(), agent.swp()];
    await one.start(text);
    await expect
      .poll(async () => (await PLAIN.link(agent, one)).list().then(({ total }) => total))
      .toBe(1);
    expect(await one.run(text)).toMatchObject({ failure: { code: 'LIMIT_RATE' } });
    expect(await two.run(text, 100)).toMatchObject({ state: 'working' });
    const slow = await newAgent({ admission: { ratePerSecond: 0.001, burst: 4 } });
    const hurried = slow.swp();
    const quick = doing(async () => 'done');
    const views = [];
    for (let call = 0; call < 4; call += 1) views.push(await hurried.run(quick, 3_000));
    expect(views.map(({ failure }) => failure?.code)).toContain('LIMIT_RATE');
  });

  test('48: each operation is in the audit log and the outcomes', async () => {
    const agent = await newAgent();
    await agent.swp().run(doing(async () => 'done'));
    const { size } = await (await agent.audit()).verify();
    expect(size).toBeGreaterThanOrEqual(2);
  });
});
