// Proves what a stream over gRPC tells, how it goes on elsewhere, and how it ends: by its client, its deadline, a client
// that does not read, and an agent that stops.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Witness } from '../../../../src/door/witness.ts';
import type { OnTask } from '../../../../src/tasks/context.ts';
import type { GrpcAgent } from '../../../support/a2a/agent.ts';
import { grpcAgentFor, openGrpcAgent } from '../../../support/a2a/agent.ts';
import type { Json } from '../../../support/a2a/ask.ts';
import { at, textAt } from '../../../support/a2a/ask.ts';
import type { GrpcClient } from '../../../support/a2a/grpc-client.ts';
import { framesOf, grpcClient } from '../../../support/a2a/grpc-client.ts';
import { GRPC_WORDS, stateIn, taskIdIn } from '../../../support/a2a/grpc-words.ts';
import { readMetrics } from '../../../support/wire/prometheus.ts';

let agent: GrpcAgent;

beforeAll(async () => {
  agent = await openGrpcAgent();
});
afterAll(() => agent.runtime.close({ graceMs: 0 }));

/** Calls of the face that are open now. */
async function openCalls({ runtime }: GrpcAgent): Promise<number> {
  const { metrics } = await runtime.listenContext();
  const { samples } = readMetrics(metrics()).get('a2a_sdl_face_calls')!;
  return [...samples].find(([name]) => name.includes('face="a2a"'))?.[1] ?? 0;
}

describe.each(GRPC_WORDS)('$version over gRPC #a2a-grpc #a2a-streams', (words) => {
  const { version, stateOf } = words;
  const client = (): GrpcClient => grpcClient(agent.grpc, version);

  test('a stream tells the task, what happens, and closes at the end', async () => {
    const stream = client().stream('SendStreamingMessage', words.send({ text: 'chunks' }));
    const frames = await framesOf(stream);
    expect(stateIn(at(frames[0], 'task'))).toBe(stateOf('submitted'));
    const pieces = frames.flatMap((frame) => at(frame, 'artifactUpdate') ?? []);
    expect(pieces.map((piece) => at(piece, 'artifact.parts.0.text'))).toEqual(['one ', 'two']);
    expect(pieces.map((piece) => at(piece, 'lastChunk'))).toEqual([undefined, true]);
    expect(stateIn(at(frames.at(-1), 'statusUpdate'))).toBe(stateOf('completed'));
    const finals = frames.filter((frame) => at(frame, 'statusUpdate.final') === true);
    expect(finals).toHaveLength(version === '1.0' ? 0 : 1);
    const { status, trailing } = await stream.end;
    expect(status).toBe('OK');
    expect((await stream.initial).get('event-id')).toEqual(['1']);
    expect(trailing.get('last-event-id')).toEqual([String(frames.length)]);
  });

  test('a stream of a message closes where the task waits; a subscription stays open', async () => {
    const asks = client();
    const waits = await framesOf(asks.stream('SendStreamingMessage', words.send({ text: 'ask' })));
    const last = at(waits.at(-1), 'statusUpdate');
    expect(stateIn(last)).toBe(stateOf('input-required'));
    const id = textAt(last, 'taskId');
    const frames = asks.stream(words.subscribe, words.task(id))[Symbol.asyncIterator]();
    const first = (await frames.next()).value as Json;
    expect(stateIn(at(first, 'task'))).toBe(stateOf('input-required'));
    await asks.ask('SendMessage', words.send({ text: 'green', id, isWaiting: false }));
    const states: unknown[] = [];
    for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
      const update = at(next.value, 'statusUpdate');
      if (update !== undefined) states.push(stateIn(update));
    }
    expect(states).toEqual(['working', 'completed'].map(stateOf));
  });

  test('an answer without a task is the only frame', async () => {
    const own = await grpcAgentFor({ runtime: { accepts: () => 'answered at once' } });
    const asks = grpcClient(own.grpc, version);
    const stream = asks.stream('SendStreamingMessage', words.send());
    const frames = await framesOf(stream);
    expect(frames.map((frame) => at(frame, `message.${words.content}.0.text`))).toEqual([
      'answered at once',
    ]);
    expect((await stream.end).trailing.get('last-event-id')).toEqual([]);
  });

  test('who has seen a part is told the rest, in the same frames, also after the end', async () => {
    const asks = client();
    const stream = asks.stream('SendStreamingMessage', words.send({ text: 'chunks' }));
    const whole = await framesOf(stream);
    const id = textAt(whole[0], 'task.id');
    const [begun] = (await stream.initial).get('event-id') as string[];
    for (const [skipped, seen] of [
      [1, begun!],
      [2, '2'],
      [3, '3'],
    ] as const) {
      const metadata = { 'last-event-id': seen };
      const rest = asks.stream(words.subscribe, words.task(id), { metadata });
      expect(await framesOf(rest)).toEqual(whole.slice(skipped));
      expect((await rest.end).trailing.get('last-event-id')).toEqual([String(whole.length)]);
    }
    for (const seen of [String(whole.length), '999', 'nonsense']) {
      const metadata = { 'last-event-id': seen };
      const rest = asks.stream(words.subscribe, words.task(id), { metadata });
      expect(await framesOf(rest)).toEqual([]);
      expect((await rest.end).reason).toBe('UNSUPPORTED_OPERATION');
    }
  });

  test('who goes on where nothing has happened since is told at once that it begun', async () => {
    const asks = client();
    const sent = await asks.ask('SendMessage', words.send({ text: 'ask' }));
    const id = taskIdIn(sent.body);
    const look = asks.stream(words.subscribe, words.task(id));
    const [place] = (await look.initial).get('event-id') as string[];
    look.cancel();
    const metadata = { 'last-event-id': place! };
    const stream = asks.stream(words.subscribe, words.task(id), { metadata });
    expect((await stream.initial).get('event-id')).toEqual([place]);
    await asks.ask('SendMessage', words.send({ text: 'red', id }));
    const frames = await framesOf(stream);
    expect(at(frames[0], 'task')).toBeUndefined();
    expect(stateIn(at(frames.at(-1), 'statusUpdate'))).toBe(stateOf('completed'));
  });

  test('who goes, or whose deadline is over, ends the stream and not the task', async () => {
    const own = await grpcAgentFor();
    const asks = grpcClient(own.grpc, version);
    const held = await asks.ask('SendMessage', words.send({ text: 'hold', isWaiting: false }));
    const id = taskIdIn(held.body);
    const stream = asks.stream(words.subscribe, words.task(id));
    await stream[Symbol.asyncIterator]().next();
    expect(await openCalls(own)).toBe(1);
    stream.cancel();
    expect((await stream.end).status).toBe('CANCELLED');
    await expect.poll(() => openCalls(own)).toBe(0);
    const short = asks.stream(words.subscribe, words.task(id), { deadline: Date.now() + 300 });
    await framesOf(short);
    expect((await short.end).status).toBe('DEADLINE_EXCEEDED');
    await expect.poll(() => openCalls(own)).toBe(0);
    const waits = await asks.ask('SendMessage', words.send({ text: 'hold' }), {
      deadline: Date.now() + 300,
    });
    expect(waits.status).toBe('DEADLINE_EXCEEDED');
    await expect.poll(() => openCalls(own)).toBe(0);
    const { body } = await asks.ask('GetTask', words.task(id));
    expect(stateIn(body)).toBe(stateOf('working'));
  });
});

const [words] = GRPC_WORDS;

const PIECES = 300;
const PIECE = 'x'.repeat(20_000);

/** Says this many pieces, each in the place of the one before. */
const tells: OnTask = async function* work(_task, ctx) {
  for (let piece = 0; piece < PIECES; piece += 1) {
    yield ctx.artifact({ id: 'log', text: PIECE });
  }
};

/** Told of every step that a stream takes. */
function witnessOf(onSent: () => void): Witness {
  return {
    open: async () => undefined,
    accepted: async () => undefined,
    sent: onSent,
    stats: () => ({ isWell: true, written: 0, lost: 0, failures: 0 }),
    close: async () => undefined,
  };
}

test('for a client that does not read little is taken, and it has all when it reads on #a2a-grpc', async () => {
  let sent = 0;
  const own = await grpcAgentFor({
    runtime: { onTask: tells, evidence: witnessOf(() => (sent += 1)) },
  });
  const asks = grpcClient(own.grpc);
  const held = await asks.ask('SendMessage', words!.send({ isWaiting: false }));
  const id = taskIdIn(held.body);
  const ended = async (): Promise<unknown> =>
    stateIn((await asks.ask('GetTask', words!.task(id, { historyLength: 0 }))).body);
  await expect.poll(ended, { timeout: 60_000 }).toBe('TASK_STATE_COMPLETED');
  sent = 0;
  const metadata = { 'last-event-id': '1' };
  const stream = asks.stream(words!.subscribe, words!.task(id), { metadata });
  // The client takes everything until it has asked for something.
  const frames = stream[Symbol.asyncIterator]();
  const first = (await frames.next()).value as Json;
  // Calls on the same connection go on beside it, and give it time to take more.
  for (let time = 0; time < 20; time += 1) await ended();
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(PIECES / 5);
  const rest = await restOf(frames);
  const texts = [first, ...rest].flatMap(
    (frame) => at(frame, 'artifactUpdate.artifact.parts.0.text') ?? [],
  );
  expect(texts).toHaveLength(PIECES);
}, 120_000);

async function restOf(frames: AsyncIterator<Json>): Promise<Json[]> {
  const rest: Json[] = [];
  for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
    rest.push(next.value);
  }
  return rest;
}

test('who takes nothing for too long is not waited for #a2a-grpc', async () => {
  const grpc = { port: 0, stalledWriteTimeoutMs: 300 };
  const own = await grpcAgentFor({ face: { grpc }, runtime: { onTask: tells } });
  const asks = grpcClient(own.grpc);
  const stream = asks.stream('SendStreamingMessage', words!.send());
  const frames = stream[Symbol.asyncIterator]();
  await frames.next();
  await expect.poll(() => openCalls(own), { timeout: 20_000 }).toBe(0);
  expect((await restOf(frames)).length).toBeLessThan(PIECES / 5);
  const { status, trailing } = await stream.end;
  expect(status).toBe('DEADLINE_EXCEEDED');
  expect(Number(trailing.get('last-event-id')[0])).toBeGreaterThan(0);
}, 60_000);

test('an agent that stops tells its streams to come back, and takes no new calls #a2a-grpc', async () => {
  const own = await openGrpcAgent();
  const asks = grpcClient(own.grpc);
  const held = await asks.ask('SendMessage', words!.send({ text: 'hold', isWaiting: false }));
  const stream = asks.stream(words!.subscribe, words!.task(taskIdIn(held.body)));
  const frames = stream[Symbol.asyncIterator]();
  await frames.next();
  const closing = own.runtime.close({ graceMs: 500 });
  const late = await asks.ask('GetTask', words!.task('x'), { deadline: Date.now() + 5_000 });
  expect(late.status).toBe('UNAVAILABLE');
  await restOf(frames);
  const { status, reason, details } = await stream.end;
  expect([status, reason]).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
  expect(details.at(-1)).toMatchObject({ retryDelay: { seconds: '1' } });
  await closing;
});
