// Proves that a bridge seals what it says to an upstream that can be sealed to, and says so where it has to and cannot.

import { describe, expect, test } from 'vitest';

import type { A2aBridgeOptions } from '../../../../profiles/a2a/index.ts';
import { createMemoryStore } from '../../../../src/stores/memory.ts';
import { bridgeFor, failureOf, tokenAt } from '../../../support/a2a/bridge/bridge.ts';
import { message } from '../../../support/a2a/client-suite.ts';
import { cardOf, scriptedAgent } from '../../../support/a2a/scripted-agent.ts';
import { WISHES } from '../../../support/sealed-face/client.ts';
import {
  SECRET,
  newSides,
  sealedAgentFor,
  sealedGrpcAgentFor,
} from '../../../support/sealed-face/user.ts';

describe('#bridge-sealed', () => {
  test.each(WISHES)('a task, a question, a stream and a cancel over $name', async (wish) => {
    const side = await newSides();
    const upstream = await sealedGrpcAgentFor(side);
    const { name: _name, ...prefer } = wish;
    const bridge = await bridgeFor({
      upstreams: { behind: upstream.origin },
      prefer,
      credentials: [
        tokenAt(upstream, 'user'),
        { ...tokenAt(upstream, 'user'), origin: `http://${upstream.grpc}` },
      ],
      sealed: { identity: side.user, policy: 'require' },
    });
    const done = await bridge.ask(`hello ${SECRET}`);
    expect(done.artifacts.map(({ text }) => text)).toEqual([`done hello ${SECRET}`]);
    const streamed = await bridge.ask('chunks');
    expect(streamed.artifacts.map(({ text }) => text)).toEqual(['one two']);
    const asking = await bridge.ask('ask');
    expect([asking.status.state, asking.status.message?.text]).toEqual([
      'input-required',
      'which?',
    ]);
    const told = await bridge.client.send({ message: message('this one'), taskId: asking.id });
    expect('task' in told && told.task.artifacts.map(({ text }) => text)).toEqual([
      'told this one',
    ]);
    const failed = await bridge.ask('fail');
    expect(failureOf(failed)).toEqual([
      'failed',
      'UPSTREAM_FAILED',
      expect.stringContaining('there is no paper'),
    ]);
  });

  test('an upstream that cannot be sealed to is told nothing under require', async () => {
    const upstream = await scriptedAgent({ card: (origin) => cardOf(origin) });
    const { user } = await newSides();
    const bridge = await bridgeFor({
      upstreams: { behind: upstream.origin },
      sealed: { identity: user, policy: 'require' },
    });
    const [state, code, words] = failureOf(await bridge.ask('x'));
    expect([state, code]).toEqual(['failed', 'UPSTREAM_REFUSED']);
    expect(words).toMatch(/behind cannot be spoken to \(NOT_PROTECTED\).*nothing was sent/);
    expect(upstream.requests).toEqual([]);
  });

  test('under prefer its operator is told once that nothing is protected', async () => {
    const side = await newSides();
    const plain = await sealedAgentFor(side, { face: { sealed: 'none' } });
    const notices: string[] = [];
    const options: A2aBridgeOptions = {
      upstreams: { behind: plain.origin },
      credentials: [tokenAt(plain, 'user')],
      sealed: { identity: side.user, store: createMemoryStore({ now: Date.now }) },
      onNotice: (words) => notices.push(words),
    };
    const bridge = await bridgeFor(options);
    expect((await bridge.ask('one')).status.state).toBe('completed');
    expect((await bridge.ask('two')).status.state).toBe('completed');
    expect(notices).toEqual([expect.stringMatching(/^behind is not protected.*does not offer it/)]);
  });
});
