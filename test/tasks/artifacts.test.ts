// Proves how pieces of output are put together: text and bytes go on until their last piece, and not after it.

import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/codec/value.ts';
import type { TaskArtifact } from '../../src/tasks/artifact.ts';
import { joinArtifact, keepArtifacts } from '../../src/tasks/artifact.ts';
import type { OnTask } from '../../src/tasks/context.ts';
import { finished, start, testEngine } from '../support/agents/tasks.ts';

const piece: TaskArtifact = { name: 'a', mediaType: 'text/plain', content: '1', append: true };

async function outcomeOf(onTask: OnTask) {
  const { engine, errors } = testEngine(onTask);
  const { task } = await finished(engine, await start(engine));
  return { task, errors };
}

describe('#exchange pieces of output', () => {
  test('bytes go on as text does, each with its own kind', async () => {
    const { task } = await outcomeOf(async (_task, ctx) => {
      for (const byte of [1, 2, 3]) {
        await ctx.artifact({ name: 'a', data: new Uint8Array([byte]), append: true });
        await ctx.artifact({ name: 'a', text: `${byte}`, append: true });
      }
    });
    expect(task.artifacts.map(({ content }) => content)).toEqual([
      new Uint8Array([1, 2, 3]),
      '123',
    ]);
  });

  test('a value cannot go on', async () => {
    const { errors } = await outcomeOf(async (_task, ctx) => {
      await ctx.artifact({ name: 'a', json: 1, append: true });
    });
    expect(errors).toMatchObject([{ message: '"append" expected "text" or "data" with it' }]);
  });

  test('nothing goes on after its last piece; another artifact of that name can begin', async () => {
    const { task, errors } = await outcomeOf(async (_task, ctx) => {
      await ctx.artifact({ name: 'a', text: '1', append: true, lastChunk: true });
      await ctx.artifact({ name: 'a', text: '2' });
      await ctx.artifact({ name: 'a', text: '3', append: true, lastChunk: true });
      await ctx.artifact({ name: 'a', text: '4', append: true });
    });
    expect(task.artifacts.map(({ content }) => content)).toEqual(['1', '23']);
    expect(task.failure?.code).toBe('INTERNAL');
    expect(errors).toMatchObject([
      { message: '"append" came after the "lastChunk" of "a": begin another artifact' },
    ]);
  });

  test('a log that holds a piece after the last one can be read: it begins another artifact', () => {
    const artifacts = joinArtifact([{ ...piece, append: false, isLast: true }], piece);
    expect(artifacts).toEqual([
      { ...piece, append: false, isLast: true },
      { ...piece, append: false },
    ]);
  });

  test('what is cut off, or was open, has not ended; what was whole stays as it is', () => {
    const whole: TaskArtifact = { ...piece, content: '123', isLast: true };
    expect(keepArtifacts([whole], [2])).toEqual([{ ...piece, content: '12' }]);
    expect(keepArtifacts([whole], [3], [0])).toEqual([{ ...piece, content: '123' }]);
    expect(keepArtifacts([whole], [3])).toEqual([whole]);
  });
});

describe('#exchange what an author yields or returns', () => {
  test.each<[string, unknown, string]>([
    ['a function', () => 'x', 'it is a function'],
    ['a symbol', Symbol('x'), 'it is a symbol'],
    ['a bigint', 10n, 'it is a bigint'],
    ['not a number', Number.NaN, 'it is NaN'],
    ['a map', new Map(), 'it is an instance of Map'],
    ['a date', new Date(0), 'it is an instance of Date'],
    ['bytes', new Uint8Array(1), 'it is an instance of Uint8Array'],
    ['a member that is no JSON', { a: [undefined] }, 'the value at "/a/0" cannot be written'],
    ['text that no message can carry', '\ud800', 'lone surrogate'],
  ])(
    '%s is no output, yielded or returned, and the task fails with words',
    async (_, value, words) => {
      const yielding: OnTask = async function* () {
        yield value as JsonValue;
      };
      const returning: OnTask = async () => value as JsonValue;
      for (const onTask of [yielding, returning]) {
        const { task } = await outcomeOf(onTask);
        expect([task.state, task.failure?.code]).toEqual(['failed', 'OUTPUT_INVALID']);
        expect(task.failure?.message).toContain('neither text nor JSON');
        expect(task.failure?.message).toContain(words);
      }
    },
  );

  test.each<[string, JsonValue, string]>([
    ['a number', 7, '7'],
    ['nothing', null, 'null'],
    ['a truth', false, 'false'],
    ['a list', [1, 'two'], '[1,"two"]'],
    ['text', '', ''],
  ])('%s is output, yielded or returned', async (_, value, content) => {
    const { task } = await outcomeOf(async function* () {
      yield value;
    });
    expect(task.artifacts.map((artifact) => artifact.content)).toEqual([content]);
    const { task: returned } = await outcomeOf(async () => value);
    expect(returned.artifacts.map((artifact) => artifact.content)).toEqual([content]);
  });

  test('a plain function and a generator that is not async: the value counts, the generator is refused', async () => {
    const plain = await outcomeOf((() => 'done') as unknown as OnTask);
    expect(plain.task.artifacts).toMatchObject([{ content: 'done' }]);
    const generator = function* (): Generator<string> {
      yield 'lost';
    };
    const { task } = await outcomeOf(generator as unknown as OnTask);
    expect(task.failure).toEqual({
      code: 'OUTPUT_INVALID',
      message: expect.stringContaining('write "async function*"'),
    });
  });
});
