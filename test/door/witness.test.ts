// The witness of the door: what it is told and when, what stands in the audit log of it, and what it cannot do.

import { describe, expect, test } from 'vitest';

import type { AcceptedMessage, TaskStep, Witness } from '../../src/door/index.ts';
import { coverCall, walkOf } from '../../src/door/covered.ts';
import { untilRest } from '../../src/door/until-rest.ts';
import type { OnTask } from '../../src/tasks/context.ts';
import { ANN, BEN, asks, openDoor, readAll } from '../support/door/open-door.ts';

const HASHES = { content: `sha256:${'a'.repeat(64)}`, raw: 'b'.repeat(64) };

interface Watching extends Witness {
  readonly messages: AcceptedMessage[];
  readonly steps: TaskStep[];
}

function witness(parts: Partial<Witness> = {}): Watching {
  const messages: AcceptedMessage[] = [];
  const steps: TaskStep[] = [];
  return {
    messages,
    steps,
    open: async () => undefined,
    accepted: async (message) => {
      messages.push(message);
      return HASHES;
    },
    sent: (_call, step) => void steps.push(step),
    stats: () => ({ isWell: true, written: 0, lost: 0, failures: 0 }),
    close: async () => undefined,
    ...parts,
  };
}

const work: OnTask = async function* (_task, ctx) {
  yield ctx.progress('on it');
  yield ctx.artifact({ name: 'answer', text: '42' });
};
const asking: OnTask = async (_task, ctx) => (await ctx.ask('which one?')).text;

/** What happened with each step, in a word. */
function wordsOf(steps: readonly TaskStep[]): string[] {
  return steps.map(({ task, event }) => {
    if (event === undefined) return `whole ${task.status.state}`;
    return event.type === 'status' ? event.status.state : event.type;
  });
}

describe('a message that is accepted', () => {
  test('is told before the work begins, with what the face gave', async () => {
    let hasBegun = false;
    const seen = witness({
      accepted: async (message) => {
        expect(hasBegun).toBe(false);
        seen.messages.push(message);
        return HASHES;
      },
    });
    const { door, callBy, entries } = await openDoor(
      async () => {
        hasBegun = true;
        return 'done';
      },
      { witness: seen },
    );
    const received = { bytes: new Uint8Array(3), mediaType: 'application/json' };
    const call = callBy(ANN, { received });
    const idempotency = { id: 't-1', digest: 'd' };
    await door.start(call, asks('work', { kind: 'delegation', idempotency }));
    expect(seen.messages).toMatchObject([
      { call: { received }, operation: 'start', taskId: 't-1', kind: 'delegation' },
    ]);
    expect(seen.messages[0]!.message.id).toBe('m-work');
    expect(entries).toMatchObject([
      { operation: 'start', verdict: 'ok', evidence: HASHES.content, raw: HASHES.raw },
    ]);
  });

  test('names its task only where the message did', async () => {
    const seen = witness();
    const { door, callBy } = await openDoor(work, { witness: seen });
    await door.start(callBy(ANN), asks('one'));
    const derived = { id: 'made-here', digest: 'd', isDerived: true };
    await door.start(callBy(ANN), asks('two', { idempotency: derived }));
    const received = { bytes: new Uint8Array(0), mediaType: 'a/b', taskId: 'théirs' };
    const named = { id: 'swp:dGg', digest: 'd' };
    await door.start(callBy(ANN, { received }), asks('three', { idempotency: named }));
    expect(seen.messages.map(({ taskId }) => taskId)).toEqual([undefined, undefined, 'théirs']);
    expect(seen.messages.every(({ kind }) => kind === undefined)).toBe(true);
  });

  test('may go to a task that is there', async () => {
    const seen = witness();
    const { door, callBy } = await openDoor(asking, { witness: seen });
    const call = callBy(ANN);
    const { task } = await door.start(call, asks('ask me'));
    await untilRest(door.follow(call, task.id));
    const reply = { id: 'm-2', role: 'user', parts: [{ text: 'this' }] } as const;
    await door.message(call, task.id, reply);
    expect(seen.messages.at(-1)).toMatchObject({ operation: 'message', taskId: task.id });
    expect((await untilRest(door.follow(call, task.id)))?.status.state).toBe('completed');
  });

  test('is none when its sender may not send it, or when it cannot be read', async () => {
    const seen = witness();
    const { door, callBy, allowed, entries } = await openDoor(work, { witness: seen });
    allowed.set(BEN.id, { ct: [], tools: [] });
    await expect(door.start(callBy(BEN), asks('x'))).rejects.toMatchObject({
      code: 'NOT_AUTHORIZED',
    });
    const message = { id: '', role: 'user', parts: [] } as const;
    await expect(door.start(callBy(ANN), { message })).rejects.toMatchObject({
      code: 'PAYLOAD_INVALID',
    });
    expect(seen.messages).toEqual([]);
    expect(entries.map((entry) => 'verdict' in entry && entry.verdict)).toEqual([
      'NOT_AUTHORIZED',
      'PAYLOAD_INVALID',
    ]);
    expect(entries.some((entry) => 'evidence' in entry)).toBe(false);
  });

  test('is refused, for later, when the witness does not let it happen unseen', async () => {
    const disk = new Error('the disk is full');
    const seen = witness({ accepted: () => Promise.reject(disk) });
    const { door, callBy, entries } = await openDoor(work, { witness: seen });
    const started = door.start(callBy(ANN), asks('x'));
    await expect(started).rejects.toMatchObject({ code: 'UNAVAILABLE', cause: disk });
    await expect(started).rejects.toHaveProperty('row.retryable', true);
    expect(entries).toMatchObject([{ operation: 'start', verdict: 'UNAVAILABLE' }]);
    expect(await door.list(callBy(ANN))).toMatchObject({ total: 0 });
  });

  test('of an envelope has an entry of its own for its evidence, and none without', async () => {
    const { door, callBy, entries } = await openDoor(work, { witness: witness() });
    await door.start(coverCall(callBy(ANN)), asks('x'));
    expect(entries).toMatchObject([{ face: 'test', operation: 'start', evidence: HASHES.content }]);
    const blind = await openDoor(work, { witness: witness({ accepted: async () => undefined }) });
    await blind.door.start(coverCall(blind.callBy(ANN)), asks('x'));
    expect(blind.entries).toEqual([]);
  });
});

describe('what is sent', () => {
  test('is every step of who follows, and the whole task for who joins late', async () => {
    const seen = witness();
    const { door, callBy } = await openDoor(work, { witness: seen });
    const call = callBy(ANN);
    const { task } = await door.start(call, asks('x'));
    await readAll(door.follow(call, task.id, 0));
    const told = ['submitted', 'working', 'working', 'artifact', 'completed'];
    expect(wordsOf(seen.steps)).toEqual(told);
    seen.steps.length = 0;
    await readAll(door.follow(call, task.id));
    expect(wordsOf(seen.steps)).toEqual(['whole completed']);
    seen.steps.length = 0;
    await readAll(door.follow(call, task.id, 3));
    expect(wordsOf(seen.steps)).toEqual(['artifact', 'completed']);
  });

  test('is said by a face that only walks through the log, or follows silently', async () => {
    const seen = witness();
    const { door, callBy } = await openDoor(work, { witness: seen });
    const call = callBy(ANN);
    const { task } = await door.start(call, asks('x'));
    const [, ...steps] = await readAll(door.follow(walkOf(call, call.signal), task.id, 0));
    await readAll(door.follow(call, task.id, 0, { isSilent: true }));
    expect(seen.steps).toEqual([]);
    door.sent(call, steps.at(-1)!);
    expect(wordsOf(seen.steps)).toEqual(['completed']);
  });

  test('is the end of a task that is canceled, and an answer in the place of work', async () => {
    const seen = witness();
    const never: OnTask = (_task, ctx) =>
      new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve(undefined)));
    const { door, callBy } = await openDoor(never, { witness: seen });
    const call = callBy(ANN);
    const { task } = await door.start(call, asks('x'));
    await door.cancel(call, task.id);
    await door.cancel(call, task.id);
    expect(wordsOf(seen.steps)).toEqual(['whole canceled']);
    const quick = witness();
    const answering = await openDoor(work, { witness: quick, accepts: () => 'at once' });
    await answering.door.start(answering.callBy(ANN), asks('x'));
    expect(wordsOf(quick.steps)).toEqual(['whole completed']);
  });

  test('reaches its reader, whatever the witness throws', async () => {
    const told: unknown[] = [];
    const throwing = witness({
      sent: () => {
        throw new Error('no');
      },
    });
    const { door, callBy } = await openDoor(work, {
      witness: throwing,
      onError: (cause) => void told.push(cause),
    });
    const call = callBy(ANN);
    const { task } = await door.start(call, asks('x'));
    expect(await readAll(door.follow(call, task.id, 0))).toHaveLength(6);
    expect(told).toHaveLength(5);
  });
});
