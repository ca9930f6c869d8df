// Proves that peers of the landed version are told the very same as by an agent of that version: what it answered was
// recorded (test/fixtures/landed/README.md), and is what the answers are compared with and what a client has to read.

import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { documentInState, TaskFold } from '../../../src/client/task-update.ts';
import type { Received } from '../../../src/client/exchange.ts';
import { resultIn } from '../../../src/client/tool-call.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import type { ReadAnswer, TaskFace } from '../../support/agents/task-face.ts';
import { answersOf, payloadWith, taskFace } from '../../support/agents/task-face.ts';

type Told = Pick<ReadAnswer, 'ct' | 'generation' | 'payload'>;
type Exchanges = Readonly<Record<'task' | 'watch' | 'again' | 'joined' | 'get', readonly Told[]>>;

const landed = JSON.parse(
  readFileSync(new URL('../../fixtures/landed/exchanges.json', import.meta.url), 'utf8'),
) as Exchanges;

const onTask: OnTask = async (_task, ctx) => {
  await ctx.progress({ message: 'reading', fraction: 0.25 });
  await ctx.artifact({ name: 'log', text: 'a', append: true });
  const colour = await ctx.ask('which colour?');
  await ctx.progress('painting');
  await ctx.artifact({ name: 'log', text: 'b', append: true, last: true });
  await ctx.artifact({ name: 'raw', bytes: new Uint8Array([1, 2, 255]), mediaType: 'image/png' });
  await ctx.artifact({ name: 'facts', json: { n: 1 } });
  const more = await ctx.ask({ data: { sizes: [1, 2] } });
  return `${colour.text} ${JSON.stringify(more.data)}`;
};

async function exchangesOf({ give, toolcall }: TaskFace): Promise<Exchanges> {
  const call = (tool: string, args: JsonObject) =>
    answersOf(toolcall, { tool, call_id: 'c', args, expect: {} });
  const task = await give(payloadWith('t'));
  await call('task.reply', { id: 't', reply: 'blue', generation: 5 });
  const watch = await call('task.watch', { id: 't', after: 5 });
  await call('task.reply', { id: 't', reply: 2 });
  const again = await call('task.watch', { id: 't' });
  const joined = await give(payloadWith('t'));
  const get = await call('task.get', { id: 't', request: true });
  return { task, watch, again, joined, get };
}

function short(answers: readonly Told[]): Told[] {
  return answers.map(({ ct, generation, payload }) => ({
    ct,
    ...(generation !== undefined && { generation }),
    payload,
  }));
}

describe('#exchange #state-task peers of the landed version', () => {
  test('are told every event, every patch and every answer as they were', async () => {
    const told = await exchangesOf(taskFace(onTask));
    for (const name of ['task', 'watch', 'again', 'joined'] as const) {
      expect(short(told[name]), name).toEqual(landed[name]);
    }
    // What a task said last while it worked is no part of what it is after its end.
    const { progress, ...rest } = landed.get[0]!.payload['result'] as JsonObject;
    expect(progress).toEqual({ message: 'painting' });
    expect(told.get[0]!.payload['result']).toEqual(rest);
  });

  test('are understood by a client, from any exchange on', () => {
    const fold = new TaskFold((answer) =>
      answer.ct === 'state.v1' ? documentInState(answer) : resultIn('task.watch', answer.payload),
    );
    const updates = [...landed.task, ...landed.watch].map(({ ct, payload }, at) => {
      const isRes = at === landed.task.length - 1 || ct === 'toolresult.v1';
      return fold.take({ type: isRes ? 'res' : 'evt', ct, payload } as Received)!;
    });
    expect(updates.map(({ generation }) => generation)).toEqual(
      [...landed.task, ...landed.watch].map(({ generation }) => generation ?? 11),
    );
    const asked = updates[landed.task.length - 1]!;
    expect(asked).toMatchObject({
      status: 'input-required',
      isAnswer: true,
      isWhole: true,
      question: { content: 'which colour?', generation: 5 },
      artifacts: [{ id: 'log', name: 'log', text: 'a', append: false }],
    });
    expect(asked.question!.message).toMatchObject({ role: 'agent', text: 'which colour?' });
    const last = updates.at(-1)!;
    expect(last.question).toMatchObject({ content: { sizes: [1, 2] } });
    expect(last.question!.message.data).toEqual({ sizes: [1, 2] });
    expect(last.artifacts.map(({ id, text, isComplete }) => [id, text, isComplete])).toEqual([
      ['log', 'ab', true],
      ['raw', '', false],
      ['facts', '{"n":1}', false],
    ]);
    expect(last.artifacts[1]!.parts).toEqual([
      { bytes: new Uint8Array([1, 2, 255]), mediaType: 'image/png' },
    ]);
  });
});
