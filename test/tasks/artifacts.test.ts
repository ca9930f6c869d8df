// Proves how pieces of output are put together: text and bytes go on until their last piece, and not after it.

import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/codec/value.ts';
import type { Artifact } from '../../src/tasks/artifact.ts';
import { createArtifact, joinArtifact, keepArtifacts } from '../../src/tasks/artifact.ts';
import type { OnTask } from '../../src/tasks/context.ts';
import { finished, outputOf, start, testEngine } from '../support/agents/tasks.ts';

function textPiece(text: string, isComplete: boolean): Artifact {
  return createArtifact({ id: 'a', name: 'a', parts: [{ text }] }, isComplete);
}

async function outcomeOf(onTask: OnTask) {
  const { engine, errors } = testEngine(onTask);
  const { task } = await finished(engine, await start(engine));
  return { task, errors };
}

describe('#exchange pieces of output', () => {
  test('bytes go on as text does, each with its own kind', async () => {
    const { task } = await outcomeOf(async (_task, ctx) => {
      for (const byte of [1, 2, 3]) {
        await ctx.artifact({ name: 'a', bytes: new Uint8Array([byte]), append: true });
        await ctx.artifact({ name: 'b', text: `${byte}`, append: true });
      }
    });
    expect(task.artifacts.map(({ parts }) => parts)).toEqual([
      [{ bytes: new Uint8Array([1, 2, 3]) }],
      [{ text: '123' }],
    ]);
  });

  test('kinds that differ, and values, are parts of their own', async () => {
    const { task } = await outcomeOf(async (_task, ctx) => {
      await ctx.artifact({ name: 'a', text: '1' });
      await ctx.artifact({ name: 'a', json: { n: 2 }, append: true });
      await ctx.artifact({ name: 'a', text: '3', append: true });
      await ctx.artifact({ name: 'a', text: '4', append: true });
      await ctx.artifact({ name: 'a', text: '5', mediaType: 'text/html', append: true });
    });
    expect(task.artifacts).toMatchObject([
      {
        parts: [
          { text: '1' },
          { data: { n: 2 } },
          { text: '34' },
          { text: '5', mediaType: 'text/html' },
        ],
      },
    ]);
  });

  test('nothing goes on after its last piece; another artifact of that name can begin', async () => {
    const { task, errors } = await outcomeOf(async (_task, ctx) => {
      await ctx.artifact({ name: 'a', text: '1', append: true, last: true });
      await ctx.artifact({ name: 'a', text: '2' });
      await ctx.artifact({ name: 'a', text: '3', append: true, last: true });
      await ctx.artifact({ name: 'a', text: '4', append: true });
    });
    expect(outputOf(task)).toEqual(['1', '23']);
    expect(task.status.failure?.code).toBe('INTERNAL');
    expect(errors).toMatchObject([
      { message: '"append" came after the "last" of "a": begin another artifact' },
    ]);
  });

  test('a log that holds a piece after the last one can be read: it goes on, and stays complete', () => {
    const artifact = { id: 'a', name: 'a', parts: [{ text: '2' }] };
    const joined = joinArtifact([textPiece('1', true)], { artifact, append: true, last: false });
    expect(joined).toEqual([textPiece('12', true)]);
  });

  test('the same id without append replaces, also what had ended', () => {
    const artifact = { id: 'a', name: 'a', parts: [{ text: '2' }] };
    const [only, ...others] = joinArtifact([textPiece('1', true)], {
      artifact,
      append: false,
      last: false,
    });
    expect(others).toEqual([]);
    expect(only).toMatchObject({ text: '2', isComplete: false });
  });

  test('what is cut off, or was open, has not ended; what was whole stays as it is', () => {
    const whole = textPiece('123', true);
    const keep = (length: number, isComplete: boolean) =>
      keepArtifacts([whole], [{ id: 'a', parts: 1, length, isComplete }]);
    expect(keep(2, false)).toMatchObject([{ text: '12', isComplete: false }]);
    expect(keep(3, false)).toMatchObject([{ text: '123', isComplete: false }]);
    expect(keep(3, true)).toEqual([whole]);
    expect(keepArtifacts([whole], [])).toEqual([]);
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
        expect([task.status.state, task.status.failure?.code]).toEqual([
          'failed',
          'OUTPUT_INVALID',
        ]);
        expect(task.status.failure?.message).toContain('neither text nor JSON');
        expect(task.status.failure?.message).toContain(words);
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
    expect(outputOf(task)).toEqual([content]);
    const { task: returned } = await outcomeOf(async () => value);
    expect(outputOf(returned)).toEqual([content]);
  });

  test('a plain function and a generator that is not async: the value counts, the generator is refused', async () => {
    const plain = await outcomeOf((() => 'done') as unknown as OnTask);
    expect(plain.task.artifacts).toMatchObject([{ text: 'done' }]);
    const generator = function* (): Generator<string> {
      yield 'lost';
    };
    const { task } = await outcomeOf(generator as unknown as OnTask);
    expect(task.status.failure).toEqual({
      code: 'OUTPUT_INVALID',
      retryable: false,
      message: expect.stringContaining('write "async function*"'),
    });
  });
});
