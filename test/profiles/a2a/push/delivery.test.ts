// Proves what web hooks are told, against a real receiver: the frames of a stream, each in a POST of its own, in the words
// of the wire that the hook was asked for in.

import { describe, expect, test } from 'vitest';

import type { TestAgent } from '../../../support/a2a/agent.ts';
import { agentFor } from '../../../support/a2a/agent.ts';
import { at, textAt } from '../../../support/a2a/ask.ts';
import type { Cell } from '../../../support/a2a/cells.ts';
import { CELLS } from '../../../support/a2a/cells.ts';
import type { Delivery } from '../../../support/a2a/receiver.ts';
import { isEnd, kindOf, receiverFor, stateIn } from '../../../support/a2a/receiver.ts';

const hooked = (): Promise<TestAgent> => agentFor({ face: { allowLoopbackHooks: true } });
const hasEnd = (all: readonly Delivery[]): boolean => all.some(isEnd);
const generationOf = ({ headers }: Delivery): number =>
  Number(String(headers['a2a-sdl-delivery']).split('.').at(-1));

describe.each(CELLS)('$name #a2a-push-delivery', (cell) => {
  const isKinded = cell.wire === 'v03';
  const version = cell.wire === 'v1' ? '1.0' : '0.3';
  const type = isKinded ? 'application/json' : 'application/a2a+json';
  /** Both forms of 0.3 are told in that of JSON-RPC. */
  const told = isKinded ? CELLS.find(({ wire }) => wire === 'v03')! : cell;

  test('a task is told from its beginning to its end, as a stream of it is', async () => {
    const agent = await hooked();
    const receiver = await receiverFor();
    const push = {
      url: receiver.url('/all?x=1'),
      token: 'the token',
      scheme: 'Bearer',
      credentials: 'the-secret',
    };
    const sent = await cell.ask(agent, 'send', { text: 'chunks', push });
    await receiver.until(hasEnd);
    const frames = await told.frames(agent, 'stream', { text: 'chunks' });
    const streamed = frames.map(({ data }) =>
      told.binding === 'rest' ? data : at(data, 'result'),
    );
    expect(receiver.all.map(kindOf)).toEqual(streamed.map((body) => kindOf({ body } as Delivery)));
    const task = textAt(cell.taskOf(sent), 'id');
    const ids = receiver.all.map(({ body }) =>
      [textAt(body, 'task.id'), textAt(body, 'statusUpdate.taskId'), textAt(body, 'taskId')].join(
        '',
      ),
    );
    if (!isKinded) expect(ids[0]).toBe(task);
    for (const { path, headers } of receiver.all) {
      expect(path).toBe('/all?x=1');
      expect(headers).toMatchObject({
        authorization: 'Bearer the-secret',
        'x-a2a-notification-token': 'the token',
        'content-type': type,
        'a2a-version': version,
      });
      expect(headers['transfer-encoding']).toBeUndefined();
    }
    const generations = receiver.all.map(generationOf);
    expect(generations).toEqual(frames.map(({ id }) => Number(id)));
    expect(new Set(receiver.all.map(({ headers }) => headers['a2a-sdl-delivery'])).size).toBe(
      frames.length,
    );
    const pieces = receiver.all.filter((one) => kindOf(one) === 'artifactUpdate');
    const texts = pieces.map(({ body }) =>
      at(isKinded ? body : at(body, 'artifactUpdate'), 'artifact.parts.0.text'),
    );
    expect(texts).toEqual(['one ', 'two']);
    const last = receiver.all.at(-1)!;
    expect(stateIn(last)).toBe(told.stateOf('completed'));
    if (isKinded) expect(at(last.body, 'final')).toBe(true);
    if (cell.wire === 'draft') expect(at(last.body, 'statusUpdate.final')).toBe(true);
  });

  test('one that is made later is told the task as it is, and what follows', async () => {
    const agent = await hooked();
    const receiver = await receiverFor();
    const id = textAt(cell.taskOf(await cell.ask(agent, 'send', { text: 'ask' })), 'id');
    await cell.ask(agent, 'createPush', { id, push: { url: receiver.url() } });
    await receiver.until((all) => all.length === 1);
    expect([kindOf(receiver.all[0]!), stateIn(receiver.all[0]!)]).toEqual([
      'task',
      told.stateOf('input-required'),
    ]);
    await cell.ask(agent, 'send', { text: 'red', id });
    await receiver.until(hasEnd);
    const states = receiver.all.flatMap((one) => (stateIn(one) === '' ? [] : [stateIn(one)]));
    expect(states).toEqual(['input-required', 'working', 'completed'].map(told.stateOf));
  });

  test('one of a task that has ended is told that, once', async () => {
    const agent = await hooked();
    const receiver = await receiverFor();
    const id = textAt(cell.taskOf(await cell.ask(agent, 'send', { text: 'hello' })), 'id');
    await cell.ask(agent, 'createPush', { id, push: { url: receiver.url() } });
    await receiver.until(hasEnd);
    expect(receiver.all.map(kindOf)).toEqual(['task']);
    const text = at(receiver.all[0]!.body, isKinded ? 'artifacts' : 'task.artifacts');
    expect(JSON.stringify(text)).toContain('done hello');
  });

  test('one that comes with a further message is told from there', async () => {
    const agent = await hooked();
    const receiver = await receiverFor();
    const id = textAt(cell.taskOf(await cell.ask(agent, 'send', { text: 'ask' })), 'id');
    await cell.ask(agent, 'send', { text: 'red', id, push: { url: receiver.url() } });
    await receiver.until(hasEnd);
    expect([kindOf(receiver.all[0]!), stateIn(receiver.all[0]!)]).toEqual([
      'task',
      told.stateOf('working'),
    ]);
    expect(stateIn(receiver.all.at(-1)!)).toBe(told.stateOf('completed'));
  });

  test('one that was dropped hears no more', async () => {
    const agent = await hooked();
    const receiver = await receiverFor();
    const sent = await cell.ask(agent, 'send', {
      text: 'ask',
      push: { id: 'gone', url: receiver.url('/gone') },
    });
    const id = textAt(cell.taskOf(sent), 'id');
    await cell.ask(agent, 'createPush', { id, push: { id: 'kept', url: receiver.url('/kept') } });
    await receiver.until(() => receiver.at('/gone').length > 2 && receiver.at('/kept').length > 0);
    const heard = receiver.at('/gone').length;
    await cell.ask(agent, 'deletePush', { id, configId: 'gone' });
    await cell.ask(agent, 'send', { text: 'red', id });
    await receiver.until(() => receiver.at('/kept').some(isEnd));
    expect(receiver.at('/gone')).toHaveLength(heard);
  });
});

describe('web hooks of one task #a2a-push-delivery', () => {
  const [cell] = CELLS as [Cell];

  test('are each told in their own words, whoever asked for them', async () => {
    const agent = await hooked();
    const receiver = await receiverFor();
    const id = textAt(cell.taskOf(await cell.ask(agent, 'send', { text: 'ask' })), 'id');
    for (const one of CELLS) {
      const path = `/${one.wire}-${one.binding}`;
      await one.ask(agent, 'createPush', { id, push: { id: path, url: receiver.url(path) } });
    }
    await cell.ask(agent, 'send', { text: 'red', id });
    const paths = CELLS.map(({ wire, binding }) => `/${wire}-${binding}`);
    await receiver.until(() => paths.every((path) => receiver.at(path).some(isEnd)));
    expect(paths.map((path) => stateIn(receiver.at(path).at(-1)!))).toEqual([
      'TASK_STATE_COMPLETED',
      'TASK_STATE_COMPLETED',
      ...Array.from({ length: 4 }, () => 'completed'),
    ]);
    for (const path of paths) expect(receiver.at(path).map(kindOf)[0]).toBe('task');
    const deliveries = receiver.all.map(({ headers }) => headers['a2a-sdl-delivery']);
    expect(new Set(deliveries).size).toBe(deliveries.length);
  });

  test('have a scheme as it was written, and none without a secret', async () => {
    const agent = await hooked();
    const receiver = await receiverFor();
    for (const [path, push] of [
      ['/basic', { scheme: 'bAsIc', credentials: 'dTpw' }],
      ['/none', { scheme: 'Bearer' }],
    ] as const) {
      await cell.ask(agent, 'send', { push: { url: receiver.url(path), ...push } });
    }
    await receiver.until(
      () => receiver.at('/basic').some(isEnd) && receiver.at('/none').some(isEnd),
    );
    expect(receiver.at('/basic')[0]!.headers.authorization).toBe('bAsIc dTpw');
    expect(receiver.at('/none')[0]!.headers.authorization).toBeUndefined();
    expect(receiver.at('/none')[0]!.headers['x-a2a-notification-token']).toBeUndefined();
  });
});
