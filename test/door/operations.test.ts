// Every operation goes one way: admitted, judged, recorded before it is done, done, and told once.

import { describe, expect, test } from 'vitest';

import { coverCall } from '../../src/door/covered.ts';
import type { CallContext } from '../../src/door/call.ts';
import type { Door } from '../../src/door/door.ts';
import { EVERY_OWNER } from '../../src/door/service.ts';
import { SdlError } from '../../src/errors.ts';
import { ANN, BEN, asks, openDoor, readOne } from '../support/door/open-door.ts';

const waits = async (_task: unknown, ctx: { readonly signal: AbortSignal }): Promise<void> =>
  new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve()));

const key = { idempotency: { id: 'task', digest: 'd' } };

/** Each operation once, on the task `task`. */
const OPERATIONS: readonly (readonly [
  string,
  (door: Door, call: CallContext) => Promise<unknown>,
])[] = [
  ['start', (door, call) => door.start(call, asks('begin', key))],
  ['message', (door, call) => door.message(call, 'task', asks('more').message)],
  ['get', (door, call) => door.get(call, 'task')],
  ['list', (door, call) => door.list(call)],
  ['follow', (door, call) => readOne(door.follow(call, 'task'))],
  ['cancel', (door, call) => door.cancel(call, 'task')],
];

describe('an operation through the door', () => {
  test('leaves one entry and one outcome, whatever it is', async () => {
    const { door, entries, outcomes, callBy } = await openDoor(waits);
    for (const [name, run] of OPERATIONS) {
      await run(door, callBy(ANN));
      const task = name === 'list' ? {} : { task: 'task' };
      expect(entries.at(-1)).toMatchObject({
        kind: 'operation',
        face: 'test',
        operation: name,
        from: ANN.id,
        verdict: 'ok',
        ...task,
      });
      expect(outcomes.at(-1)).toMatchObject({ face: 'test', operation: name, from: ANN.id });
      expect(outcomes.at(-1)!.error).toBeUndefined();
    }
    expect(entries).toHaveLength(OPERATIONS.length);
    expect(outcomes).toHaveLength(OPERATIONS.length);
  });

  test.each(OPERATIONS)(
    '%s of somebody without rights is recorded and refused',
    async (name, run) => {
      const { door, allowed, entries, outcomes, callBy } = await openDoor(waits);
      for (const none of [undefined, { ct: [], tools: [] }]) {
        allowed.set(ANN.id, none);
        await expect(run(door, callBy(ANN))).rejects.toMatchObject({ code: 'NOT_AUTHORIZED' });
        expect(entries.at(-1)).toMatchObject({ operation: name, verdict: 'NOT_AUTHORIZED' });
        expect(outcomes.at(-1)!.error?.code).toBe('NOT_AUTHORIZED');
      }
      expect([entries.length, outcomes.length]).toEqual([2, 2]);
    },
  );

  test('that fails is told with its code', async () => {
    const { door, outcomes, callBy } = await openDoor(waits);
    await expect(door.message(callBy(ANN), 'none', asks('hello').message)).rejects.toMatchObject({
      code: 'TASK_UNKNOWN',
    });
    expect(outcomes).toMatchObject([{ operation: 'message', taskId: 'none' }]);
    expect(outcomes[0]!.error?.code).toBe('TASK_UNKNOWN');
  });

  test('is not done where it cannot be recorded', async () => {
    let isBroken = true;
    const opened = await openDoor(waits, {
      recordEntry: () => {
        if (isBroken) throw new Error('the disk is full');
      },
    });
    const { door, callBy } = opened;
    await expect(door.start(callBy(ANN), asks('begin', key))).rejects.toMatchObject({
      code: 'INTERNAL',
    });
    isBroken = false;
    expect(await door.get(callBy(ANN), 'task')).toBeUndefined();
  });

  test('that is not admitted is told, and leaves no entry', async () => {
    const { door, entries, outcomes, callBy } = await openDoor(waits, {
      admit: async () => {
        throw new SdlError('LIMIT_RATE', 'no room');
      },
    });
    for (const [, run] of OPERATIONS) {
      await expect(run(door, callBy(ANN))).rejects.toMatchObject({ code: 'LIMIT_RATE' });
    }
    expect(entries).toEqual([]);
    expect(outcomes.map(({ error }) => error?.code)).toEqual(OPERATIONS.map(() => 'LIMIT_RATE'));
  });

  test('gives its room back, and a stream keeps it until it ends', async () => {
    let inside = 0;
    const { door, callBy } = await openDoor(waits, {
      admit: async () => {
        inside += 1;
        return () => (inside -= 1);
      },
    });
    await door.start(callBy(ANN), asks('begin', key));
    expect(inside).toBe(0);
    const steps = door.follow(callBy(ANN), 'task')[Symbol.asyncIterator]();
    await steps.next();
    expect(inside).toBe(1);
    await steps.return!();
    expect(inside).toBe(0);
  });

  test('that came in an envelope has its entry and its room already', async () => {
    const { door, entries, outcomes, callBy } = await openDoor(waits, {
      admit: async () => {
        throw new Error('nobody asks for room twice');
      },
    });
    for (const [, run] of OPERATIONS) await run(door, coverCall(callBy(ANN)));
    expect(entries).toEqual([]);
    expect(outcomes.map(({ isCovered }) => isCovered)).toEqual(OPERATIONS.map(() => true));
  });

  test('of a face that made up a principal without an id is refused', async () => {
    const { door, callBy } = await openDoor(waits);
    await expect(door.list(callBy({ ...ANN, id: '' }))).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  test('waits until the door is open', async () => {
    const order: string[] = [];
    const { door, callBy } = await openDoor(waits, {
      opening: async () => void order.push('opening'),
    });
    await door.list(callBy(ANN));
    expect(order).toEqual([]);
  });
});

describe('the tasks of others', () => {
  test('are there for administrators, by the name of their owner', async () => {
    const { door, allowed, callBy } = await openDoor(waits);
    allowed.set(BEN.id, { isAdmin: true });
    await door.start(callBy(ANN), asks('begin', key));
    const owner = { owner: ANN.id };
    const ben = callBy(BEN);
    expect(await door.get(ben, 'task')).toBeUndefined();
    expect(await door.get(ben, 'task', owner)).toMatchObject({ owner: ANN.id });
    expect(await door.list(ben, owner)).toMatchObject({ total: 1 });
    expect(await door.list(ben)).toMatchObject({ total: 0 });
    expect(await door.list(ben, { owner: EVERY_OWNER })).toMatchObject({ total: 1 });
    await door.message(ben, 'task', asks('more').message, owner);
    for await (const { task } of door.follow(ben, 'task', undefined, owner)) {
      expect(task.owner).toBe(ANN.id);
      break;
    }
    expect(await door.cancel(ben, 'task', owner)).toMatchObject({ hasEnded: false });
  });

  test('are refused to everybody else, and a text never stands for all owners', async () => {
    const { door, allowed, callBy } = await openDoor(waits);
    await door.start(callBy(ANN), asks('begin', key));
    const ben = callBy(BEN);
    const owner = { owner: ANN.id };
    const refused: (() => Promise<unknown>)[] = [
      () => door.get(ben, 'task', owner),
      () => door.list(ben, owner),
      () => door.list(ben, { owner: EVERY_OWNER }),
      () => door.message(ben, 'task', asks('more').message, owner),
      () => door.cancel(ben, 'task', owner),
      () => readOne(door.follow(ben, 'task', undefined, owner)),
    ];
    for (const ask of refused) {
      await expect(ask()).rejects.toMatchObject({ code: 'NOT_AUTHORIZED' });
    }
    allowed.set(BEN.id, { isAdmin: true });
    expect(await door.list(ben, { owner: '*' })).toMatchObject({ total: 0 });
  });
});

describe('what the door tells of a task', () => {
  test('is cut as it was asked for, and the task itself never', async () => {
    const { door, callBy } = await openDoor(async (_task, ctx) => {
      await ctx.artifact({ text: 'made' });
      await ctx.ask('?');
    });
    await door.start(callBy(ANN), asks('begin', key));
    for await (const { task } of door.follow(callBy(ANN), 'task')) {
      if (task.status.state === 'input-required') break;
    }
    const cut = await door.get(callBy(ANN), 'task', { historyLength: 1, includeArtifacts: false });
    expect(cut!.history.map(({ text }) => text)).toEqual(['?']);
    expect(cut!.artifacts).toEqual([]);
    expect((await door.get(callBy(ANN), 'task', { historyLength: 0 }))!.history).toEqual([]);
    const whole = await door.get(callBy(ANN), 'task');
    expect([whole!.history.length, whole!.artifacts.length]).toEqual([2, 1]);
  });

  test('is refused where the message is none', async () => {
    const { door, callBy } = await openDoor(waits);
    const message = { id: 'm', role: 'user', parts: [{ text: 1 }] } as never;
    await expect(door.start(callBy(ANN), { message })).rejects.toMatchObject({
      code: 'PAYLOAD_INVALID',
    });
  });
});
