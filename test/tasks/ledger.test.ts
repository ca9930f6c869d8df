// Proves that a task which never ran here holds no room after its end, and that who finds none is told why.

import { describe, expect, test } from 'vitest';
import { formatTimestamp } from '../../src/envelope/timestamp.ts';
import { Gate, finished, start, testEngine } from '../support/agents/tasks.ts';

describe('#admit room for tasks', () => {
  test('is free again when one was canceled before it began', async () => {
    const gate = new Gate();
    const { engine } = testEngine(async () => gate.opened, { maxConcurrent: 1, maxTasks: 3 });
    await start(engine, { id: 'first' });
    for (let at = 0; at < 5; at += 1) {
      await start(engine, { owner: `o${at}`, id: 't' });
      await engine.cancel(`o${at}`, 't');
    }
    expect(await engine.get('o4', 't')).toMatchObject({ state: 'canceled' });
    expect(await engine.get('o0', 't')).toBeUndefined();
    gate.open();
  });

  test('is free again when one came too late', async () => {
    const { engine, time } = testEngine(async () => undefined, { maxTasks: 3 });
    for (let at = 0; at < 5; at += 1) {
      const id = `t${at}`;
      const context = { task: { id, deadline: formatTimestamp(time.now - 1_000) } };
      const { task } = await finished(engine, await start(engine, { id, members: { context } }));
      expect(task.failure?.code).toBe('DEADLINE');
    }
  });

  test('that is missing is told as what it is: tasks or bytes', async () => {
    const gate = new Gate();
    const tasks = testEngine(async () => gate.opened, { maxTasks: 1 });
    await start(tasks.engine, { id: 'a' });
    await expect(start(tasks.engine, { id: 'b' })).rejects.toThrow('too many tasks have not ended');
    const bytes = testEngine(async () => gate.opened, { maxHeldBytes: 1_500 });
    await start(bytes.engine, { id: 'a' });
    const large = { inputs: { text: 'x'.repeat(1_500) } };
    await expect(start(bytes.engine, { id: 'b', members: large })).rejects.toThrow(
      'too many bytes',
    );
    gate.open();
  });
});
