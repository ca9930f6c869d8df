// Cases 20 to 28: what is said arrives as it was said, and comes back so.

import { expect } from 'vitest';

import type { Client, SaidPart } from '../client.ts';
import type { Bench, Case } from './case.ts';
import { taskIn } from './case.ts';

/** The agent gives back what has no words, and what begins with `echo`. */
async function comesBack(client: Client, part: SaidPart, expected = part): Promise<void> {
  const { history, artifacts, state } = taskIn(await client.send({ parts: [part] }));
  expect(state).toBe('completed');
  expect(history[0]!.parts).toEqual([expected]);
  expect(artifacts.map(({ parts }) => parts)).toEqual([[expected]]);
}

/** As it is told where names of files get lost. */
function withoutName({ driver }: Bench, { filename, ...part }: SaidPart): SaidPart {
  return driver.loses.includes('file names') ? part : { ...part, filename: filename! };
}

const VALUES = [
  { deep: [1, { two: 'zwei', '': 'ü' }], 'a.b': -0.5, big: 1e21, on: true, none: [], empty: {} },
  ['a', 2, null],
  'a text',
  0,
  false,
] as const;

export const CONTENT: readonly Case[] = [
  {
    number: 20,
    title: 'says and hears text of every script',
    run: async ({ client }) => {
      await comesBack(await client(), { text: 'echo Ελλάδα 漢字 עברית 👩‍👩‍👧 "\\"\n\u2028' });
    },
  },
  {
    number: 21,
    title: 'says and hears an object',
    run: async ({ client, driver }) => {
      const inner = driver.loses.includes('null') ? 0 : null;
      await comesBack(await client(), { data: { ...VALUES[0], inner } });
    },
  },
  {
    number: 22,
    title: 'says and hears any other value of JSON',
    run: async ({ client }) => {
      const own = await client();
      for (const data of VALUES.slice(1)) await comesBack(own, { data });
    },
  },
  {
    number: 23,
    title: 'says and hears a file as bytes',
    run: async (bench) => {
      const raw = Buffer.from([0, 255, 7, 128, 62, 63]).toString('base64');
      const part = { raw, mediaType: 'image/png', filename: 'pixel.png' };
      await comesBack(await bench.client(), part, withoutName(bench, part));
    },
  },
  {
    number: 24,
    title: 'says and hears a file by its address',
    run: async (bench) => {
      const url = 'https://example.com/page?a=b&c=%20';
      const part = { url, mediaType: 'text/html', filename: 'page.html' };
      await comesBack(await bench.client(), part, withoutName(bench, part));
    },
  },
  {
    number: 25,
    title: 'hears files that the agent made',
    run: async (bench) => {
      const { artifacts } = taskIn(await (await bench.client()).send({ text: 'files' }));
      const base64 = Buffer.from('tck').toString('base64');
      const raw = bench.driver.loses.includes('bytes') ? 'tck' : base64;
      expect(artifacts.map(({ id, parts }) => [id, parts])).toEqual([
        ['bytes', [withoutName(bench, { raw, mediaType: 'text/plain', filename: 'output.txt' })]],
        [
          'address',
          [
            withoutName(bench, {
              url: 'https://example.com/output.txt',
              mediaType: 'text/plain',
              filename: 'output.txt',
            }),
          ],
        ],
      ]);
    },
  },
  {
    number: 26,
    title: 'finds what it said about its message in the history',
    run: async ({ client }) => {
      const metadata = { trace: 'a-1', depth: { of: 2 } };
      const { history } = taskIn(await (await client()).send({ text: 'hello', metadata }));
      expect(history[0]!.metadata).toMatchObject(metadata);
    },
  },
  {
    number: 27,
    title: 'says and hears more than a hundred kilobytes',
    run: async ({ client }) => comesBack(await client(), { text: `echo ${'é'.repeat(80_000)}` }),
  },
  {
    number: 28,
    title: 'hears as much of the history with an answer as it asks for',
    run: async ({ client, driver }) => {
      const own = await client();
      const { history } = taskIn(await own.send({ text: 'hello', historyLength: 0 }));
      expect(history).toHaveLength(driver.loses.includes('a history of none') ? 1 : 0);
      const { id } = taskIn(await own.send({ text: 'ask' }));
      const ended = taskIn(await own.send({ text: 'red', taskId: id, historyLength: 1 }));
      expect(ended.history.map(({ parts }) => parts)).toEqual([[{ text: 'red' }]]);
    },
  },
];
