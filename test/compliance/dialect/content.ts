// Cases 28 to 32: what is said arrives as it was said, or is refused.

import { expect } from 'vitest';

import { LosslessNumber } from '../../../src/codec/value.ts';
import type { Part } from '../../../src/tasks/part.ts';
import { outputOf, textOf } from '../../support/dialect/caller.ts';
import { doing } from '../../support/dialect/works.ts';
import type { Case } from './case.ts';
import { allOf, refusalOf } from './case.ts';

const EVERY_KIND: readonly Part[] = [
  { text: '# a title', mediaType: 'text/markdown', filename: 'title.md' },
  {
    data: { deep: [1, { two: null }] },
    mediaType: 'application/ld+json',
    metadata: { lang: 'en' },
  },
  { bytes: new Uint8Array([0, 255, 7, 128]), mediaType: 'image/png', filename: 'pixel.png' },
  { url: 'https://example.com/page?a=b', mediaType: 'text/html', metadata: { hops: 2 } },
];

const NUMBERS = [
  '0.1',
  '9007199254740991',
  '-1e-7',
  '1.7976931348623157e308',
  '12345678901234567890',
];
/** More digits than any double has. */
const LONG_FRACTION = '0.10000000000000000000001';

/** As digits and their place, whatever the spelling. */
function exactly(value: number | LosslessNumber): string {
  const [digits = '', exponent = '0'] = String(
    typeof value === 'number' ? value : value.lexeme,
  ).split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  const all = `${whole}${fraction}`.replace(/^(-?)0+/, '$1');
  return `${all}e${Number(exponent) - fraction.length}`;
}

export const CONTENT: readonly Case[] = [
  {
    number: 28,
    title: 'parts of every kind go in and come back whole',
    run: async ({ caller }) => {
      const owner = await caller();
      const work = doing(async (task, ctx) => {
        const [, ...parts] = task.history[0]!.parts;
        await ctx.artifact({ name: 'same', parts });
        const reply = await ctx.ask(parts);
        await ctx.artifact({ name: 'reply', parts: reply.parts });
      });
      const asked = [{ text: work }, ...EVERY_KIND];
      const waiting = await owner.run({ text: work, parts: asked });
      expect(waiting.state).toBe('input-required');
      await owner.say(waiting.id, EVERY_KIND);
      await allOf(owner.follow(waiting.id));
      const { history, artifacts } = await owner.get(waiting.id);
      expect(history.map(({ parts }) => parts)).toEqual([asked, EVERY_KIND, EVERY_KIND]);
      expect(artifacts.map(({ name, parts }) => [name, parts])).toEqual([
        ['same', EVERY_KIND],
        ['reply', EVERY_KIND],
      ]);
    },
  },
  {
    number: 29,
    title: 'a number is the same number afterwards, whatever a double could hold',
    run: async ({ face, caller }) => {
      const owner = await caller();
      const work = doing(async (task, ctx) => {
        await ctx.artifact({ json: task.data! });
      });
      const lexemes = [...NUMBERS, ...(face.longFractions === 'kept' ? [LONG_FRACTION] : [])];
      const data = lexemes.map((lexeme) => new LosslessNumber(lexeme));
      const view = await owner.run({ text: work, parts: [{ text: work }, { data }] });
      for (const [part] of [view.artifacts[0]!.parts, view.history[0]!.parts.slice(1)]) {
        const told = (part as { readonly data: readonly (number | LosslessNumber)[] }).data;
        expect(told.map(exactly)).toEqual(data.map(exactly));
      }
    },
  },
  {
    number: 30,
    title: 'output grows, is replaced by its id, and is complete when it is said to be',
    run: async ({ caller }) => {
      const owner = await caller();
      const work = doing(async (_task, ctx) => {
        await ctx.artifact({ id: 'a', text: 'one ' });
        await ctx.artifact({ id: 'b', text: 'old' });
        await ctx.artifact({ id: 'a', text: 'two', append: true });
        await ctx.artifact({ id: 'b', text: 'new', last: true });
        await ctx.artifact({ id: 'a', text: '!', append: true, last: true });
        await expect(async () =>
          ctx.artifact({ id: 'a', text: '?', append: true }),
        ).rejects.toThrow(TypeError);
      });
      const view = await owner.run(work);
      expect(view.state).toBe('completed');
      expect(view.artifacts.map(({ id, parts }) => [id, textOf(parts)])).toEqual([
        ['a', 'one two!'],
        ['b', 'new'],
      ]);
      const told = await allOf(owner.follow(view.id, 0));
      const pieces = told.filter(({ type }) => type === 'output').map(({ text }) => text);
      expect(pieces).toEqual(['one ', 'old', 'two', 'new', '!']);
    },
  },
  {
    number: 31,
    title: 'nothing, every script, and a megabyte come back as they are',
    run: async ({ face, newAgent }) => {
      const limits = { maxBytes: 8_000_000, maxStringBytes: 8_000_000 };
      const owner = await face.caller(
        await newAgent({ limits, tasks: { maxOutputBytes: 4_000_000 } }),
      );
      const work = doing(async (task, ctx) => {
        await ctx.artifact({ parts: task.history[0]!.parts.slice(1) });
      });
      const texts = ['', 'Ελλάδα 漢字 עברית 👩‍👩‍👧 \u0000\u2028', 'a'.repeat(1_000_000)];
      for (const text of texts) {
        const view = await owner.run({ text: work, parts: [{ text: work }, { text }] });
        expect(view.state).toBe('completed');
        expect(outputOf(view) === text).toBe(true);
        expect(textOf(view.history[0]!.parts) === work + text).toBe(true);
      }
    },
  },
  {
    number: 32,
    title: 'what cannot be carried is refused, and nothing of it is begun',
    run: async ({ face, caller }) => {
      const owner = await caller();
      const text = doing(async () => 'never');
      const two = { text: 'a', url: 'https://example.com/' } as Part;
      const { code } = await refusalOf(owner.start({ text, parts: [{ text }, two] }));
      expect(code).toBe(face.codeOf('PAYLOAD_INVALID'));
      expect((await owner.list()).total).toBe(0);
      // What an author cannot say fails where it is said.
      const half = doing(async (_task, ctx) => {
        await expect(async () => ctx.artifact({ text: 'half \ud83d' })).rejects.toThrow(TypeError);
        return 'told';
      });
      expect(outputOf(await owner.run(half))).toBe('told');
    },
  },
];
