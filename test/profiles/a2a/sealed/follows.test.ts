// A further message to a task, and who stands between: it is taken where it belongs and nowhere else, under every policy.

import { beforeEach, describe, expect, test } from 'vitest';

import type {
  FollowHandle,
  OpenOptions,
  OpenPolicy,
  Opened,
} from '../../../../profiles/a2a/sealed/index.ts';
import {
  openStream,
  openTask,
  sealMessage,
  sealStatus,
} from '../../../../profiles/a2a/sealed/index.ts';
import type { Ends, Shape } from '../../../support/a2a/sealed.ts';
import { MODES, newEnds } from '../../../support/a2a/sealed.ts';

/** A task that waits, as both ends have it. */
interface Asking {
  readonly request: Shape;
  readonly asked: Opened;
  readonly waiting: Shape;
  readonly question: Opened;
}

let ends: Ends;
let pencil: Asking;
let million: Asking;
beforeEach(async () => {
  ends = await newEnds();
  pencil = await asking('buy a pencil');
  million = await asking('wire one million');
});

const words = (text: string, role = 'ROLE_USER'): Shape => ({
  messageId: `m-${text}`,
  role,
  parts: [{ text }],
});

function seal(text: string, follows?: FollowHandle): Promise<Shape> {
  return sealMessage(words(text), { identity: ends.user, to: ends.agent, follows });
}

function at(message: Shape, options: Partial<OpenOptions>): Promise<Opened> {
  return openTask(message, { identity: ends.agent, peers: [ends.user], ...options });
}

async function asking(goal: string): Promise<Asking> {
  const request = await seal(goal);
  const asked = await at(request, {});
  const message = words(`shall I ${goal}?`, 'ROLE_AGENT');
  const status = await sealStatus(
    { state: 'TASK_STATE_INPUT_REQUIRED', message },
    { identity: ends.agent, request: asked },
  );
  const waiting = { id: goal, status, history: [request] };
  const user = { identity: ends.user, peers: [ends.agent], policy: 'require' } as const;
  return { request, asked, waiting, question: await openTask(waiting, { ...user, request }) };
}

const POLICIES: readonly OpenPolicy[] = ['require', 'prefer'];
const OTHER = { name: 'SealedError', code: 'FOLLOWS_OTHER' };

describe.each(POLICIES)('#sealed-follows under %s', (policy) => {
  test('an answer is taken by the task that asked, and by no other', async () => {
    const yes = await seal('yes', pencil.question);
    await expect(at(yes, { policy, follows: million.asked })).rejects.toMatchObject(OTHER);
    await expect(at(yes, { policy })).rejects.toMatchObject(OTHER);
    // It was not used up by that.
    const opened = await at(yes, { policy, follows: pencil.asked });
    expect(opened).toMatchObject({ problems: [], follows: pencil.question.toFollow });
  });

  test('what begins something new is no answer', async () => {
    const anew = await seal('yes');
    await expect(at(anew, { policy, follows: million.asked })).rejects.toMatchObject(OTHER);
    expect((await at(anew, { policy })).follows).toBeUndefined();
  });

  test('an answer to an earlier question is none to the next', async () => {
    const [yes, again] = [await seal('yes', pencil.question), await seal('yes', pencil.question)];
    const second = await at(yes, { policy, follows: pencil.asked });
    const by = { identity: ends.agent, request: second };
    const status = await sealStatus({ state: 'TASK_STATE_INPUT_REQUIRED' }, by);
    await expect(at(again, { policy, follows: second })).rejects.toMatchObject(OTHER);
    const both = await openTask(
      { id: 't', status, history: [pencil.request, yes] },
      { identity: ends.user, peers: [ends.agent], request: [pencil.request, yes] },
    );
    expect(both.toFollow).toMatchObject({ n: 0 });
    const no = await seal('no', both.toFollow);
    expect((await at(no, { policy, follows: second })).message).toMatchObject(words('no'));
  });

  test('what is said to a task that works names what was asked, and is no answer later', async () => {
    const request = await seal('count');
    const asked = await at(request, { policy });
    const [now, later] = [await seal('and slowly', request), await seal('yes', request)];
    await expect(at(now, { policy, follows: million.asked })).rejects.toMatchObject(OTHER);
    expect((await at(now, { policy, follows: asked })).follows).toEqual({
      req: expect.any(String) as string,
    });
    await sealStatus(
      { state: 'TASK_STATE_INPUT_REQUIRED' },
      { identity: ends.agent, request: asked },
    );
    await expect(at(later, { policy, follows: asked })).rejects.toMatchObject(OTHER);
  });
});

describe('#sealed-follows what a message can go on from', () => {
  test('is kept as JSON at both ends', async () => {
    const follows = JSON.parse(JSON.stringify(pencil.question.toFollow)) as FollowHandle;
    const kept = JSON.parse(JSON.stringify(pencil.asked.exchange)) as Opened;
    const yes = await seal('yes', follows);
    expect((await at(yes, { follows: [million.asked, kept] })).problems).toEqual([]);
  });

  test('is told by the last event of a stream', async () => {
    const events = [{ task: { ...pencil.waiting, history: [] } }];
    const stream = openStream(
      (async function* all() {
        yield* events;
      })(),
      { identity: ends.user, peers: [ends.agent], request: pencil.request },
    );
    const opened = [];
    for await (const event of stream) opened.push(event);
    expect(opened.at(-1)!.toFollow).toEqual(pencil.question.toFollow);
  });

  test.each(MODES)('in mode %s is under the signature', async (mode) => {
    const to = { identity: ends.user, to: ends.agent, mode, follows: pencil.question };
    const yes = await sealMessage(words('yes'), to);
    const other = JSON.stringify(yes)
      .split(pencil.question.toFollow!.req)
      .join(million.question.toFollow!.req);
    const moved = JSON.parse(other) as Shape;
    await expect(at(moved, { follows: million.asked })).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
    });
    expect((await at(yes, { follows: pencil.asked })).problems).toEqual([]);
  });

  test('is nothing else', async () => {
    await expect(seal('yes', {})).rejects.toThrow('"follows" expected');
    await expect(seal('yes', { req: 'AAAA' })).rejects.toThrow('"follows" expected');
    const theirs = await openTask(pencil.request, {
      identity: ends.agent,
      peers: [ends.user],
      policy: 'report',
    });
    await expect(seal('yes', theirs)).rejects.toThrow('"follows" expected');
  });
});
