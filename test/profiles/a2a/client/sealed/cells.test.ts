// Proves that a client seals what it says to an agent of ours and opens what comes back, over every binding and version.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { A2aAgent } from '../../../../../profiles/a2a/index.ts';
import type { GrpcAgent } from '../../../../support/a2a/agent.ts';
import { openGrpcAgent } from '../../../../support/a2a/agent.ts';
import { message } from '../../../../support/a2a/client-suite.ts';
import { WISHES, sealedClient, stepsOf } from '../../../../support/sealed-face/client.ts';
import type { SealedSide } from '../../../../support/sealed-face/user.ts';
import { SECRET, knowing, newSides } from '../../../../support/sealed-face/user.ts';

let side: SealedSide;
let agent: GrpcAgent;

beforeAll(async () => {
  side = await newSides();
  agent = await openGrpcAgent(knowing(side));
});
afterAll(() => agent.runtime.close({ graceMs: 0 }));

const textsOf = ({ artifacts }: { readonly artifacts: readonly { readonly text: string }[] }) =>
  artifacts.map(({ text }) => text);

describe.each(WISHES)('#a2a-client-sealed $name', ({ name: _name, ...prefer }) => {
  const connect = (): Promise<A2aAgent> =>
    sealedClient(side, agent.origin, { prefer, sealed: { policy: 'require' } });

  test('a task, asked, answered and asked for again', async () => {
    const client = await connect();
    expect(client.sealing).toMatchObject({ kind: 'sealed', agentId: side.identity.agentId });
    const sent = await client.send({ message: message(`hello ${SECRET}`) });
    if (!('task' in sent)) throw new Error('it was answered without a task');
    expect(sent.task).toMatchObject({ status: { state: 'completed' }, protection: 'sealed' });
    expect(textsOf(sent.task)).toEqual([`done hello ${SECRET}`]);
    const again = await client.get(sent.task.id);
    expect([again.protection, textsOf(again)]).toEqual(['sealed', textsOf(sent.task)]);
  });

  test('a stream with progress and pieces of an artifact', async () => {
    const steps = await stepsOf(await connect(), 'chunks');
    expect(steps.map(({ task }) => task.status.message?.text)).toContain('begun');
    const pieces = steps.flatMap(({ piece }) => (piece === undefined ? [] : [piece]));
    expect(pieces.map(({ artifact, append }) => [artifact.parts, append])).toEqual([
      [[{ text: 'one ' }], false],
      [[{ text: 'two' }], true],
    ]);
    const { task } = steps.at(-1)!;
    expect([task.status.state, task.protection, textsOf(task)]).toEqual([
      'completed',
      'sealed',
      ['one two'],
    ]);
  });

  test('a question and its answer, as a stream and at once', async () => {
    const client = await connect();
    const asking = (await stepsOf(client, 'ask')).at(-1)!.task;
    expect([asking.status.state, asking.status.message?.text]).toEqual([
      'input-required',
      'which?',
    ]);
    const ended = (await stepsOf(client, SECRET, { taskId: asking.id })).at(-1)!.task;
    expect([ended.status.state, textsOf(ended), ended.protection]).toEqual([
      'completed',
      [`told ${SECRET}`],
      'sealed',
    ]);
    const sent = await client.send({ message: message('ask') });
    const id = 'task' in sent ? sent.task.id : '';
    const told = await client.send({ message: message('this'), taskId: id });
    expect('task' in told && [told.task.status.state, textsOf(told.task)]).toEqual([
      'completed',
      ['told this'],
    ]);
  });

  test('a failure, an answer without a task, and a cancel', async () => {
    const client = await connect();
    const failed = await client.send({ message: message('fail') });
    expect('task' in failed && failed.task).toMatchObject({
      status: { state: 'failed', message: { metadata: { failure: { code: 'NO_PAPER' } } } },
      protection: 'sealed',
    });
    const answer = await client.send({ message: message('answer') });
    expect('message' in answer && [answer.message.text, answer.protection]).toEqual([
      'answered at once',
      'sealed',
    ]);
    const held = await client.send({ message: message('hold'), isWaiting: false });
    const id = 'task' in held ? held.task.id : '';
    expect(await client.cancel(id)).toMatchObject({
      status: { state: 'canceled' },
      protection: 'sealed',
    });
  });
});
