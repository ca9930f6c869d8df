// Cases 15 to 22: whose task it is, and that nobody else can tell that it is there.

import { expect } from 'vitest';

import type { Caller } from '../../support/dialect/caller.ts';
import { outputOf } from '../../support/dialect/caller.ts';
import type { Face } from '../../support/dialect/faces.ts';
import { PLAIN, SDL_FACES } from '../../support/dialect/faces.ts';
import { aborted, doing, newGate } from '../../support/dialect/works.ts';
import type { Bench, Case } from './case.ts';
import { allOf, reached, refusalOf, watching } from './case.ts';

export const IDENTITY: readonly Case[] = [
  {
    number: 15,
    title: "another owner's task looks like none in every operation, to the byte",
    run: async ({ caller }) => {
      const [owner, other] = [await caller(), await caller()];
      const { id } = await owner.run(doing(async () => 'secret'));
      const nothing = 'x'.repeat(id.length);
      const operations: readonly ((task: string) => Promise<unknown>)[] = [
        (task) => other.get(task),
        (task) => other.say(task, 'hello'),
        (task) => other.cancel(task),
        (task) => allOf(other.follow(task)),
        (task) => allOf(other.follow(task, 0)),
      ];
      for (const ask of operations) {
        const [hidden, missing] = [await refusalOf(ask(id)), await refusalOf(ask(nothing))];
        expect(hidden.text).toBe(missing.text);
      }
      expect(await other.list()).toEqual({ tasks: [], total: 0 });
    },
  },
  {
    number: 16,
    title: 'the same id of two owners is two tasks',
    run: async ({ caller }) => {
      const owners = [await caller(), await caller()];
      const text = doing(async ({ owner }) => owner);
      const views = await Promise.all(owners.map((owner) => owner.run({ text, id: 'ours' })));
      expect(views.map(outputOf)).toEqual(owners.map(({ owner }) => owner));
      for (const owner of owners) expect((await owner.list()).total).toBe(1);
    },
  },
  {
    number: 17,
    title: 'the tenant is that of the caller, and another one by name is none',
    run: async ({ agent }) => {
      const id = '~plain:bearer:same-in-two-tenants';
      const [one, two] = [
        await agent.plain({ id, tenant: 'one' }),
        await agent.plain({ id, tenant: 'two' }),
      ];
      const text = doing(async ({ tenant }) => tenant);
      const views = [await one.run({ text, id: 'here' }), await two.run({ text, id: 'here' })];
      expect(views.map(outputOf)).toEqual(['one', 'two']);
      const named = await agent.plain({ id, tenant: 'one', asksTenant: 'one' });
      expect(await named.get('here')).toEqual(views[0]);
      const foreign = await agent.plain({ id, tenant: 'one', asksTenant: 'two' });
      for (const ask of [foreign.get('here'), foreign.list(), foreign.start({ text })]) {
        expect((await refusalOf(ask)).code).toBe('TASK_UNKNOWN');
      }
    },
  },
  {
    number: 18,
    title: 'a caller that is a peer sees the same tasks through both faces',
    run: async ({ face, agent }) => {
      const [peer, linked] = await linkedTo(face, agent);
      const text = doing(async () => 'seen by both');
      const here = await peer.run({ text });
      const there = await linked.run({ text });
      expect(await linked.get(here.id)).toMatchObject({ id: here.id, state: 'completed' });
      expect(outputOf(await peer.get(there.id))).toBe('seen by both');
      const ids = async (caller: Caller): Promise<string[]> =>
        (await caller.list()).tasks.map(({ id }) => id);
      expect(await ids(peer)).toEqual([there.id, here.id]);
      expect(await ids(linked)).toEqual(await ids(peer));
    },
  },
  {
    number: 19,
    title: 'two schemes that prove the same text do not meet',
    run: async ({ agent }) => {
      const bearer = await agent.plain({ subject: 'sam', shows: 'bearer sam-shows-this' });
      const key = await agent.plain({ subject: 'sam', shows: 'key sam-shows-this' });
      expect(bearer.owner).not.toBe(key.owner);
      const { id } = await bearer.run(doing(async () => 'mine'));
      expect((await refusalOf(key.get(id))).code).toBe('TASK_UNKNOWN');
    },
  },
  {
    number: 20,
    title: 'a caller that is revoked loses its stream, its task and its next call',
    run: async (bench) => {
      for (const how of ['revoke', 'remove'] as const) {
        const { owner, id, stopped, stream } = await atWork(bench);
        bench.face.change(bench.agent, owner, how);
        expect(await stream.end).toMatchObject({ name: 'Refused' });
        await stopped;
        await refusalOf(owner.get(id));
        await refusalOf(owner.start(doing(async () => 'never')));
      }
    },
  },
  {
    number: 21,
    title: 'what a caller showed ends during its stream, and the stream with it',
    run: async (bench) => {
      const { owner, stream, stopped } = await atWork(bench);
      bench.face.change(bench.agent, owner, 'expire');
      expect(await stream.end).toMatchObject({ name: 'Refused' });
      await stopped;
      await refusalOf(owner.list());
    },
  },
  {
    number: 22,
    title: 'who shows nothing is let in only where that is allowed, as one owner of the face',
    run: async ({ agent, newAgent }) => {
      const refused = await refusalOf(agent.shower('', '').list());
      const wrong = await refusalOf(agent.shower('bearer nobody', '').list());
      expect(refused.code).toBe('UNAUTHENTICATED');
      expect(wrong.text).toBe(refused.text);
      const open = await newAgent();
      open.shared.guests.anonymous.add('plain');
      const [one, other] = [open.shower('', '~none:plain'), open.shower('', '~none:plain')];
      const { id } = await one.run(doing(async ({ owner }) => owner));
      expect(outputOf(await other.get(id))).toBe('~none:plain');
      expect((await refusalOf(open.shower('bearer nobody', '').get(id))).code).toBe(
        'UNAUTHENTICATED',
      );
    },
  },
];

/** A peer, and the caller of the other dialect that the operator says is this peer. */
async function linkedTo(
  face: Face,
  agent: Bench['agent'],
): Promise<readonly [peer: Caller, linked: Caller]> {
  const isSdl = SDL_FACES.includes(face);
  const peer = await (isSdl ? face : SDL_FACES[0]!).caller(agent);
  return [peer, await (isSdl ? PLAIN : face).link(agent, peer)];
}

/** An owner with a task at work that is followed. */
export async function atWork({ agent, face }: Pick<Bench, 'agent' | 'face'>): Promise<{
  readonly owner: Caller;
  readonly id: string;
  readonly stopped: Promise<void>;
  readonly stream: ReturnType<typeof watching>;
}> {
  const owner = await face.caller(agent);
  const stopped = newGate();
  const text = doing(async (_task, ctx) => {
    await aborted(ctx.signal);
    stopped.open();
  });
  const { id } = await owner.start(text);
  const stream = watching((signal) => owner.follow(id, undefined, signal));
  await reached(owner, id, 'working');
  await stream.until(() => true);
  return { owner, id, stopped: stopped.opened, stream };
}
