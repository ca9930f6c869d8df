// Proves that everything a caller can use up has an end, that the refusal says so in the form of the wire, and that one
// owner at its end hinders no other.

import { describe, expect, test } from 'vitest';

import type { GrpcAgent } from '../../support/a2a/agent.ts';
import { agentFor, grpcAgentFor } from '../../support/a2a/agent.ts';
import type { Answer, Json } from '../../support/a2a/ask.ts';
import { ask, at, textAt } from '../../support/a2a/ask.ts';
import type { EveryCell, Seen } from '../../support/a2a/every/cell.ts';
import { EVERY_CELL } from '../../support/a2a/every/cell.ts';

/** The reason, the status of HTTP or gRPC, and over JSON-RPC the code. */
type Refused = readonly [string, number | string, Json | undefined];

function refusedAs({ reason, status, code }: Seen): Refused {
  return [reason, status, code];
}

function exhausted({ binding }: EveryCell): Refused {
  if (binding === 'grpc') return ['RESOURCE_EXHAUSTED', 'RESOURCE_EXHAUSTED', undefined];
  return ['RESOURCE_EXHAUSTED', 429, binding === 'jsonrpc' ? -32_000 : undefined];
}

/** What is wrong with a message, as the status. */
function invalid({ binding }: EveryCell): number | string {
  return { jsonrpc: 200, rest: 400, grpc: 'INVALID_ARGUMENT' }[binding];
}

async function startOf(cell: EveryCell, agent: GrpcAgent, as?: string): Promise<string> {
  const wish = { text: 'hold', isWaiting: false, ...(as !== undefined && { as }) };
  return textAt((await cell.ask(agent, 'send', wish)).task, 'id');
}

describe.each(EVERY_CELL)('$name: streams #admit #a2a-streams', (cell) => {
  test('of one owner have an end, which no other owner feels, and leave room when they end', async () => {
    const agent = await grpcAgentFor({
      isOpen: false,
      runtime: { admission: { maxStreamsPerPeer: 3 } },
    });
    const [id, others] = [await startOf(cell, agent, 'user'), await startOf(cell, agent, 'other')];
    const subscribe = (as: string): ReturnType<EveryCell['open']> =>
      cell.open(agent, 'subscribe', { id: as === 'user' ? id : others, as });
    const open = await Promise.all(
      [1, 2, 3].map(async () => {
        const stream = await subscribe('user');
        expect(await stream.next()).toBeDefined();
        return stream;
      }),
    );
    const more = await cell.ask(agent, 'subscribe', { id, as: 'user' });
    expect(refusedAs(more)).toEqual(exhausted(cell));
    expect(more.retryAfterS).toBe(1);
    const begun = await cell.ask(agent, 'stream', { text: 'hold', as: 'user' });
    expect(refusedAs(begun)).toEqual(exhausted(cell));
    // Nothing was begun for it.
    const [lister] = EVERY_CELL;
    const { result: list } = await lister!.ask(agent, 'list', { as: 'user' });
    expect(at(list, 'totalSize')).toBe(1);
    // What does not stay open is done for it.
    const looked = await cell.ask(agent, 'get', { id, as: 'user' });
    expect(textAt(looked.result, 'id')).toBe(id);
    const told = await subscribe('other');
    expect(await told.next()).toBeDefined();
    await Promise.all([told.close(), open[0]!.close()]);
    await expect
      .poll(async () => {
        const again = await subscribe('user');
        const frame = await again.next();
        await again.close();
        return frame === undefined || at(frame, 'error') !== undefined;
      })
      .toBe(false);
    await Promise.all(open.map((stream) => stream.close()));
  });
});

test('streams of all together leave room for what is done soon #admit', async () => {
  const [cell] = EVERY_CELL;
  const agent = await grpcAgentFor({ isOpen: false, runtime: { admission: { maxStreams: 2 } } });
  const open = await Promise.all(
    ['user', 'other'].map(async (as) => {
      const stream = await cell!.open(agent, 'stream', { text: 'hold', as });
      await stream.next();
      return stream;
    }),
  );
  for (const one of EVERY_CELL) {
    const third = await one.ask(agent, 'stream', { text: 'hold', as: 'tenant' });
    expect(refusedAs(third)).toEqual(exhausted(one));
  }
  const sent = await cell!.ask(agent, 'send', { as: 'tenant' });
  expect(textAt(sent.task, 'status.state')).toBe('TASK_STATE_COMPLETED');
  await Promise.all(open.map((stream) => stream.close()));
});

describe.each(EVERY_CELL)('$name: messages #a2a-input #parts', (cell) => {
  const isKinded = cell.wire === 'v03' && cell.binding === 'jsonrpc';
  const part = (text: string): Json => (isKinded ? { kind: 'text', text } : { text });
  const file = (mediaType: string): Json => {
    if (cell.wire === 'v1') return { raw: 'AP8=', mediaType };
    if (cell.wire === 'draft') return { file: { fileWithBytes: 'AP8=', mediaType } };
    return isKinded
      ? { kind: 'file', file: { bytes: 'AP8=', mimeType: mediaType } }
      : { file: { fileWithBytes: 'AP8=', mimeType: mediaType } };
  };

  test('have a bounded number of parts, and parts a readable type, and the refusal says which', async () => {
    const agent = await grpcAgentFor();
    const parts = (count: number): Json[] => Array.from({ length: count }, () => part('x'));
    const most = await cell.ask(agent, 'send', { parts: parts(1_000) });
    expect(textAt(most.task, 'status.state')).toBe(cell.stateOf('completed'));
    for (const wrong of [parts(1_001), [part('x'), file('no type at all')]]) {
      const refused = await cell.ask(agent, 'send', { parts: wrong });
      expect([refused.reason, refused.status]).toEqual(['INVALID_PARAMS', invalid(cell)]);
      expect(refused.text).toMatch(/message\.parts(\[1\]\.mediaType)?"/);
      expect(refused.text).toMatch(/at most 1000 parts|type\/subtype/);
    }
  });

  test('deeper, with more members or larger than the limits are refused', async () => {
    const limits = { maxDepth: 20, maxMembers: 50, maxStringBytes: 2_000 };
    const agent = await grpcAgentFor({ runtime: { limits } });
    const nested = JSON.parse(`${'['.repeat(30)}${']'.repeat(30)}`) as Json;
    const wide = Object.fromEntries(Array.from({ length: 60 }, (_, at60) => [`m${at60}`, at60]));
    const data = (value: Json): Json => {
      if (cell.wire === 'v1') return { data: value };
      return isKinded ? { kind: 'data', data: { value } } : { data: { data: { value } } };
    };
    for (const wrong of [data(nested), data(wide), part('x'.repeat(2_001))]) {
      const refused = await cell.ask(agent, 'send', { parts: [wrong] });
      expect([refused.reason, refused.status]).toEqual(['INVALID_REQUEST', invalid(cell)]);
    }
  });

  test('of more bytes than the limit are refused as too large', async () => {
    const agent = await grpcAgentFor({ runtime: { limits: { maxBytes: 20_000 } } });
    const refused = await cell.ask(agent, 'send', { text: 'x'.repeat(30_000) });
    const status = cell.binding === 'grpc' ? 'RESOURCE_EXHAUSTED' : 413;
    expect([refused.reason, refused.status]).toEqual(['TOO_LARGE', status]);
  });

  test('to a running task end with the room of its owner, and that of others stays', async () => {
    const tasks = { maxHeldBytes: 131_072 };
    const agent = await grpcAgentFor({ isOpen: false, runtime: { tasks } });
    const id = await startOf(cell, agent, 'user');
    const say = (): Promise<Seen> => {
      const text = 'y'.repeat(4_000);
      return cell.ask(agent, 'send', { id, text, as: 'user', isWaiting: false });
    };
    let last = await say();
    for (let more = 0; more < 40 && last.task !== undefined; more += 1) last = await say();
    expect(refusedAs(last)).toEqual(exhausted(cell));
    const other = await cell.ask(agent, 'send', { as: 'other' });
    expect(textAt(other.task, 'status.state')).toBe(cell.stateOf('completed'));
    const ended = await cell.ask(agent, 'cancel', { id, as: 'user' });
    expect(textAt(ended.result, 'status.state')).toBe(cell.stateOf('canceled'));
  });
});

test.each(EVERY_CELL)(
  '$name: web hooks of one task have an end #task-hooks #a2a-push',
  async (cell) => {
    const hookFetch = { lookup: () => Promise.reject(new Error('no such name')) };
    const agent = await grpcAgentFor({ face: { hookFetch } });
    const id = await startOf(cell, agent);
    const make = (name: string): Promise<Seen> =>
      cell.ask(agent, 'createPush', { id, push: { id: name, url: 'https://hooks.example.com/' } });
    for (let nth = 1; nth <= 32; nth += 1) expect((await make(`c-${nth}`)).reason).toBe('');
    expect(refusedAs(await make('one-more'))).toEqual(exhausted(cell));
    expect((await make('c-7')).reason).toBe('');
  },
);

test.each(EVERY_CELL)(
  '$name: tasks of one owner have an end, which no other owner feels #task-shares',
  async (cell) => {
    const tasks = { maxTasksPerOwner: 2 };
    const agent = await grpcAgentFor({ isOpen: false, runtime: { tasks } });
    await startOf(cell, agent, 'user');
    await startOf(cell, agent, 'user');
    const third = await cell.ask(agent, 'send', { text: 'hold', isWaiting: false, as: 'user' });
    expect(refusedAs(third)).toEqual(exhausted(cell));
    expect(await startOf(cell, agent, 'other')).not.toBe('');
  },
);

test('the id of a request is said again in every frame, and therefore short #a2a-jsonrpc', async () => {
  const agent = await agentFor();
  const post = (id: string): Promise<Answer> =>
    ask(agent.rpc, {
      method: 'POST',
      headers: { 'a2a-version': '1.0' },
      body: { jsonrpc: '2.0', id, method: 'ListTasks', params: {} },
    });
  expect(at((await post('i'.repeat(1_024))).body, 'result.totalSize')).toBe(0);
  const { body } = await post('i'.repeat(1_025));
  expect([at(body, 'error.code'), at(body, 'id')]).toEqual([-32_600, null]);
});
