// Proves what becomes of a notice that was not taken: told again, later each time, under the same name, before anything
// that follows it; and when that ends.

import { describe, expect, test } from 'vitest';

import { retryAfterMs } from '../../../../profiles/a2a/push/retry-after.ts';
import type { CallerEntry } from '../../../../profiles/auth/index.ts';
import { createCallers, hashSecret } from '../../../../profiles/auth/index.ts';
import type { TestAgent } from '../../../support/a2a/agent.ts';
import { agentFor } from '../../../support/a2a/agent.ts';
import { textAt } from '../../../support/a2a/ask.ts';
import type { Cell } from '../../../support/a2a/cells.ts';
import { CELLS } from '../../../support/a2a/cells.ts';
import type { Delivery } from '../../../support/a2a/receiver.ts';
import { Receiver, isEnd, kindOf, receiverFor } from '../../../support/a2a/receiver.ts';

const [cell] = CELLS as [Cell];
const SECRET = 'the-secret-of-the-hook';
const idOf = ({ headers }: Delivery): string => String(headers['a2a-sdl-delivery']);
const generationOf = (one: Delivery): number => Number(idOf(one).split('.').at(-1));

/** An agent whose clock runs ahead as far as the test says. */
class AheadAgent {
  readonly errors: unknown[] = [];
  aheadMs = 0;
  readonly now = (): number => Date.now() + this.aheadMs;

  open(more: object = {}): Promise<TestAgent> {
    return agentFor({
      face: { allowLoopbackHooks: true },
      runtime: {
        now: this.now,
        tasks: { recoverEveryMs: 10, retentionMs: 1e12 },
        on: { error: (cause) => void this.errors.push(cause) },
        ...more,
      },
    });
  }

  /** Lets so much of its time pass at a turn until it is so. */
  async until(isSo: () => boolean, stepMs: number): Promise<void> {
    while (!isSo()) {
      this.aheadMs += stepMs;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

describe('#a2a-push-delivery a notice that is not taken', () => {
  test('is told again under the same name, and nothing overtakes it', async () => {
    const receiver = await receiverFor();
    const replies = [500, 404, 429, 503, 400, 401, 200, 500, 202];
    receiver.reply = (_delivery, nth) => ({ status: replies[nth - 1] ?? 200 });
    const time = new AheadAgent();
    const agent = await time.open();
    await cell.ask(agent, 'send', { text: 'chunks', push: { url: receiver.url() } });
    await time.until(() => receiver.all.some((one, nth) => isEnd(one) && nth >= 9), 500);
    const names = receiver.all.map(idOf);
    expect(new Set(names.slice(0, 7)).size).toBe(1);
    expect(names[8]).toBe(names[7]);
    const generations = receiver.all.map(generationOf);
    expect(generations).toEqual(generations.toSorted((one, other) => one - other));
    // What is told again is the same.
    for (const one of receiver.all) {
      const first = receiver.all.find((other) => idOf(other) === idOf(one))!;
      expect(one.body).toEqual(first.body);
    }
  });

  test('is not told again before the receiver wants it', async () => {
    const receiver = await receiverFor();
    const time = new AheadAgent();
    receiver.now = time.now;
    receiver.reply = (_delivery, nth) =>
      nth === 1 ? { status: 503, headers: { 'retry-after': '120' } } : { status: 200 };
    const agent = await time.open();
    await cell.ask(agent, 'send', { text: 'hello', push: { url: receiver.url() } });
    await time.until(() => receiver.all.length > 1, 1_000);
    const [first, second] = receiver.all as [Delivery, Delivery];
    expect(second.at - first.at).toBeGreaterThanOrEqual(120_000);
    expect(idOf(second)).toBe(idOf(first));
  });

  test('is told when the receiver is there again', async () => {
    const receiver = new Receiver();
    await receiver.open();
    const { port } = new URL(receiver.origin);
    await receiver.close();
    const time = new AheadAgent();
    const agent = await time.open();
    const url = `http://127.0.0.1:${port}/hook`;
    await cell.ask(agent, 'send', { text: 'chunks', push: { url } });
    const again = await receiverFor(Number(port));
    await time.until(() => again.all.some(isEnd), 500);
    expect(kindOf(again.all[0]!)).toBe('task');
    const generations = again.all.map(generationOf);
    expect(generations).toEqual(generations.map((_one, at) => at + 1));
  });

  test('ends its web hook with 410', async () => {
    const receiver = await receiverFor();
    receiver.reply = ({ path }) => ({ status: path === '/gone' ? 410 : 200 });
    const agent = await agentFor({ face: { allowLoopbackHooks: true } });
    const sent = await cell.ask(agent, 'send', {
      text: 'ask',
      push: { id: 'gone', url: receiver.url('/gone') },
    });
    const id = textAt(cell.taskOf(sent), 'id');
    await expect
      .poll(async () => cell.reasonOf(await cell.ask(agent, 'getPush', { id, configId: 'gone' })))
      .toBe('TASK_NOT_FOUND');
    await cell.ask(agent, 'send', { text: 'red', id, push: { url: receiver.url('/kept') } });
    await receiver.until(() => receiver.at('/kept').some(isEnd));
    expect(receiver.at('/gone')).toHaveLength(1);
  });

  test('is given up in the end: the operator hears of it once, and of no secret', async () => {
    const receiver = await receiverFor();
    receiver.reply = () => ({ status: 500 });
    const time = new AheadAgent();
    const agent = await time.open();
    const push = { url: receiver.url(), token: SECRET, scheme: 'Bearer', credentials: SECRET };
    await cell.ask(agent, 'send', { text: 'hello', push });
    await time.until(() => time.errors.length > 0, 60_000);
    const tries = receiver.all.length;
    expect(tries).toBeLessThanOrEqual(50);
    expect(tries).toBeGreaterThan(5);
    const [error] = time.errors as [Error];
    expect(time.errors).toHaveLength(1);
    expect(error.message).toMatch(/^gave up telling a2a-hook /);
    expect(`${error.stack} ${JSON.stringify(error.cause)}`).not.toContain(SECRET);
  });
});

describe('#task-hooks #a2a-push-delivery an owner that loses its rights', () => {
  test('has no web hooks any more', async () => {
    const receiver = await receiverFor();
    const token = 'the-token-of-somebody-1';
    const proof = { scheme: 'bearer', secret: { sha256: hashSecret(token) } } as const;
    const kept: CallerEntry = {
      name: 'kept',
      proof: { ...proof, secret: { sha256: hashSecret('another-token-of-2') } },
    };
    let entries: CallerEntry[] = [{ name: 'somebody', proof }, kept];
    const callers = createCallers({ entries: () => entries });
    const states: string[] = [];
    const agent = await agentFor({
      face: { allowLoopbackHooks: true },
      runtime: { callers, on: { task: ({ status }) => void states.push(status.state) } },
    });
    const send = (as: string, path: string) =>
      cell.ask(agent, 'send', { text: 'ask', push: { url: receiver.url(path) }, as });
    await send(token, '/lost');
    const other = await send('another-token-of-2', '/kept');
    const asks = (path: string) => (): boolean =>
      receiver.at(path).some(({ body }) => JSON.stringify(body).includes('INPUT_REQUIRED'));
    await receiver.until(() => asks('/lost')() && asks('/kept')());
    const heard = receiver.at('/lost').length;
    // Its task is canceled: who may not see it is not told of that.
    entries = [kept];
    await expect.poll(() => states, { timeout: 20_000 }).toContain('canceled');
    const id = textAt(cell.taskOf(other), 'id');
    await cell.ask(agent, 'send', { text: 'red', id, as: 'another-token-of-2' });
    await receiver.until(() => receiver.at('/kept').some(isEnd));
    expect(receiver.at('/lost')).toHaveLength(heard);
  });
});

describe('#a2a-push-delivery Retry-After', () => {
  const now = Date.parse('2026-01-31T12:00:00Z');

  test.each([
    [undefined, 0],
    ['', 0],
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['-5', 0],
    ['1.5', 0],
    ['soon', 0],
    ['9999999999', 0],
    ['2099-01-01', 0],
    ['Sat, 31 Jan 2026 12:01:00 GMT', 60_000],
    ['Sat, 31 Jan 2026 11:00:00 GMT', 0],
  ])('%j is %i ms', (value, wanted) => {
    expect(retryAfterMs(value, now)).toBe(wanted);
  });
});
