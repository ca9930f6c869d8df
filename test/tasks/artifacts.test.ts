// Proves how pieces of output are put together: text and bytes go on until their last piece, and not after it.

import { describe, expect, test } from 'vitest';
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
