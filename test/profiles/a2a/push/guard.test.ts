// Proves that a web hook cannot turn the agent inwards: not when it is asked for, and not at any try to tell it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { TestAgent } from '../../../support/a2a/agent.ts';
import { agentFor, openAgent } from '../../../support/a2a/agent.ts';
import { textAt } from '../../../support/a2a/ask.ts';
import type { Cell } from '../../../support/a2a/cells.ts';
import { CELLS } from '../../../support/a2a/cells.ts';
import { isEnd, receiverFor } from '../../../support/a2a/receiver.ts';
import { LOOPBACK_URLS, PRIVATE_URLS } from '../../../support/wire/url-corpus.ts';

const [cell] = CELLS as [Cell];
const SECRET = 'the-secret-of-the-hook';

describe('#a2a-push-guard what is asked for', () => {
  let agent: TestAgent;
  let local: TestAgent;
  let id: string;
  let localId: string;
  beforeAll(async () => {
    agent = await openAgent();
    local = await openAgent({ face: { allowLoopbackHooks: true } });
    [id, localId] = (await Promise.all(
      [agent, local].map(async (one) =>
        textAt(cell.taskOf(await cell.ask(one, 'send', { text: 'hello' })), 'id'),
      ),
    )) as [string, string];
  });
  afterAll(async () => {
    await agent.runtime.close({ graceMs: 0 });
    await local.runtime.close({ graceMs: 0 });
  });

  test.each([...PRIVATE_URLS, ...LOOPBACK_URLS])('%s is refused', async (url) => {
    for (const answer of [
      await cell.ask(agent, 'createPush', { id, push: { url } }),
      await cell.ask(agent, 'send', { push: { url } }),
    ]) {
      expect(cell.reasonOf(answer)).toBe('INVALID_PARAMS');
      expect(answer.text).toContain('url');
    }
  });

  test.each(PRIVATE_URLS)('%s is refused even where this machine is allowed', async (url) => {
    const answer = await cell.ask(local, 'createPush', { id: localId, push: { url } });
    expect(cell.reasonOf(answer)).toBe('INVALID_PARAMS');
  });

  test('nothing is looked up for it', async () => {
    const silent = await agentFor({ face: { hookFetch: { lookup: () => new Promise(() => {}) } } });
    const push = { url: 'https://never.example.com/' };
    const sent = await cell.ask(silent, 'send', { text: 'hello', push });
    expect(sent.text).toContain('TASK_STATE_COMPLETED');
  });
});

describe('#a2a-push-guard what is told', () => {
  const ADDRESSES = {
    'loopback.example.com': '127.0.0.1',
    'private.example.com': '10.0.0.1',
    'metadata.example.com': '169.254.169.254',
    'mapped.example.com': '::ffff:127.0.0.1',
  } as const;

  test.each(Object.entries(ADDRESSES))(
    '%s leads to %s, and is never reached',
    async (host, address) => {
      const receiver = await receiverFor();
      const { port } = new URL(receiver.origin);
      let lookups = 0;
      const errors: unknown[] = [];
      const agent = await agentFor({
        face: {
          hookFetch: {
            lookup: async () => {
              lookups += 1;
              // Public when it is first asked for, and here when it counts; both at once make it no better.
              if (lookups === 1) return [{ address, family: address.includes(':') ? 6 : 4 }];
              return [
                { address: '8.8.8.8', family: 4 },
                { address, family: address.includes(':') ? 6 : 4 },
              ];
            },
          },
        },
        runtime: { on: { error: (cause) => void errors.push(cause) } },
      });
      const push = { url: `http://${host}:${port}/`, scheme: 'Bearer', credentials: SECRET };
      await cell.ask(agent, 'send', { text: 'hello', push });
      await expect.poll(() => lookups, { timeout: 10_000 }).toBeGreaterThan(1);
      expect(receiver.all).toEqual([]);
      expect(JSON.stringify(errors)).not.toContain(SECRET);
    },
  );

  test('the address that was checked is the one that is used, and the name is shown to the receiver', async () => {
    const receiver = await receiverFor();
    const { port } = new URL(receiver.origin);
    const asked: string[] = [];
    const agent = await agentFor({
      face: {
        allowLoopbackHooks: true,
        hookFetch: {
          lookup: async (host) => {
            asked.push(host);
            return [{ address: '127.0.0.1', family: 4 }];
          },
        },
      },
    });
    const push = { url: `http://hooks.example.com:${port}/` };
    await cell.ask(agent, 'send', { text: 'hello', push });
    await receiver.until((all) => all.some(isEnd));
    expect(asked).toEqual(receiver.all.map(() => 'hooks.example.com'));
    expect(receiver.all[0]!.headers.host).toBe(`hooks.example.com:${port}`);
  });

  test.each([301, 302, 303, 307, 308])(
    'a redirect (%i) is not followed, and is no success',
    async (status) => {
      const receiver = await receiverFor();
      const elsewhere = await receiverFor();
      receiver.reply = (_delivery, nth) =>
        nth === 1 ? { status, headers: { location: elsewhere.url('/stolen') } } : { status: 204 };
      const agent = await agentFor({ face: { allowLoopbackHooks: true } });
      await cell.ask(agent, 'send', {
        text: 'hello',
        push: { url: receiver.url(), token: SECRET },
      });
      await receiver.until((all) => all.some(isEnd));
      const [first, again] = receiver.all.map(({ headers }) => headers['a2a-sdl-delivery']);
      expect(again).toBe(first);
      expect(elsewhere.all).toEqual([]);
    },
  );
});
