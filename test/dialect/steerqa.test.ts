// Proves that what the wire of SteerQA cannot say in the words of the suite holds there all the same: whose offer it is,
// what too much is, what rights that are taken away end, who comes while the agent stops, and what is put on record.

import { expect, onTestFinished, test } from 'vitest';

import { TaskError } from '../../src/tasks/error.ts';
import type { Outcome } from '../../src/pipeline/receive.ts';
import type { RuntimeOptions } from '../../src/runtime/options.ts';
import { refusalOf } from '../compliance/dialect/case.ts';
import { DialectAgent, asOperator } from '../support/dialect/agent.ts';
import { GONE, outputOf } from '../support/dialect/caller.ts';
import type { Change } from '../support/dialect/faces.ts';
import { PLAIN, STEERQA } from '../support/dialect/faces.ts';
import { aborted, doing, newGate } from '../support/dialect/works.ts';
import { readMetrics } from '../support/wire/prometheus.ts';
import { intentOffer } from '../support/steerqa/agent.ts';

async function newAgent(options: Partial<RuntimeOptions> = {}): Promise<DialectAgent> {
  const agent = await DialectAgent.open(options);
  onTestFinished(() => agent.close());
  return agent;
}

/** Work that goes on until it is stopped, and tells when that was. */
function held(): { readonly text: string; readonly begun: Promise<void>; stopped: Promise<void> } {
  const [begun, stopped] = [newGate(), newGate()];
  const text = doing(async (_task, { signal }) => {
    begun.open();
    await aborted(signal);
    stopped.open();
  });
  return { text, begun: begun.opened, stopped: stopped.opened };
}

test('2 and 3: a failure and a rejection by the author are told with its words', async () => {
  const agent = await newAgent();
  const owner = await agent.steerqa();
  for (const rejects of [false, true]) {
    const text = doing(async () => {
      throw new TaskError('not on Sundays', { code: 'SUNDAY', rejects });
    });
    const { failure } = await owner.run(text);
    expect(failure).toMatchObject({ code: 'INTERNAL' });
    expect(failure!.message).toContain('not on Sundays');
  }
});

test('15 and 16: the same key of two owners is two offers, and a conflict for neither', async () => {
  const agent = await newAgent();
  const owners = [await agent.steerqa(), await agent.steerqa()];
  const text = doing(async ({ owner }) => owner);
  const views = await Promise.all(owners.map((owner) => owner.run({ text, id: 'ours' })));
  expect(views.map(outputOf)).toEqual(owners.map(({ owner }) => owner));
  const other = { text: doing(async () => 'another'), id: 'of the first' };
  await owners[0]!.run({ text, id: other.id });
  expect(outputOf(await owners[1]!.run(other))).toBe('another');
  for (const owner of owners) expect((await (await PLAIN.link(agent, owner)).list()).total).toBe(2);
});

test('18 and 50: an offer is a task that its owner sees elsewhere', async () => {
  const agent = await newAgent();
  const peer = await agent.sdl('http');
  const here = await agent.steerqa(peer.owner);
  await here.run(doing(async () => 'for both'));
  const [task] = (await peer.list()).tasks;
  expect(await peer.get(task!.id)).toMatchObject({ state: 'completed' });
});

test.each<Change>(['revoke', 'remove', 'expire', 'narrow'])(
  '20 and 21: rights that are taken away (%s) end the wait and the work',
  async (how) => {
    const agent = await newAgent();
    const owner = await agent.steerqa();
    const { text, begun, stopped } = held();
    const refusal = refusalOf(owner.start(text));
    await begun;
    STEERQA.change(agent, owner, how);
    expect((await refusal).retryable).toBe(false);
    await stopped;
    const { code } = await refusalOf(owner.start(text));
    expect(code).toBe(how === 'narrow' ? 'FORBIDDEN' : 'UNAUTHENTICATED');
  },
);

test('22: who shows nothing is let in only where that is allowed, as one owner of the face', async () => {
  const agent = await newAgent();
  const offer = async (headers: Record<string, string>, key: string): Promise<Response> =>
    fetch(agent.url('steerqa'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(intentOffer({ prompt: text, idempotency_key: key })),
    });
  let owners: string[] = [];
  const text = doing(async ({ owner }) => {
    owners = [...owners, owner];
    return owner;
  });
  expect((await offer({}, 'one')).status).toBe(401);
  agent.shared.guests.anonymous.add('steerqa');
  expect((await offer({}, 'one')).status).toBe(200);
  expect((await offer({}, 'two')).status).toBe(200);
  expect((await offer({ authorization: 'bearer nobody' }, 'three')).status).toBe(401);
  expect(owners).toEqual(['~none:steerqa', '~none:steerqa']);
});

test('44: bytes, depth and offers at the same time have an end', async () => {
  const agent = await newAgent({
    limits: { maxBytes: 60_000 },
    admission: { maxInFlightPerPeer: 3, ratePerSecond: 1_000, burst: 1_000 },
  });
  const owner = await agent.steerqa();
  const begin = async (text: string): Promise<string> => (await refusalOf(owner.start(text))).code;
  expect(await begin('x'.repeat(70_000))).toBe(STEERQA.codeOf('LIMIT_BYTES'));
  const deep = `{"a":${'['.repeat(70)}${']'.repeat(70)}}`;
  const { authorization } = await headersOf(agent);
  const response = await fetch(agent.url('steerqa'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: deep,
  });
  expect(await response.json()).toMatchObject({ code: STEERQA.codeOf('LIMIT_DEPTH') });
  const works = [held(), held(), held()];
  const waiting = works.map(({ text }) => owner.start(text).catch(() => undefined));
  await Promise.all(works.map(({ begun }) => begun));
  expect(await begin(doing(async () => 'never'))).toBe(STEERQA.codeOf('LIMIT_RATE'));
  await agent.close();
  await Promise.all(waiting);
});

test('47: who is too fast, and who comes while the agent stops, is told so', async () => {
  const agent = await newAgent({ admission: { ratePerSecond: 0.001, burst: 4 } });
  const owner = await agent.steerqa();
  const quick = doing(async () => 'done');
  const hurry = async (): Promise<void> => {
    for (let call = 0; call < 10; call += 1) await owner.start(quick);
  };
  const fast = await refusalOf(hurry());
  expect([fast.code, fast.retryable]).toEqual([STEERQA.codeOf('LIMIT_RATE'), true]);
  const stopping = await newAgent();
  const late = await stopping.steerqa();
  const { text, begun } = held();
  const waiting = refusalOf(late.start(text));
  await begun;
  const closing = stopping.close(500);
  const refused = await refusalOf(late.start(quick));
  expect([STEERQA.codeOf('DRAINING'), GONE]).toContain(refused.code);
  const told = await waiting;
  expect([told.code, told.retryable]).toEqual([STEERQA.codeOf('DRAINING'), true]);
  await closing;
});

test('48: each offer and each refusal is in the audit log, the outcomes and the metrics', async () => {
  const outcomes: Outcome[] = [];
  const agent = await newAgent({ on: { outcome: (outcome) => void outcomes.push(outcome) } });
  const owner = await agent.steerqa();
  const ask = { text: doing(async () => 'done'), id: 'recorded' };
  await owner.run(ask);
  await refusalOf(owner.start({ ...ask, text: doing(async () => 'other') }));
  STEERQA.change(agent, owner, 'narrow');
  await refusalOf(owner.start(ask));
  const told = outcomes.map(
    ({ operation, refusal, error }) => `${operation} ${refusal ?? error?.code ?? 'ok'}`,
  );
  expect(told).toEqual(
    expect.arrayContaining(['start ok', 'follow ok', 'offer IDEMPOTENCY_CONFLICT']),
  );
  expect(outcomes.at(-1)!.error?.code).toBe('NOT_AUTHORIZED');
  const { ok, problems, size } = await (await agent.audit()).verify();
  expect([ok, problems, size]).toEqual([true, [], outcomes.length]);
  const { metrics } = await agent.runtime.listenContext();
  const { samples } = readMetrics(metrics()).get('a2a_sdl_face_refusals_total')!;
  expect([...samples.keys()].join()).toContain('IDEMPOTENCY_CONFLICT');
});

test('49: one owner at its quota does not stop another, and the reserve of the operator holds', async () => {
  const agent = await newAgent({ tasks: { maxTasks: 8, maxTasksPerOwner: 3 } });
  const [one, two, three] = [await agent.steerqa(), await agent.steerqa(), await agent.steerqa()];
  const waiting: Promise<unknown>[] = [];
  const begin = async (owner: typeof one): Promise<void> => {
    const { text, begun } = held();
    const answer = owner.start(text).catch((thrown: unknown) => thrown);
    waiting.push(answer);
    await Promise.race([begun, answer]);
  };
  const full = async (owner: typeof one): Promise<void> => {
    const { code, retryable } = await refusalOf(owner.start(held().text));
    expect([code, retryable]).toEqual([STEERQA.codeOf('LIMIT_RATE'), true]);
  };
  for (const owner of [one, two]) {
    for (let task = 0; task < 3; task += 1) await begin(owner);
    await full(owner);
  }
  await begin(three);
  await full(three);
  const { text } = held();
  const message = { id: 'm', role: 'user', parts: [{ text }] } as const;
  expect(await agent.runtime.tasks.start(asOperator(), { message })).toMatchObject({ isNew: true });
  await agent.close();
  await Promise.all(waiting);
});

/** What somebody new shows. */
async function headersOf({ shared }: DialectAgent): Promise<{ readonly authorization: string }> {
  const shows = 'bearer secret-of-somebody-else';
  shared.guests.set({ name: 'somebody-else', shows });
  return { authorization: shows };
}
