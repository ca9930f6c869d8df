// Plays the fifteen cases of the A2A catalogue with real frames of several messages, since the shared bins carry none.
// Who is given a Task sends Events and Results: cases about those run against our client, with a scripted peer at the other
// end; the others against our server.

import { describe, expect, onTestFinished, test } from 'vitest';

import { connectSwp } from '../../../profiles/swp/index.ts';
import type { ResultMessage, SwpClient } from '../../../profiles/swp/index.ts';
import { newGate } from '../../support/dialect/works.ts';
import { openSwpAgent } from '../../support/swp/agent.ts';
import {
  event,
  failed,
  frame,
  handshake,
  hex,
  result,
  task,
  textOf,
} from '../../support/swp/frames.ts';
import { RawConnection } from '../../support/swp/raw-connection.ts';
import { scriptedPeer } from '../../support/swp/scripted-peer.ts';

const PAYLOAD = 'INVALID_PROFILE_PAYLOAD';

interface Given {
  readonly client: SwpClient;
  readonly peer: RawConnection;
  readonly result: Promise<ResultMessage>;
  readonly events: string[];
  readonly refusals: string[];
}

/** A Task `t` that our client has given to a scripted peer. */
async function given(): Promise<Given> {
  const { address, accept } = await scriptedPeer();
  const refusals: string[] = [];
  const events: string[] = [];
  const client = connectSwp(address, { onRefused: ({ code }) => void refusals.push(code) });
  onTestFinished(() => client.close());
  const promised = client.give('demo.run', {
    taskId: 't',
    onEvent: ({ message }) => void events.push(message),
  });
  promised.catch(() => undefined);
  const peer = await accept();
  await peer.until('task');
  return { client, peer, result: promised, events, refusals };
}

describe('#swp-lifecycle the A2A catalogue against our client', () => {
  test('a2a_0002: Task, Event, Result', async () => {
    const { peer, result: promised, events, refusals } = await given();
    peer.send(frame(event('t', 'running')), frame(result('t', 'done')));
    expect(Buffer.from((await promised).output).toString()).toBe('done');
    expect([events, refusals]).toEqual([['running'], []]);
  });

  test('a2a_0003: Task, failed Result', async () => {
    const { peer, result: promised, refusals } = await given();
    peer.send(frame(failed('t', 'execution failed')));
    expect(await promised).toMatchObject({ ok: false, errorMessage: 'execution failed' });
    expect(refusals).toEqual([]);
  });

  test('a2a_0004 and a2a_0010: an Event after the Result is refused', async () => {
    const { client, peer, result: promised, events, refusals } = await given();
    peer.send(frame(result('t', 'done')), frame(event('t', 'late')));
    await promised;
    await expect.poll(() => refusals).toEqual([PAYLOAD]);
    expect(events).toEqual([]);
    // It costs the message alone.
    const next = client.give('next', { taskId: 'u' });
    await peer.until('task', 2);
    peer.send(frame(result('u', 'fine')));
    expect((await next).ok).toBe(true);
  });

  test('a2a_0005: the equal Result again is ignored', async () => {
    const { client, peer, result: promised, refusals } = await given();
    peer.send(frame(result('t', 'done')), frame(result('t', 'done')));
    await promised;
    const next = client.give('next', { taskId: 'u' });
    await peer.until('task', 2);
    peer.send(frame(result('u', 'fine')));
    await next;
    expect(refusals).toEqual([]);
  });

  test.each([
    ['another output', result('t', 'other')],
    ['another end', failed('t', 'execution failed')],
  ])('a2a_0011: %s after the Result is refused', async (_name, other) => {
    const { peer, result: promised, refusals } = await given();
    peer.send(frame(result('t', 'done')), frame(other));
    expect(Buffer.from((await promised).output).toString()).toBe('done');
    await expect.poll(() => refusals).toEqual([PAYLOAD]);
  });

  test('a2a_0006 and a2a_0007 at this end too: what is of no Task of ours is refused', async () => {
    const { peer, refusals, events } = await given();
    peer.send(
      frame(event('other', 'running')),
      frame(result('other', 'done')),
      frame(task('x', 'y')),
    );
    await expect.poll(() => refusals).toEqual([PAYLOAD, PAYLOAD, PAYLOAD]);
    expect(events).toEqual([]);
  });
});

describe('#swp-lifecycle #swp-handshake the A2A catalogue against our server', () => {
  test('a2a_0001: a Handshake is answered, and what it claims is kept', async () => {
    const agent = await openSwpAgent();
    const connection = await RawConnection.open(agent.address);
    connection.send(frame(handshake('agent.demo', 'demo.run', 'demo.stop')));
    const [own] = await connection.until('handshake');
    expect(own!.agent_id).toMatch(/^did:key:/);
    expect(own!.capabilities).toEqual(expect.arrayContaining(['tool:math.add', 'ct:task.v1']));
    connection.send(frame(task('t', 'work')));
    await connection.until('result');
    const call = {
      principal: { id: '~local:operator', tenant: '', scheme: 'local' },
      face: 'test',
      agentId: 'x',
      signal: AbortSignal.timeout(5_000),
      now: Date.now,
    };
    const stored = await agent.runtime.tasks.get(call, 't', { owner: '~none:swp' });
    expect(stored!.metadata).toEqual({
      swp: { agent_id: 'agent.demo', capabilities: ['demo.run', 'demo.stop'] },
    });
    expect(stored!.kind).toBe('work');
  });

  test('a2a_0006 and a2a_0007: an Event and a Result before the Task are refused', async () => {
    const { address, refused } = await openSwpAgent();
    const connection = await RawConnection.open(address);
    connection.send(
      frame(event('t', 'early')),
      frame(result('t', 'early')),
      frame(task('t', 'work')),
    );
    const outcomes = await refused(2);
    expect(outcomes.map(({ refusal, operation }) => [refusal, operation])).toEqual([
      [PAYLOAD, 'event'],
      [PAYLOAD, 'result'],
    ]);
    // The Task is taken all the same.
    expect(textOf((await connection.until('result'))[0]!.output)).toBe('did work');
    // Who gave the Task sends neither.
    connection.send(frame(event('t', 'mine')), frame(result('t', 'mine')));
    expect((await refused(4)).map(({ refusal }) => refusal)).toEqual(Array(4).fill(PAYLOAD));
  });

  test('a2a_0008: an equal Task is the same task, and brings its Result again', async () => {
    let runs = 0;
    const gate = newGate();
    const agent = await openSwpAgent(async () => {
      runs += 1;
      await gate.opened;
      return 'once';
    });
    const [one, other] = [
      await RawConnection.open(agent.address),
      await RawConnection.open(agent.address),
    ];
    one.send(frame(task('t', 'work', 'in')), frame(task('t', 'work', 'in')));
    other.send(frame(task('t', 'work', 'in')));
    await expect
      .poll(
        () =>
          agent.outcomes.filter(({ operation }) => operation === 'follow' || operation === 'start')
            .length,
      )
      .toBeGreaterThanOrEqual(3);
    gate.open();
    await Promise.all([one.until('result'), other.until('result')]);
    expect([one.of('result').length, other.of('result').length, runs]).toEqual([1, 1, 1]);
    one.send(frame(task('t', 'work', 'in')));
    const [first, again] = await one.until('result', 2);
    expect(again).toEqual(first);
    expect([agent.refusals(), runs]).toEqual([[], 1]);
  });

  test.each([
    ['kind', task('t', 'work ', 'in')],
    ['input', task('t', 'work', 'other')],
  ])(
    'a2a_0009: a Task with another %s is refused, while it runs and afterwards',
    async (_name, other) => {
      const gate = newGate();
      const { address, refused } = await openSwpAgent(async () => {
        await gate.opened;
        return 'first';
      });
      const connection = await RawConnection.open(address);
      connection.send(frame(task('t', 'work', 'in')), frame(other));
      expect((await refused(1))[0]).toMatchObject({ refusal: PAYLOAD, operation: 'task', id: 't' });
      gate.open();
      await connection.until('result');
      connection.send(frame(other), frame(task('t', 'work', 'in')));
      const results = await connection.until('result', 2);
      expect(results.map(({ output }) => textOf(output))).toEqual(['first', 'first']);
      await refused(2);
    },
  );

  test('a2a_0012: input that is no task payload ends the Task, and the end is kept', async () => {
    const { address } = await openSwpAgent();
    const connection = await RawConnection.open(address);
    for (const [at, input] of ['no JSON', '{}', '{"kind":"task.v1"}', '[1]'].entries()) {
      connection.send(
        frame(task(`t${at}`, 'task.v1', input)),
        frame(task(`t${at}`, 'task.v1', input)),
      );
      const results = await connection.until('result', 2 * at + 2);
      expect(results.at(-1)).toEqual(results.at(-2));
      expect(results.at(-1)).toMatchObject({ ok: false, task_id: hex(`t${at}`) });
      expect(results.at(-1)!.error_message).toMatch(/^malformed task input: [A-Z_]+ \w/);
    }
  });

  test('a2a_0013: what the agent cannot do ends the Task, and the end is kept', async () => {
    const { TaskError } = await import('../../../src/tasks/error.ts');
    const { address, refused } = await openSwpAgent(undefined, {
      runtime: {
        accepts: ({ text }) => {
          if (text === 'unsupported') throw new TaskError('not here', { code: 'NO_SUCH_THING' });
        },
      },
    });
    const connection = await RawConnection.open(address);
    connection.send(frame(task('t', 'unsupported')));
    const [first] = await connection.until('result');
    expect(first!.error_message).toBe('unsupported capability: NO_SUCH_THING not here');
    connection.send(frame(task('t', 'unsupported')), frame(task('t', 'other')));
    expect((await connection.until('result', 2))[1]).toEqual(first);
    expect((await refused(1))[0]).toMatchObject({ refusal: PAYLOAD });
  });

  test('a2a_0014: another type is refused, and costs the message alone', async () => {
    const { address, refused } = await openSwpAgent();
    const connection = await RawConnection.open(address);
    connection.send(frame(task('t', 'work'), { msg_type: '99' }), frame(task('t', 'work')));
    await connection.until('result');
    expect((await refused(1))[0]).toMatchObject({ refusal: 'UNSUPPORTED_MSG_TYPE' });
  });

  test('a2a_0015: tasks that take turns do not disturb each other', async () => {
    const gates = [newGate(), newGate()];
    const { address, refusals } = await openSwpAgent(async function* work(asked, ctx) {
      yield ctx.progress(`begun ${asked.text}`);
      await gates[Number(asked.text)]!.opened;
      yield ctx.artifact({ text: `made ${asked.text}` });
    });
    const connection = await RawConnection.open(address);
    connection.send(frame(task('a', '0')), frame(task('b', '1')));
    await connection.until('event', 2);
    gates[1]!.open();
    expect((await connection.until('result'))[0]).toMatchObject({ task_id: hex('b') });
    gates[0]!.open();
    const results = await connection.until('result', 2);
    expect(results.map(({ task_id, output }) => [textOf(task_id), textOf(output)])).toEqual([
      ['b', 'made 1'],
      ['a', 'made 0'],
    ]);
    for (const id of ['a', 'b']) {
      const own = connection.messages.filter((one) => 'task_id' in one && one.task_id === hex(id));
      expect(own.at(-1)!.type).toBe('result');
    }
    expect(refusals()).toEqual([]);
  });
});
