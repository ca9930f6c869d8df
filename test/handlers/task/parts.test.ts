// Proves what peers that know parts are told, that others are told the same as before there were any, and that nothing
// is lost to either.

import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../src/codec/value.ts';
import { LosslessNumber } from '../../../src/codec/value.ts';
import { INITIAL_STATE, applyState } from '../../../src/state/document.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import { TaskError } from '../../../src/tasks/error.ts';
import type { ReadAnswer } from '../../support/agents/task-face.ts';
import { documentIn, payloadWith, taskFace } from '../../support/agents/task-face.ts';
import { Gate } from '../../support/agents/time.ts';
import { alice } from '../../support/wire/envelopes.ts';

const PARTS = { takesParts: true };
const AT_ONCE = { constraints: { time_budget_s: 0, compute_budget: 'low', safety: {} } };
const lossless = new LosslessNumber('1.0');

async function lastOf(answers: Promise<ReadAnswer[]>): Promise<JsonObject> {
  return documentIn((await answers).at(-1)!);
}

/** What is left of an item without what belongs to its text. */
function bare({
  digest: _digest,
  media_type: _type,
  untyped: _untyped,
  ...item
}: JsonObject): JsonObject {
  return item;
}

function artifactsIn(document: JsonObject): JsonObject[] {
  return (document['artifacts'] as unknown as JsonObject[]).map(bare);
}

describe('#parts what is asked', () => {
  test('without a message is the goal as text, and the inputs as data if there are any', async () => {
    const asked: unknown[] = [];
    const { give, get } = taskFace(async ({ history, text, data, source }) => {
      asked.push([history[0]!.parts, text, data, (source.value as JsonObject)['payload']]);
    });
    const payload = payloadWith('t', { inputs: { n: lossless } });
    await give({ ...payload, authz: { grants: [] } });
    await give(payloadWith('u'));
    expect(asked).toEqual([
      [
        [{ text: 'Return short status' }, { data: { n: lossless } }],
        'Return short status',
        { n: lossless },
        payload,
      ],
      [[{ text: 'Return short status' }], 'Return short status', undefined, payloadWith('u')],
    ]);
    expect((await get('t'))!.source).toMatchObject({ face: 'sdl' });
  });

  test('is the message where there is one; goal and inputs stay in the payload', async () => {
    const parts = [
      { text: 'read this', media_type: 'text/markdown' },
      { data: [lossless, null] },
      { bytes: 'AQL_', filename: 'a.bin', media_type: 'image/png', metadata: { page: 1 } },
      { url: 'https://a.example/x' },
    ];
    const { give, call, get } = taskFace(async () => undefined);
    const context = { task: { id: 't' }, message: { id: 'm-1', parts, metadata: { of: 'mine' } } };
    await give(payloadWith(undefined, { context }));
    expect((await get('t'))!.history[0]).toMatchObject({
      id: 'm-1',
      role: 'user',
      metadata: { of: 'mine' },
      parts: [
        { text: 'read this', mediaType: 'text/markdown' },
        { data: [lossless, null] },
        { bytes: new Uint8Array([1, 2, 255]), filename: 'a.bin', metadata: { page: 1 } },
        { url: 'https://a.example/x' },
      ],
    });
    const { result } = await call('task.get', { id: 't', history_length: 1, request: true }, PARTS);
    expect(result).toMatchObject({
      goal: 'Return short status',
      history: [{ id: 'm-1', role: 'user', parts, metadata: { of: 'mine' } }],
      request: { goal: 'Return short status', context: { message: { parts } } },
    });
  });

  test.each([
    [{ parts: 'text' }, '/context/message/parts'],
    [{ parts: [{}] }, '/context/message/parts/0'],
    [{ parts: [{ text: 'a' }, { text: 'a', url: 'b' }] }, '/context/message/parts/1'],
    [{ parts: [{ bytes: 'a=' }] }, '/context/message/parts/0/bytes'],
    [{ parts: [{ text: 5 }] }, '/context/message/parts/0/text'],
    [{ parts: [{ text: '', media_type: 'text' }] }, '/context/message/parts/0/media_type'],
    [{ parts: [], id: 7 }, '/context/message/id'],
  ])('a message %j that cannot be read is refused with its path', async (message, path) => {
    const { give } = taskFace(async () => undefined);
    const giving = give(payloadWith(undefined, { context: { message } }));
    await expect(giving).rejects.toMatchObject({ code: 'PAYLOAD_INVALID', details: { path } });
  });

  test('“message” may also be the sender’s own: without parts it is none', async () => {
    const { give, get } = taskFace(async () => undefined);
    await give(payloadWith(undefined, { context: { task: { id: 't' }, message: { to: 'me' } } }));
    expect((await get('t'))!.history[0]!.text).toBe('Return short status');
  });

  test('is kept under the digest of the landed version: the JCS of the payload without authz', async () => {
    const { give, engine } = taskFace(async () => undefined);
    await give({ ...payloadWith('t'), authz: { grants: [] } });
    const join = (digest: string) =>
      engine.start({
        owner: alice.agent_id,
        tenant: '',
        authority: { scheme: 'sdl' },
        share: 'known',
        message: { id: 'x', role: 'user', parts: [], text: '', data: undefined },
        source: { face: 'sdl', value: null },
        idempotency: { id: 't', digest },
      });
    // As the landed version wrote it for this very payload.
    const digest = '8e506c042406cad531265b3930b8a04f296618a381e5ee40e0d34429f2933519';
    expect((await join(digest)).isNew).toBe(false);
    await expect(join(`${digest}0`)).rejects.toMatchObject({ code: 'TASK_CONFLICT' });
  });
});

const output: OnTask = async (_task, ctx) => {
  await ctx.artifact({
    id: 'a-1',
    name: 'report',
    description: 'all of it',
    metadata: { pages: 2 },
    extensions: ['urn:x'],
    parts: [
      { text: 'one', filename: 'one.txt' },
      { data: { n: lossless }, metadata: { of: 'part' } },
      { bytes: new Uint8Array([1, 2, 255]) },
      { url: 'https://a.example/x', mediaType: 'image/png' },
    ],
  });
  await ctx.artifact({ id: 'a-1', append: true, text: 'five' });
  await ctx.artifact({ id: 'a-1', append: true, last: true, text: ' and a half' });
};

describe('#parts output', () => {
  test('has the ids, places and facts of its parts for peers that know them', async () => {
    const { give } = taskFace(output);
    const answers = await give(payloadWith('t'), PARTS);
    const pieces = answers.filter(({ ct }) => ct === 'artifact.v1').map(({ payload }) => payload);
    expect(pieces).toMatchObject([
      { items: [{ part: 0 }, { part: 1 }, { part: 2 }], refs: [{ part: 3 }] },
      { items: [{ id: 'a-1', part: 4, text: 'five' }], refs: [] },
      { items: [{ id: 'a-1', part: 4, text: ' and a half', append: true, last: true }] },
    ]);
    expect((pieces[1]!['items'] as unknown as JsonObject[])[0]).not.toHaveProperty('append');
    expect(artifactsIn(documentIn(answers.at(-1)!))).toEqual([
      {
        name: 'report',
        id: 'a-1',
        part: 0,
        description: 'all of it',
        metadata: { pages: 2 },
        extensions: ['urn:x'],
        text: 'one',
        filename: 'one.txt',
      },
      {
        name: 'report',
        id: 'a-1',
        part: 1,
        text: '{"n":1.0}',
        json: true,
        part_metadata: { of: 'part' },
      },
      { name: 'report', id: 'a-1', part: 2, data: 'AQL_' },
      { name: 'report', id: 'a-1', part: 3, uri: 'https://a.example/x' },
      { name: 'report', id: 'a-1', part: 4, text: 'five and a half', last: true },
    ]);
  });

  test('has names and content for all others, as before', async () => {
    const { give } = taskFace(output);
    const answers = await give(payloadWith('t'));
    const document = documentIn(answers.at(-1)!);
    expect(artifactsIn(document)).toEqual([
      { name: 'report', text: 'one' },
      { name: 'report', text: '{"n":1.0}' },
      { name: 'report', data: 'AQL_' },
      { name: 'report', uri: 'https://a.example/x' },
      { name: 'report', text: 'five and a half', last: true },
    ]);
    expect((document['artifacts'] as unknown as JsonObject[])[1]).toMatchObject({
      media_type: 'application/json',
    });
  });

  test('of an attempt that was dropped is told once, by a document with all that is left', async () => {
    const onTask: OnTask = async (_task, ctx) => {
      await ctx.artifact({ id: 'kept', text: `kept ${ctx.attempt}` });
      if (ctx.attempt > 1) return;
      await ctx.checkpoint(null);
      await ctx.artifact({ id: 'dropped', text: 'dropped' });
      throw new TaskError('once more', { retryable: true });
    };
    for (const takesParts of [false, true]) {
      const { give, time } = taskFace(onTask, { retryDelayMs: 1 });
      let answers: ReadAnswer[] = [];
      void give(payloadWith('t'), { takesParts }).then((all) => (answers = all));
      await expect
        .poll(() => {
          time.pass(1);
          return answers.length;
        })
        .toBeGreaterThan(0);
      const generations = answers.map(({ generation }) => generation!);
      expect(generations).toEqual(generations.map((_, at) => at + 1));
      let state = INITIAL_STATE;
      const shown: unknown[] = [];
      for (const { ct, payload } of answers.slice(0, -1)) {
        if (ct !== 'state.v1') continue;
        state = applyState(state, payload);
        shown.push(((state.value as JsonObject)['artifacts'] as JsonObject[] | undefined)?.length);
      }
      expect(shown).toEqual([undefined, undefined, 1]);
      expect(artifactsIn(documentIn(answers.at(-1)!))).toMatchObject([{ text: 'kept 2' }]);
    }
  });
});

describe('#parts questions and last words', () => {
  test.each([
    ['a text', 'which?', 'which?'],
    ['a value', { data: { options: [1, 2] } }, { options: [1, 2] }],
    ['text and data', [{ text: 'which?' }, { data: 1 }], 'which?'],
    ['bytes alone', { bytes: new Uint8Array([1]) }, null],
    ['no words', undefined, null],
  ])('%s is asked as a plain value, and as it is', async (_name, words, content) => {
    const onTask: OnTask = async (_task, ctx) => (await ctx.ask(words)).text;
    const { give } = taskFace(onTask);
    const plain = await lastOf(give(payloadWith('t')));
    expect(plain['question']).toEqual({ content, generation: 3 });
    const full = await lastOf(give(payloadWith('u'), PARTS));
    expect(full['question']).toMatchObject({ content, generation: 3 });
    expect('message' in (full['question'] as JsonObject)).toBe(words !== undefined);
  });

  test('the question is the one that was asked, whatever happened since', async () => {
    const { give, call } = taskFace(async (_task, ctx) => {
      const asking = ctx.ask('which?');
      await ctx.artifact({ text: 'meanwhile' });
      return (await asking).text;
    });
    await give(payloadWith('t', AT_ONCE));
    await expect
      .poll(async () => (await call('task.get', { id: 't' })).result)
      .toMatchObject({ task: { generation: 4 }, question: { generation: 3 } });
    await call('task.reply', { id: 't', reply: 'this', generation: 3 });
    expect((await call('task.watch', { id: 't', after: 3 })).result).toMatchObject({
      status: 'completed',
    });
  });

  test('task.send says more to a task at work, and answers one that waits', async () => {
    const { give, call, get } = taskFace(async (_task, ctx) => {
      const more = await ctx.next();
      const answer = await ctx.ask('and?');
      return `${more.text} ${answer.text} ${JSON.stringify(answer.data)}`;
    });
    await give(payloadWith('t', AT_ONCE));
    const send = (parts: JsonObject[]) => call('task.send', { id: 't', message: { parts } }, PARTS);
    await send([{ text: 'more' }]);
    await call('task.watch', { id: 't' });
    await send([{ text: 'that' }, { data: 7 }]);
    const { result } = await call('task.watch', { id: 't', after: 5 });
    expect(result).toMatchObject({ artifacts: [{ text: 'more that 7' }] });
    expect((await get('t'))!.history.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'Return short status'],
      ['user', 'more'],
      ['agent', 'and?'],
      ['user', 'that'],
    ]);
    const late = await send([{ text: 'too late' }]);
    expect(late.result).toMatchObject({ error: { details: { reason: 'TASK_ENDED' } } });
  });

  test('an answer is told as such, and as output to who would miss it', async () => {
    const { give } = taskFace(async (_task, ctx) => ctx.answer([{ text: 'yes' }, { data: 1 }]));
    const full = await lastOf(give(payloadWith('t'), PARTS));
    expect(full).toMatchObject({
      status: 'completed',
      answer: { message: { role: 'agent', parts: [{ text: 'yes' }, { data: 1 }] } },
      artifacts: [],
    });
    const plain = await lastOf(give(payloadWith('u')));
    expect(plain).not.toHaveProperty('answer');
    expect(artifactsIn(plain)).toEqual([
      { name: 'answer', text: 'yes' },
      { name: 'answer', text: '1', last: true },
    ]);
  });

  test('a failure says whether it may pass', async () => {
    const { give } = taskFace(
      async () => {
        throw new TaskError('later', { code: 'BUSY', retryable: true });
      },
      { maxAttempts: 1 },
    );
    const failure = { code: 'BUSY', message: 'later' };
    expect((await lastOf(give(payloadWith('t'))))['error']).toEqual(failure);
    expect((await lastOf(give(payloadWith('u'), PARTS)))['error']).toEqual({
      ...failure,
      retryable: true,
    });
  });
});

describe('#parts task.watch with the whole task first', () => {
  test('tells the document at that generation, and then only what is new', async () => {
    const gate = new Gate();
    const { give, call } = taskFace(async (_task, ctx) => {
      await ctx.artifact({ name: 'log', text: 'a' });
      await ctx.artifact({ name: 'log', text: 'b', append: true });
      await gate.opened;
      await ctx.progress('more');
      await ctx.artifact({ name: 'log', text: 'c', append: true });
    });
    await give(payloadWith('t', AT_ONCE));
    await expect
      .poll(async () => (await call('task.get', { id: 't' })).result)
      .toMatchObject({ task: { generation: 4 } });
    const watching = call('task.watch', { id: 't', after: 3, whole: true });
    gate.open();
    const { events, result } = await watching;
    expect(events.map(({ ct, generation }) => [ct, generation])).toEqual([
      ['state.v1', 3],
      ['artifact.v1', 4],
      ['state.v1', 5],
      ['artifact.v1', 6],
      ['state.v1', 7],
    ]);
    expect(documentIn(events[0]!)).toMatchObject({
      task: { id: 't', generation: 3 },
      artifacts: [{ id: 'log', text: 'a' }],
    });
    const states = events.filter(({ ct }) => ct === 'state.v1');
    const document = states.reduce((at, { payload }) => applyState(at, payload), INITIAL_STATE);
    expect(document.value).toMatchObject({ status: 'completed' });
    expect(document.value).not.toHaveProperty('artifacts');
    expect(result).toMatchObject({ artifacts: [{ id: 'log', text: 'abc' }] });
  });

  test('asks the door for the events after that generation, and for none before it', async () => {
    const { give, call, door } = taskFace(async () => 'done');
    await give(payloadWith('t'));
    const asked: unknown[] = [];
    const follow = door.follow.bind(door);
    door.follow = (...args) => {
      asked.push(args[2]);
      return follow(...args);
    };
    for (const whole of [true, false]) await call('task.watch', { id: 't', after: 3, whole });
    expect(asked).toEqual([3, 0]);
  });
});
