// Holes that were found in the events of an exchange: agents that do not number theirs, or no longer.

import { describe, expect, onTestFinished, test } from 'vitest';

import type { JsonObject } from '../../src/codec/value.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import { defaultCapabilities } from '../../src/envelope/capabilities.ts';
import type { Envelope } from '../../src/envelope/types.ts';
import { createContacts } from '../../src/security/peers/contacts.ts';
import { crypto, inboundOf, repliesOf } from '../support/agents/agents.ts';
import { createPair, httpWire, memoryWire } from '../support/agents/transport-pairs.ts';
import type { Scene } from '../support/agents/watched-exchanges.ts';
import {
  numbersOf,
  sceneOn,
  task,
  toolCall,
  wholeCount,
} from '../support/agents/watched-exchanges.ts';
import { drop, forge, resigned } from '../support/wire/forge.ts';
import { envelopeOf, numberOf, withBytes } from '../support/wire/man-between.ts';

describe('A9 peers that do not number #x-n-check', () => {
  const NUMBER = drop('/sec/x/n');

  /** Answers as an agent with the same keys that is older, from an attempt on. */
  async function aging(
    operations: (one: Envelope) => readonly JsonObject[],
    from = 1,
  ): Promise<Scene> {
    const keys: { identity?: Parameters<typeof resigned>[0] } = {};
    const scene = await sceneOn(httpWire, async function* older(answers, attempt) {
      for await (const one of answers) {
        if (attempt < from) yield one;
        else {
          const envelope = envelopeOf(one);
          const changed = await resigned(keys.identity!, envelope, ...operations(envelope));
          yield withBytes(one, writeJson(changed));
        }
      }
    });
    keys.identity = scene.pair.server.identity;
    return scene;
  }

  const unannounced = ({ cap }: Envelope): JsonObject => {
    const { x } = cap['a2a_sdl'] as { readonly x: readonly string[] };
    expect(x).toContain('n');
    return drop(`/cap/a2a_sdl/x/${x.indexOf('n')}`);
  };

  test('A9 and never have are heard as before', async () => {
    const { ask } = await aging((one) => [NUMBER, unannounced(one)]);
    const received = await ask();
    expect(received.length).toBeGreaterThan(10);
    expect(new Set(numbersOf(received))).toEqual(new Set([undefined]));
    expect((await ask(toolCall)).length).toBeGreaterThan(3);
  });

  test('A9 and announce that they do are refused', async () => {
    const { ask } = await aging(() => [NUMBER]);
    await expect(ask()).rejects.toMatchObject({
      code: 'ENVELOPE_INVALID',
      message: expect.stringMatching(/is missing, and the peer announces "n"/) as string,
      details: { path: '/sec/x/n' },
    });
    // Nothing can be missing where no events were asked for.
    expect(await ask(toolCall, { stream: false })).toHaveLength(1);
  });

  test('A9 and have announced it before are refused until the operator says otherwise', async () => {
    const { ask, store, pair } = await aging((one) => [NUMBER, unannounced(one)], 2);
    await ask(toolCall);
    for (let time = 1; time <= 2; time += 1) {
      await expect(ask(toolCall)).rejects.toMatchObject({
        code: 'ENVELOPE_INVALID',
        message: expect.stringMatching(/has announced "n" before.*peers relax/) as string,
      });
    }
    await createContacts(store, { crypto }).relax(pair.server.identity.agentId);
    // What memory holds of it is ten seconds old at most.
    pair.server.clock.nowMs += 11_000;
    expect(new Set(numbersOf(await ask(toolCall)))).toEqual(new Set([undefined]));
  });

  test.each([0.5, -1, '1', null])('A9 a number that is none is refused: %j', async (value) => {
    const { ask } = await aging(() => [{ op: 'replace', path: '/sec/x/n', value }]);
    await expect(ask()).rejects.toMatchObject({ code: 'ENVELOPE_INVALID' });
  });

  test('A9 and ask are answered as before', async () => {
    const pair = await createPair(memoryWire);
    onTestFinished(() => pair.close());
    const sender = await pair.sender();
    const announced = { v: 1, x: ['re', 'stream'], bundle: sender.bundle.document };
    const cap = { ...defaultCapabilities(), a2a_sdl: announced };
    const message = await forge(sender, pair.server, { ...task, members: { cap } });
    const replies = await repliesOf(
      pair.server.runtime,
      inboundOf(message.bytes, 'json', { wantsStream: true }),
    );
    expect(replies.map(envelopeOf).map(numberOf)).toEqual(wholeCount(replies.length));
    expect(replies.length).toBeGreaterThan(10);
  });
});
