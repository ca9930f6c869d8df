// Proves how tasks are asked for, named and told over SWP, sealed envelopes in them included.

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { MAP, conditionOf } from '../../../profiles/swp/face/conditions.ts';
import { engineId } from '../../../profiles/swp/face/task-id.ts';
import { encodeFrame } from '../../../profiles/swp/index.ts';
import { ERRORS, SdlError } from '../../../src/errors.ts';
import type { ErrorCode } from '../../../src/errors.ts';
import { createClient } from '../../../src/client/client.ts';
import { createIdentity } from '../../../src/security/identity/identity.ts';
import { TaskError } from '../../../src/tasks/error.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import { writeJcs } from '../../../src/codec/canonical-jcs.ts';
import { Book, entryFor } from '../../support/agents/agents.ts';
import { aborted, newGate } from '../../support/dialect/works.ts';
import { openSwpAgent } from '../../support/swp/agent.ts';
import { frame, hex, task, textOf } from '../../support/swp/frames.ts';
import { RawConnection } from '../../support/swp/raw-connection.ts';
import { sdlOverSwp } from '../../support/swp/tunnel.ts';

const PAYLOAD = 'INVALID_PROFILE_PAYLOAD';

async function resultFor(onTask: OnTask, message = task('t', 'work')): Promise<string> {
  const { address } = await openSwpAgent(onTask);
  const connection = await RawConnection.open(address);
  connection.send(frame(message));
  const [told] = await connection.until('result');
  return told!.ok ? textOf(told!.output) : `! ${told!.error_message}`;
}

describe('#swp-task #swp-task-id what a Task asks', () => {
  test('the kind is the goal and the input a file', async () => {
    const told = await resultFor(
      async ({ text, history, kind }) =>
        `${text}|${kind}|${JSON.stringify(history[0]!.parts.slice(1).map((part) => 'bytes' in part && hex(part.bytes)))}`,
      task('t', 'sum it', 'ab'),
    );
    expect(told).toBe('sum it|sum it|["6162"]');
  });

  test('task.v1 is a whole task payload', async () => {
    const payload = {
      kind: 'task.v1',
      goal: 'sum',
      inputs: { a: 1 },
      constraints: { time_budget_s: 1, compute_budget: 'low', safety: {} },
      deliverables: [],
      acceptance: [],
      context: { task: { kind: 'adding', parent: 'p' } },
    };
    const told = await resultFor(
      async ({ text, data, kind, parent }) => ({ text, data: data!, kind: kind!, parent: parent! }),
      task('t', 'task.v1', JSON.stringify(payload)),
    );
    expect(JSON.parse(told)).toEqual({ text: 'sum', data: { a: 1 }, kind: 'adding', parent: 'p' });
  });

  test('octets name a task readably where they can, and never two', async () => {
    const long = 'x'.repeat(129);
    const [most, more] = [Buffer.alloc(189, 255), Buffer.alloc(190, 255)];
    expect(['a.B_9-', 'x'.repeat(128)].map((id) => engineId(Buffer.from(id)))).toEqual([
      'a.B_9-',
      'x'.repeat(128),
    ]);
    expect(engineId(Buffer.from(long))).toBe(`swp:${Buffer.from(long).toString('base64url')}`);
    expect(engineId(most)).toHaveLength(256);
    expect(engineId(more)).toBe(`swp#${createHash('sha256').update(more).digest('base64url')}`);
    const ids = [
      Buffer.from('a b'),
      Buffer.from([0xff]),
      Buffer.from([0xfe]),
      Buffer.from('swp:YSBi'),
      more,
    ];
    const { address, runtime } = await openSwpAgent();
    const connection = await RawConnection.open(address);
    for (const id of ids) {
      connection.send(frame({ type: 'task', task_id: hex(id), kind: 'work', input: '' }));
    }
    const results = await connection.until('result', ids.length);
    expect(results.map(({ task_id }) => task_id).toSorted()).toEqual(ids.map(hex).toSorted());
    const call = {
      principal: { id: '~local:operator', tenant: '', scheme: 'local' },
      face: 'test',
      agentId: 'x',
      signal: AbortSignal.timeout(5_000),
      now: Date.now,
    };
    const stored = await runtime.tasks.get(call, engineId(more), { owner: '~none:swp' });
    expect(stored!.source).toEqual({
      face: 'swp',
      value: { task_id: more.toString('base64url'), kind: 'work' },
    });
  });

  test('#swp-order-of-arrival what concerns one task is done in its order', async () => {
    const { address, refusals, refused } = await openSwpAgent();
    const connection = await RawConnection.open(address);
    for (let at = 0; at < 20; at += 1) {
      connection.send(frame(task(`t${at}`, 'first')), frame(task(`t${at}`, 'second')));
    }
    const results = await connection.until('result', 20);
    await refused(20);
    expect(new Set(results.map(({ output }) => textOf(output)))).toEqual(new Set(['did first']));
    expect(refusals()).toEqual(Array(20).fill(PAYLOAD));
  });
});

describe('#swp-result #swp-event how a task is told', () => {
  test.each<readonly [string, OnTask, string]>([
    ['a single text', async () => 'plain', 'plain'],
    ['single data in its canonical form', async () => ({ b: 1, a: [2] }), '{"a":[2],"b":1}'],
    [
      'bytes of a single file',
      async (_task, ctx) => void (await ctx.artifact({ bytes: Buffer.from('raw') })),
      'raw',
    ],
    ['nothing', async () => undefined, '{"artifacts":[]}'],
    ['an answer', async (_task, ctx) => void (await ctx.answer('at once')), 'at once'],
    [
      'a url',
      async (_task, ctx) => void (await ctx.artifact({ id: 'a', url: 'https://example.com/' })),
      '{"artifacts":[{"id":"a","parts":[{"url":"https://example.com/"}]}]}',
    ],
  ])('%s', async (_name, onTask, output) => {
    expect(await resultFor(onTask)).toBe(output);
  });

  test('more than one part is told as all artifacts', async () => {
    const told = await resultFor(async (_task, ctx) => {
      await ctx.artifact({ id: 'a', name: 'one', text: 'x' });
      await ctx.artifact({ id: 'b', bytes: Buffer.from('y'), mediaType: 'text/plain' });
    });
    const artifacts = [
      { id: 'a', name: 'one', parts: [{ text: 'x' }] },
      { id: 'b', parts: [{ bytes: 'eQ', media_type: 'text/plain' }] },
    ];
    expect(told).toBe(Buffer.from(writeJcs({ artifacts })).toString());
  });

  test.each<readonly [string, unknown, RegExp]>([
    ['an unknown tool', 'tool', /^! unsupported capability: TOOL_UNKNOWN /],
    [
      'a goal that is not understood',
      new TaskError('what?', { code: 'GOAL_NOT_UNDERSTOOD' }),
      /^! unsupported capability: GOAL_NOT_UNDERSTOOD what\?$/,
    ],
    [
      'a wire code',
      new TaskError('no', { code: 'SCHEMA_INVALID' }),
      /^! malformed task input: SCHEMA_INVALID no$/,
    ],
    [
      'rights',
      new SdlError('NOT_AUTHORIZED', 'secret'),
      /^! authorization denied: NOT_AUTHORIZED the security of/,
    ],
    [
      'all else',
      new TaskError('no paper', { code: 'NO_PAPER' }),
      /^! execution failed: NO_PAPER no paper$/,
    ],
    ['what broke', new Error('swordfish'), /^! execution failed: INTERNAL (?!.*swordfish)/],
  ])('%s', async (_name, thrown, told) => {
    const onTask: OnTask = async (_task, ctx) => {
      if (thrown === 'tool') await ctx.tools.call('no.such', {});
      throw thrown as Error;
    };
    expect(await resultFor(onTask)).toMatch(told);
  });

  test('every code of the table has its condition, by the code that goes on the wire', () => {
    expect(Object.keys(MAP).toSorted()).toEqual(Object.keys(ERRORS).toSorted());
    const busy = new Set<ErrorCode>(['LIMIT_RATE', 'REPLAY_FULL']);
    for (const code of Object.keys(ERRORS) as ErrorCode[]) {
      if (busy.has(code)) expect(MAP[code]).toBe('execution failed');
      else if (code === 'TASK_REFUSED') expect(MAP[code]).toBe('unsupported capability');
      else expect(MAP[code]).toBe(conditionOf(ERRORS[code].wire));
    }
  });

  test('an Event has the words of the progress and the event itself', async () => {
    const gate = newGate();
    const { address } = await openSwpAgent(async function* work(_task, ctx) {
      yield ctx.progress({ message: 'half', fraction: 0.5 });
      await gate.opened;
      yield 'done';
    });
    const connection = await RawConnection.open(address);
    connection.send(frame(task('t', 'work')));
    const [told] = await connection.until('event');
    expect(told!.message).toBe('half');
    const payload = textOf(told!.event_payload);
    const value = JSON.parse(payload) as never;
    expect(value).toMatchObject({ type: 'status', status: { state: 'working', fraction: 0.5 } });
    expect(Buffer.from(writeJcs(value)).toString()).toBe(payload);
    gate.open();
    await connection.until('result');
  });

  test('when the agent stops, a connection ends, and the task is told to who comes back', async () => {
    const { createMemoryStore } = await import('../../../src/stores/memory.ts');
    const store = createMemoryStore();
    const gate = newGate();
    const onTask: OnTask = async (_task, ctx) => {
      await Promise.race([gate.opened, aborted(ctx.signal)]);
      return 'late';
    };
    const tasks = { node: 'same', isNodeExclusive: true };
    const first = await openSwpAgent(onTask, { runtime: { store, tasks } });
    const connection = await RawConnection.open(first.address);
    connection.send(frame(task('t', 'work')));
    await expect.poll(() => first.outcomes.length).toBeGreaterThan(0);
    await first.runtime.close({ graceMs: 0 });
    await connection.closed;
    expect(connection.of('result')).toEqual([]);
    gate.open();
    const second = await openSwpAgent(onTask, { runtime: { store, tasks } });
    const again = await RawConnection.open(second.address);
    again.send(frame(task('t', 'work')));
    expect(textOf((await again.until('result'))[0]!.output)).toBe('late');
  });

  test('a result that is larger than a frame may be is told as that', async () => {
    const { address } = await openSwpAgent(async () => 'x'.repeat(5_000), {
      face: { maxFrameBytes: 4_000 },
    });
    const connection = await RawConnection.open(address);
    connection.send(frame(task('t', 'work')));
    expect((await connection.until('result'))[0]!.error_message).toMatch(
      /^execution failed: LIMIT_BYTES/,
    );
  });
});

describe('#swp-tunnel sealed envelopes in Tasks', () => {
  test('go through every check, and their answers come back sealed', async () => {
    const book = new Book();
    const identity = await createIdentity();
    book.add(entryFor(identity));
    const server = await createIdentity();
    const { address, refusals } = await openSwpAgent(
      async function* work(asked, ctx) {
        yield ctx.progress('begun');
        yield ctx.artifact({ text: `for ${asked.owner}` });
      },
      { runtime: { peers: book, identity: server } },
    );
    const connection = await RawConnection.open(address);
    const client = createClient({
      identity,
      peers: [server.bundle],
      transports: [sdlOverSwp(connection)],
    });
    const peer = client.connect('ipc:/tunnel', { agentId: server.agentId });
    const handle = peer.task('whatever');
    expect((await handle.result()).artifacts.map(({ text }) => text)).toEqual([
      `for ${identity.agentId}`,
    ]);
    expect(connection.of('event').length).toBeGreaterThan(0);
    // The same octets again are the same request: its answer is told again.
    const [sent] = connection.raw.length > 0 ? [connection.lastTask!] : [];
    connection.send(encodeFrame({ envelope: { msg_id: 'cd'.repeat(16) }, message: sent! }));
    const results = await connection.until('result', 2);
    expect(results[1]).toMatchObject({ ok: true, task_id: results[0]!.task_id });
    await client.close();
    expect(refusals()).toEqual([]);
  });

  test('what is no envelope fails, and another Task of that id is refused', async () => {
    const { address, refused } = await openSwpAgent();
    const connection = await RawConnection.open(address);
    connection.send(frame(task('t', 'a2a-sdl.v1', 'no envelope')));
    const [told] = await connection.until('result');
    expect(told!.error_message).toMatch(/^malformed task input: UNSUPPORTED_ENCODING /);
    expect(JSON.parse(textOf(told!.output))).toMatchObject({ type: 'res', ct: 'error.v1' });
    connection.send(
      frame(task('t', 'a2a-sdl.v1', 'other')),
      frame(task('t', 'work')),
      frame(task('u', 'work')),
    );
    await connection.until('result', 2);
    connection.send(frame(task('u', 'a2a-sdl.v1', 'x')));
    expect((await refused(3)).map(({ refusal }) => refusal)).toEqual([PAYLOAD, PAYLOAD, PAYLOAD]);
  });
});
