// Cases 44, 47 and 49: what is too much is refused in the form of the face, and one owner does not take from another.

import { expect } from 'vitest';

import type { JsonValue } from '../../../src/codec/value.ts';
import { asOperator } from '../../support/dialect/agent.ts';
import { GONE } from '../../support/dialect/caller.ts';
import { aborted, doing } from '../../support/dialect/works.ts';
import type { Bench, Case } from './case.ts';
import { reached, refusalOf, watching } from './case.ts';

function nested(depth: number): JsonValue {
  return Array.from({ length: depth }).reduce<JsonValue>((inner) => [inner], 'deep');
}

export const LIMITS: readonly Case[] = [
  {
    number: 44,
    title: 'bytes, depth, parts, history and streams of one owner have an end',
    run: async ({ face, newAgent }) => {
      const agent = await newAgent({
        limits: { maxBytes: 60_000 },
        tasks: { maxHeldBytes: 131_072 },
      });
      const owner = await face.caller(agent);
      const text = doing(async (_task, ctx) => aborted(ctx.signal));
      // Each on a connection of its own: one that brings too much may be closed.
      const begin = async (parts: Parameters<typeof owner.start>[0]): Promise<string> =>
        (await refusalOf((await face.link(agent, owner)).start(parts))).code;
      expect(await begin({ text, parts: [{ text }, { text: 'x'.repeat(70_000) }] })).toBe(
        face.codeOf('LIMIT_BYTES'),
      );
      expect(await begin({ text, parts: [{ text }, { data: nested(70) }] })).toBe(
        face.codeOf('LIMIT_DEPTH'),
      );
      const many = Array.from({ length: 1_001 }, () => ({ text: '' }));
      expect(await begin({ text, parts: many })).toBe(face.codeOf('PAYLOAD_INVALID'));
      expect((await owner.list()).total).toBe(0);
      const { id } = await owner.start(text);
      const stuff = async (): Promise<void> => {
        for (let message = 0; message < 100; message += 1) await owner.say(id, 'y'.repeat(2_000));
      };
      expect((await refusalOf(stuff())).code).toBe(face.codeOf('LIMIT_RATE'));
      expect(await owner.cancel(id)).toMatchObject({ state: 'canceled' });
      await refusesStreams({ face, newAgent });
    },
  },
  {
    number: 47,
    title:
      'who is too fast, and who comes while the agent stops, is told so in the form of the face',
    run: async ({ face, newAgent }) => {
      const agent = await newAgent({ admission: { ratePerSecond: 0.001, burst: 4 } });
      const owner = await face.caller(agent);
      const hurry = async (): Promise<void> => {
        for (let call = 0; call < 10; call += 1) await owner.list();
      };
      const fast = await refusalOf(hurry());
      expect([fast.code, fast.retryable]).toEqual([face.codeOf('LIMIT_RATE'), true]);
      const stopping = await newAgent();
      const late = await face.caller(stopping);
      const { id } = await late.start(doing(async (_task, ctx) => aborted(ctx.signal)));
      const stream = watching((signal) => late.follow(id, undefined, signal));
      await reached(late, id, 'working');
      await stream.until(() => true);
      const closing = stopping.close(10_000);
      const refusal = await refusalOf(late.get(id));
      const told = [face.codeOf('DRAINING'), ...(face.isKeptOpen ? [] : [GONE])];
      expect(told).toContain(refusal.code);
      expect(refusal.retryable).toBe(true);
      stream.leave();
      await closing;
    },
  },
  {
    number: 49,
    title: 'one owner at its quota does not stop another, and the reserve of the operator holds',
    run: async ({ face, newAgent }) => {
      const agent = await newAgent({ tasks: { maxTasks: 8, maxTasksPerOwner: 3 } });
      const text = doing(async (_task, ctx) => aborted(ctx.signal));
      const [one, two, three] = [
        await face.caller(agent),
        await face.caller(agent),
        await face.caller(agent),
      ];
      for (const owner of [one, two]) {
        for (let task = 0; task < 3; task += 1) await owner.start(text);
        const { code, retryable } = await refusalOf(owner.start(text));
        expect([code, retryable]).toEqual([face.codeOf('LIMIT_RATE'), true]);
      }
      const { id } = await three.start(text);
      expect((await refusalOf(three.start(text))).code).toBe(face.codeOf('LIMIT_RATE'));
      // Its own end makes room for it again, and for nobody else.
      await three.cancel(id);
      expect((await refusalOf(one.start(text))).code).toBe(face.codeOf('LIMIT_RATE'));
      await three.start(text);
      const message = { id: 'm', role: 'user', parts: [{ text }] } as const;
      expect(await agent.runtime.tasks.start(asOperator(), { message })).toMatchObject({
        isNew: true,
      });
    },
  },
];

async function refusesStreams({ face, newAgent }: Pick<Bench, 'face' | 'newAgent'>): Promise<void> {
  const agent = await newAgent({
    admission: { maxInFlightPerPeer: 3, ratePerSecond: 1_000, burst: 1_000 },
  });
  const owner = await face.caller(agent);
  const { id } = await owner.start(doing(async (_task, ctx) => aborted(ctx.signal)));
  const streams = [1, 2, 3].map(() => watching((signal) => owner.follow(id, 0, signal)));
  await Promise.all(streams.map((stream) => stream.until(() => true)));
  const more = owner.follow(id, 0)[Symbol.asyncIterator]();
  expect((await refusalOf(more.next())).code).toBe(face.codeOf('LIMIT_RATE'));
}
