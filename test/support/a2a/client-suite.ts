// Owns what our client has to be able to do with any agent of official A2A, whoever made it: every operation that the
// agent offers, over the binding and version under test. Agents do what the first word of a message says.

import { describe, expect, test } from 'vitest';

import type { A2aAgent } from '../../../profiles/a2a/client/agent.ts';
import { connectA2a } from '../../../profiles/a2a/client/connect.ts';
import type { InterfaceWish } from '../../../profiles/a2a/client/discovery/choose.ts';
import type { A2aTask } from '../../../profiles/a2a/client/model.ts';
import { a2a } from '../../../profiles/a2a/index.ts';
import type { RemoteAgent } from '../../../src/index.ts';
import { createClient } from '../../../src/index.ts';
import type { MessageContent } from '../../../src/door/index.ts';

/** What the agent under test cannot do, and why. */
export type Missing =
  | 'answers' // without a task
  | 'cancels' // a task that works
  | 'extended card'
  | 'files'
  | 'follow-ups'
  | 'progress' // in words
  | 'push'
  | 'push lists'
  | 'push deletes';

export interface SuiteSubject {
  readonly name: string;
  readonly prefer: Required<InterfaceWish>;
  readonly origin: () => string;
  readonly missing?: readonly Missing[];
}

let messages = 0;

export function message(text: string): MessageContent {
  return { id: `message-${(messages += 1)}`, role: 'user', parts: [{ text }] };
}

function textOf({ artifacts }: Pick<A2aTask, 'artifacts'>): string {
  return artifacts.map(({ text }) => text).join('');
}

/** @param anchors of SPEC.md that the runs show. */
export function describeClient(subject: SuiteSubject, anchors: string): void {
  const { name, prefer, origin, missing = [] } = subject;
  const has = (what: Missing): boolean => !missing.includes(what);
  /** What the agent cannot do is no test that is skipped: {@link Missing} is the list of it. */
  const testIf =
    (what: Missing) =>
    (title: string, run: () => Promise<void>): void => {
      if (has(what)) test(title, run);
    };
  const connect = (): Promise<A2aAgent> => connectA2a(origin(), { prefer });
  const asPeer = async <T>(use: (peer: RemoteAgent) => Promise<T>): Promise<T> => {
    const client = createClient({ transports: [a2a({ client: { prefer } })] });
    try {
      return await use(client.connect(origin()));
    } finally {
      await client.close();
    }
  };

  describe(`${anchors} ${name}, ${prefer.version} over ${prefer.binding}`, () => {
    test('finds the agent, and speaks as its card says', async () => {
      const { card, chosen } = await connect();
      expect(chosen).toMatchObject(prefer);
      expect([card.name.length > 0, card.streaming]).toEqual([true, true]);
    });

    test('sends, and waits for the answer', async () => {
      const sent = await (await connect()).send({ message: message('hello world') });
      expect('task' in sent && [sent.task.status.state, textOf(sent.task)]).toEqual([
        'completed',
        'done hello world',
      ]);
    });

    test('streams, and puts the pieces together', async () => {
      const steps: string[] = [];
      let last: A2aTask | undefined;
      for await (const step of (await connect()).follow(
        { send: { message: message('chunks') } },
        { isOver: ({ status }) => status.state === 'completed' },
      )) {
        if ('type' in step) throw new Error('it answered without a task');
        last = step.task;
        steps.push(step.piece === undefined ? step.task.status.state : step.piece.artifact.id);
      }
      expect(textOf(last!)).toBe('one two');
      expect(steps.at(-1)).toBe('completed');
    });

    test('is a peer like others: updates, artifacts, results', async () => {
      await asPeer(async (peer) => {
        const said: string[] = [];
        const pieces: string[] = [];
        for await (const update of peer.task('chunks')) {
          if (update.progress !== undefined) said.push(update.progress.message);
          if (!update.isAnswer) pieces.push(...update.artifacts.map(({ text }) => text));
          if (!update.isAnswer) continue;
          expect([update.status, update.hasEnded]).toEqual(['completed', true]);
          expect(update.artifacts.map(({ text }) => text)).toEqual(['one two']);
        }
        expect(pieces.join('')).toBe('one two');
        if (has('progress')) expect(said).toContain('begun');
        const { failure, status } = await peer.task('fail').result();
        expect([status, failure?.message]).toEqual(['failed', expect.stringContaining('no paper')]);
      });
    });

    testIf('follow-ups')('answers a question', async () => {
      await asPeer(async (peer) => {
        const asked = await peer.task('ask').result();
        expect([asked.status, asked.question?.content]).toEqual(['input-required', 'which?']);
        await peer.tasks.reply(asked.id!, 'red');
        let last;
        for await (const update of peer.tasks.watch(asked.id!)) last = update;
        expect([last?.status, last?.artifacts[0]?.text]).toEqual(['completed', 'told red']);
      });
    });

    testIf('cancels')('watches a task, and cancels it', async () => {
      await asPeer(async (peer) => {
        const begun = await peer.task({ goal: 'hold', constraints: { time_budget_s: 0 } }).result();
        expect(begun.hasEnded).toBe(false);
        const got = await peer.tasks.get(begun.id!);
        expect(got.id).toBe(begun.id);
        const states: string[] = [];
        const watched = (async () => {
          for await (const { status } of peer.tasks.watch(begun.id!)) {
            states.push(status);
            if (states.length === 1) expect((await peer.tasks.cancel(begun.id!)).id).toBe(begun.id);
          }
        })();
        await watched;
        expect(states.at(-1)).toBe('canceled');
      });
    });

    test('tells a task that is not there by its code', async () => {
      await asPeer(async (peer) => {
        await expect(peer.tasks.get('00000000-0000-4000-8000-000000000000')).rejects.toMatchObject({
          code: 'TASK_UNKNOWN',
        });
      });
    });

    test('lists tasks, or says that its version has no lists', async () => {
      await asPeer(async (peer) => {
        const { id } = await peer.task('hello list').result();
        if (prefer.version === '0.3') {
          await expect(peer.tasks.list()).rejects.toThrow('A2A 0.3 has no lists of tasks');
          return;
        }
        const { tasks, total } = await peer.tasks.list({ limit: 100 });
        expect(tasks.map((task) => task.id)).toContain(id);
        expect(total).toBeGreaterThan(0);
        const page = await peer.tasks.list({ limit: 1 });
        expect(page.tasks).toHaveLength(1);
        const next = await peer.tasks.list({ limit: 1, cursor: page.next! });
        expect(next.tasks[0]!.id).not.toBe(page.tasks[0]!.id);
      });
    });

    testIf('answers')('is answered without a task', async () => {
      const sent = await (await connect()).send({ message: message('answer') });
      expect('message' in sent && sent.message.text).toBe('answered at once');
      await asPeer(async (peer) => {
        const { status, answer } = await peer.task('answer').result();
        expect([status, answer?.text]).toEqual(['completed', 'answered at once']);
      });
    });

    testIf('files')('reads every kind of part', async () => {
      const sent = await (await connect()).send({ message: message('data') });
      if (!('task' in sent)) throw new Error('it answered without a task');
      const parts = sent.task.artifacts.flatMap((artifact) => artifact.parts);
      const { data } = parts.find((part) => 'data' in part) ?? {};
      const { key, count } = data as { key: string; count: unknown };
      // Some send every number as a double, and it is told as it came.
      expect([key, Number(count)]).toEqual(['value', 42]);
      const file = parts.find((part) => 'bytes' in part);
      expect(new TextDecoder().decode(file?.bytes)).toBe('tck');
      expect(parts.find((part) => 'url' in part)?.url).toBe('https://example.com/output.txt');
    });

    testIf('push')('asks for notifications of a task', async () => {
      const agent = await connect();
      const sent = await agent.send({ message: message('hold'), isWaiting: false });
      const { id } = 'task' in sent ? sent.task : { id: '' };
      const hook = { id: 'mine', url: 'https://example.com/hook', token: 'a-token' };
      const made = await agent.createHook(id, hook);
      expect(made).toMatchObject({ id: 'mine', url: hook.url });
      expect((await agent.getHook(id, 'mine')).url).toBe(hook.url);
      if (has('push lists')) {
        expect((await agent.listHooks(id)).map((one) => one.id)).toEqual(['mine']);
      }
      if (has('push deletes')) {
        await agent.deleteHook(id, 'mine');
        await expect(agent.getHook(id, 'mine')).rejects.toThrow();
      }
      await agent.cancel(id);
    });

    testIf('extended card')('takes the extended card for its own', async () => {
      const agent = await connect();
      expect(agent.card.name).not.toContain('extended');
      await agent.extendedCard();
      expect(agent.card.name).toContain('extended');
    });
  });
}
