// Holes that were found in the events of an exchange: each test is what went wrong, by its number.

import { describe, expect, onTestFinished, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { Envelope } from '../../src/envelope/types.ts';
import { defineContent } from '../../src/handlers/custom/define-content.ts';
import type { Incoming } from '../../src/transport.ts';
import { entryFor, inboundOf, newAgent, repliesOf } from '../support/agents/agents.ts';
import { createPair, httpWire, memoryWire } from '../support/agents/transport-pairs.ts';
import {
  WIRES,
  honest,
  numbersOf,
  sceneOn,
  task,
  toolCall,
  watch,
  wholeCount,
} from '../support/agents/watched-exchanges.ts';
import { drop, forge } from '../support/wire/forge.ts';
import type { Change } from '../support/wire/man-between.ts';
import {
  cutAfter,
  envelopeOf,
  manBetween,
  numberOf,
  reordered,
  withBytes,
  withoutEvents,
} from '../support/wire/man-between.ts';

const faults: readonly (readonly [string, (all: readonly Incoming[]) => readonly Incoming[]])[] = [
  ['swapped', ([first, second, ...rest]) => [second!, first!, ...rest]],
  ['said twice', ([first, ...rest]) => [first!, first!, ...rest]],
  ['said again later', (all) => [...all.slice(0, 3), all[0]!, ...all.slice(3)]],
  ['left out at the beginning', (all) => all.slice(1)],
  ['left out in the middle', (all) => all.filter((_, index) => index !== 1)],
  ['left out at the end', (all) => [...all.slice(0, -2), all.at(-1)!]],
  ['all left out', (all) => all.slice(-1)],
];

describe.each(WIRES)('A9 events over %s #x-n #x-n-check', (_name, makeWire) => {
  test('A9 are numbered, and the answer says how many there are', async () => {
    const { ask } = await sceneOn(makeWire, honest);
    for (const content of [task, toolCall, watch]) {
      const received = await ask(content);
      expect(received.length).toBeGreaterThan(3);
      expect(numbersOf(received)).toEqual(wholeCount(received.length));
    }
    expect(numbersOf(await ask(toolCall, { stream: false }))).toEqual([0]);
  });

  test.each(faults)('A9 that are %s are refused', async (_fault, order) => {
    const { ask } = await sceneOn(makeWire, reordered(order));
    for (const content of [task, toolCall]) {
      await expect(ask(content)).rejects.toMatchObject({
        code: 'BINDING_INVALID',
        message: expect.stringMatching(/events of the exchange are not whole/) as string,
      });
    }
  });

  test('A9 whose number somebody takes away or changes are refused', async () => {
    for (const operation of [
      drop('/sec/x/n'),
      { op: 'replace', path: '/sec/x/n', value: 2 },
    ] satisfies JsonObject[]) {
      const { ask } = await sceneOn(makeWire, async function* strip(answers) {
        for await (const one of answers) yield withBytes(one, changedBy(one, operation));
      });
      await expect(ask()).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
    }
  });

  test('A9 are missed where somebody asks for the answer alone in the name of the client', async () => {
    const ask = { ask: (outbound: object) => ({ ...outbound, wantsStream: false }) as never };
    const scene = await sceneOn(makeWire, makeWire === httpWire ? honest : withoutEvents, ask);
    await expect(scene.ask()).rejects.toMatchObject({ code: 'BINDING_INVALID' });
    await expect(scene.ask(toolCall)).rejects.toMatchObject({ code: 'BINDING_INVALID' });
  });
});

describe('A9 tasks, watchers and agents that delegate are told of a stream that was changed', () => {
  const swapped = reordered(([first, second, ...rest]) =>
    second === undefined ? [first!] : [second, first!, ...rest],
  );

  test('A9 a task and its watcher', async () => {
    const { client, pair } = await sceneOn(httpWire, swapped);
    const peer = client.runtime.connect(pair.server.identity.agentId);
    await expect(peer.task({ id: 't', goal: 'go' }).result()).rejects.toMatchObject({
      code: 'BINDING_INVALID',
    });
    const watching = (async () => {
      for await (const update of peer.tasks.watch('t')) expect(update).toBeDefined();
    })();
    await expect(watching).rejects.toMatchObject({ code: 'BINDING_INVALID' });
  });

  test('A9 a part of a task that another agent does', async () => {
    const pair = await createPair(httpWire);
    onTestFinished(() => pair.close());
    const { dialer } = manBetween(pair.wire.dialer, swapped);
    const failures: unknown[] = [];
    const boss = await newAgent({
      transports: [dialer],
      now: pair.server.clock.now,
      onTask: async (_task, ctx) => {
        await ctx
          .delegate(pair.server.identity.agentId, { goal: 'part' })
          .result()
          .catch((thrown: unknown) => failures.push(thrown));
      },
    });
    onTestFinished(() => boss.runtime.close({ graceMs: 0 }));
    boss.book.add(entryFor(pair.server.identity, { endpoints: [pair.url] }));
    pair.server.book.add(entryFor(boss.identity));
    const owner = await pair.sender();
    boss.book.add(entryFor(owner));
    const { bytes } = await forge(owner, boss);
    await repliesOf(boss.runtime, inboundOf(bytes));
    expect(failures).toEqual([expect.objectContaining({ code: 'CHILD_REFUSED' })]);
  });
});

describe('A9 a stream that is gone on with #x-n-check', () => {
  test('A9 goes on counting where it was cut', async () => {
    const cuts = [2, 5, 1];
    const { ask } = await sceneOn(httpWire, (answers, attempt) =>
      attempt > cuts.length ? answers : cutAfter(answers, cuts[attempt - 1]!),
    );
    const received = await ask();
    expect(received.length).toBeGreaterThan(10);
    expect(numbersOf(received)).toEqual(wholeCount(received.length));
    expect(received.at(-1)).not.toHaveProperty('missing');
  });

  test('A9 task.watch, too', async () => {
    const { ask } = await sceneOn(httpWire, (answers, attempt) =>
      attempt === 2 || attempt === 3 ? cutAfter(answers, 4) : answers,
    );
    await ask();
    const received = await ask(watch);
    expect(received.length).toBeGreaterThan(8);
    expect(numbersOf(received)).toEqual(wholeCount(received.length));
  });

  test('A9 passes over what is told again', async () => {
    const { ask, told } = await sceneOn(
      httpWire,
      (answers, attempt) => (attempt === 1 ? cutAfter(answers, 4) : answers),
      {
        ask: ({ afterGeneration, ...rest }) =>
          afterGeneration ? { ...rest, afterGeneration: 1 } : rest,
      },
    );
    const received = await ask();
    expect(told.map(numberOf).slice(4, 7)).toEqual([5, 2, 3]);
    expect(numbersOf(received)).toEqual(wholeCount(received.length));
  });

  test.each([
    ['left out', (all: readonly Incoming[]) => all.slice(1)],
    ['swapped', ([first, second, ...rest]: readonly Incoming[]) => [second!, first!, ...rest]],
    ['left out at the end', (all: readonly Incoming[]) => [...all.slice(0, -2), all.at(-1)!]],
    ['said twice', ([first, ...rest]: readonly Incoming[]) => [first!, first!, ...rest]],
  ])('A9 in which events are %s is refused', async (_name, order) => {
    const { ask } = await sceneOn(httpWire, (answers, attempt) =>
      attempt === 1 ? cutAfter(answers, 3) : reordered(order)(answers, attempt),
    );
    await expect(ask()).rejects.toMatchObject({ code: 'BINDING_INVALID' });
  });

  test.each(WIRES)(
    'A9 of which the answer alone is told again says how many events are missing, over %s',
    async (_name, makeWire) => {
      const { ask } = await sceneOn(makeWire, (answers, attempt) =>
        attempt === 1 ? cutAfter(answers, 3) : withoutEvents(answers, attempt),
      );
      const received = await ask();
      const end = received.at(-1)!;
      expect(received).toHaveLength(4);
      expect(end.missing).toBe((numberOf(end.envelope) as number) - 3);
    },
  );

  test('A9 has the same numbers and payloads as at first, also when the task has gone on since', async () => {
    const pair = await createPair(httpWire, {
      onTask: async (_task, ctx) => {
        await ctx.progress('asks');
        await ctx.ask('more?');
        await ctx.progress('goes on');
      },
    });
    onTestFinished(() => pair.close());
    const sender = await pair.sender();
    const message = await forge(sender, pair.server, task);
    const told = async (after?: number): Promise<Envelope[]> => {
      const parts = { wantsStream: true, ...(after !== undefined && { afterGeneration: after }) };
      const replies = await repliesOf(pair.server.runtime, inboundOf(message.bytes, 'json', parts));
      return replies.map(envelopeOf);
    };
    const first = await told();
    expect(first.map(numberOf)).toEqual(wholeCount(first.length));
    const reply = { tool: 'task.reply', call_id: 'r', args: { id: 't', reply: 'yes' }, expect: {} };
    const answered = await forge(sender, pair.server, { ct: 'toolcall.v1', payload: reply });
    await repliesOf(pair.server.runtime, inboundOf(answered.bytes));
    for (let after = 0; after < first.length; after += 1) {
      const again = await told(after);
      expect(again.map(({ payload }) => payload)).toEqual(
        first.slice(Math.min(after, first.length - 1)).map(({ payload }) => payload),
      );
      expect(again.map(numberOf)).toEqual(
        wholeCount(first.length).slice(Math.min(after, first.length - 1)),
      );
    }
  });

  test('A9 a retry without Last-Event-ID, and a request for the answer alone, count the same', async () => {
    const pair = await createPair(memoryWire);
    onTestFinished(() => pair.close());
    const message = await forge(await pair.sender(), pair.server, task);
    const [alone] = await repliesOf(pair.server.runtime, inboundOf(message.bytes));
    const parts = { wantsStream: true, afterGeneration: 0 };
    const again = await repliesOf(pair.server.runtime, inboundOf(message.bytes, 'json', parts));
    expect(numberOf(envelopeOf(alone!))).toBe(again.length - 1);
    expect(again.map(envelopeOf).map(numberOf)).toEqual(wholeCount(again.length));
  });
});

describe('A9 a handler that fails #x-n', () => {
  const failing = defineContent({
    ct: 'fails.v1',
    schema: {},
    handle: async function* fail() {
      yield 1;
      yield 2;
      await Promise.resolve();
      throw new Error('it broke');
    },
  });

  test.each<readonly [string, Change, string]>([
    ['its error counts the events before it', honest, 'INTERNAL'],
    [
      'no event before its error can be dropped',
      reordered((all) => all.slice(-1)),
      'BINDING_INVALID',
    ],
  ])('A9 %s', async (_name, change, code) => {
    const { pair, client, ask, told } = await sceneOn(httpWire, change);
    pair.server.runtime.handle(failing);
    client.runtime.handle(failing);
    await expect(ask({ ct: 'fails.v1', payload: {} })).rejects.toMatchObject({ code });
    // The second value might have been the last.
    expect(told.map(numberOf)).toEqual([1, 1]);
  });
});

function changedBy(one: Incoming, operation: JsonObject): Uint8Array {
  const { sec, ...envelope } = envelopeOf(one);
  const { n: _n, ...x } = sec!.x!;
  const value = operation['value'];
  const changed = { ...sec!, x: value === undefined ? x : { ...x, n: value } };
  return writeJson({ ...envelope, sec: changed } as unknown as JsonObject);
}
