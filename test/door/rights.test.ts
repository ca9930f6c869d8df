// Rights are asked at the moment of use: ceilings give or narrow until their time, and what is taken away ends streams.

import { describe, expect, test } from 'vitest';

import type { Ceiling } from '../../src/door/rights.ts';
import { ANN, BEN, asks, openDoor, readAll } from '../support/door/open-door.ts';

const key = { idempotency: { id: 'task', digest: 'd' } };
const waits = async (_task: unknown, ctx: { readonly signal: AbortSignal }): Promise<void> =>
  new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve()));

async function restOf(steps: AsyncIterator<unknown>): Promise<void> {
  while ((await steps.next()).done !== true);
}

function ceiling(parts: Partial<Ceiling>, notAfterMs: number): Ceiling {
  return { allow: { ct: ['task.v1'], tools: [] }, notAfterMs, ...parts };
}

describe('a ceiling', () => {
  test('that is a grant gives what the entry does not, until its time', async () => {
    const { door, allowed, clock, callBy } = await openDoor(waits);
    allowed.set(ANN.id, { ct: ['toolcall.v1'], tools: ['sys.ping'] });
    const grant = ceiling({ isGrant: true }, clock.nowMs + 1_000);
    await expect(door.list(callBy(ANN))).rejects.toMatchObject({ code: 'NOT_AUTHORIZED' });
    await door.start(callBy(ANN, { ceiling: grant }), asks('begin', key));
    clock.nowMs += 1_001;
    await expect(door.list(callBy(ANN, { ceiling: grant }))).rejects.toMatchObject({
      code: 'NOT_AUTHORIZED',
    });
  });

  test('that is a grant gives nothing to who has no standing at all', async () => {
    const { door, allowed, clock, callBy } = await openDoor(waits);
    allowed.set(ANN.id, undefined);
    const grant = ceiling({ isGrant: true }, clock.nowMs + 1_000);
    await expect(door.list(callBy(ANN, { ceiling: grant }))).rejects.toMatchObject({
      code: 'NOT_AUTHORIZED',
    });
  });

  test('of a token narrows what the entry allows, and ends with its time', async () => {
    const { door, clock, callBy } = await openDoor(waits);
    const whole = ceiling({}, clock.nowMs + 1_000);
    const none = ceiling({ allow: { ct: [], tools: [] } }, clock.nowMs + 1_000);
    const tool = ceiling({ allow: { ct: ['toolcall.v1'], tools: ['task.list'] } }, Infinity);
    await door.start(callBy(ANN, { ceiling: whole }), asks('begin', key));
    await door.list(callBy(ANN, { ceiling: tool }));
    for (const narrowed of [none, tool]) {
      await expect(door.cancel(callBy(ANN, { ceiling: narrowed }), 'task')).rejects.toMatchObject({
        code: 'NOT_AUTHORIZED',
      });
    }
    clock.nowMs += 1_001;
    await expect(door.list(callBy(ANN, { ceiling: whole }))).rejects.toMatchObject({
      code: 'NOT_AUTHORIZED',
    });
  });

  test('is kept with the task: one that only a grant allowed is canceled when the grant ends', async () => {
    const { door, allowed, clock, tick, callBy } = await openDoor(waits);
    allowed.set(ANN.id, { ct: ['toolcall.v1'] });
    const grant = ceiling({ isGrant: true }, clock.nowMs + 1_000);
    const call = callBy(ANN, { ceiling: grant });
    await door.start(call, asks('begin', key));
    await tick();
    expect(await door.get(call, 'task')).not.toMatchObject({ status: { state: 'canceled' } });
    clock.nowMs += 1_001;
    await tick();
    allowed.delete(ANN.id);
    expect(await door.get(callBy(ANN), 'task')).toMatchObject({ status: { state: 'canceled' } });
  });

  test('of a token that has ended does not end the task that its bearer may have', async () => {
    const { door, clock, tick, callBy } = await openDoor(waits);
    await door.start(
      callBy(ANN, { ceiling: ceiling({}, clock.nowMs + 1_000) }),
      asks('begin', key),
    );
    clock.nowMs += 1_001;
    await tick();
    expect((await door.get(callBy(ANN), 'task'))!.status.state).not.toBe('canceled');
  });
});

describe('a stream', () => {
  test('ends when the rights of who takes it do, without a further event', async () => {
    const { door, allowed, outcomes, tick, callBy } = await openDoor(waits);
    await door.start(callBy(ANN), asks('begin', key));
    const steps = door.follow(callBy(ANN), 'task')[Symbol.asyncIterator]();
    await steps.next();
    const refused = expect(restOf(steps)).rejects.toMatchObject({ code: 'NOT_AUTHORIZED' });
    allowed.set(ANN.id, undefined);
    await tick();
    await refused;
    expect(outcomes.at(-1)).toMatchObject({ operation: 'follow' });
    expect(outcomes.at(-1)!.error?.code).toBe('NOT_AUTHORIZED');
  });

  test('shows nothing to who may not see it, also before anybody looked', async () => {
    const { door, allowed, callBy } = await openDoor(waits);
    await door.start(callBy(ANN), asks('begin', key));
    const steps = door.follow(callBy(ANN), 'task')[Symbol.asyncIterator]();
    await steps.next();
    allowed.set(ANN.id, undefined);
    allowed.set(BEN.id, { isAdmin: true });
    await door.cancel(callBy(BEN), 'task', { owner: ANN.id });
    await expect(steps.next()).rejects.toMatchObject({ code: 'NOT_AUTHORIZED' });
    expect(await steps.next()).toEqual({ done: true, value: undefined });
  });

  test('ends when what the caller showed does', async () => {
    const { door, clock, tick, callBy } = await openDoor(waits);
    const ann = { ...ANN, expiresAt: clock.nowMs + 1_000 };
    await door.start(callBy(ann), asks('begin', key));
    const steps = door.follow(callBy(ann), 'task')[Symbol.asyncIterator]();
    await steps.next();
    const refused = expect(restOf(steps)).rejects.toMatchObject({ code: 'NOT_AUTHORIZED' });
    clock.nowMs += 1_000;
    await tick();
    await refused;
    // Its entry still stands: the task goes on.
    expect((await door.get(callBy(ANN), 'task'))!.status.state).not.toBe('canceled');
  });

  test('of a caller that leaves is told as ended, once', async () => {
    const { door, outcomes, callBy } = await openDoor(waits);
    await door.start(callBy(ANN), asks('begin', key));
    const leaving = new AbortController();
    const reading = readAll(door.follow(callBy(ANN, { signal: leaving.signal }), 'task'));
    leaving.abort();
    expect(await reading).not.toEqual([]);
    expect(outcomes.filter(({ operation }) => operation === 'follow')).toHaveLength(1);
    expect(outcomes.at(-1)!.error).toBeUndefined();
  });
});
