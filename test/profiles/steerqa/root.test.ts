// Root's side: what is repeated and what is not, with what, and what is done to a final. The agent is scripted.

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { SteerqaRootOptions } from '../../../profiles/steerqa/index.ts';
import { SteerqaFailure, connectSteerqa } from '../../../profiles/steerqa/index.ts';
import {
  AUTHORIZED,
  INTENT_FINAL,
  dimensionOffer,
  openAgent,
  verdictFor,
} from '../../support/steerqa/agent.ts';

type Offer = Record<string, unknown>;
type Reply = (offer: Offer, response: ServerResponse) => void;

interface Scripted {
  readonly url: string;
  readonly seen: readonly Offer[];
}

/** Answers the first request with the first reply, and so on; the last one goes on. */
async function scripted(...replies: readonly Reply[]): Promise<Scripted> {
  const seen: Offer[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Uint8Array) => (text += new TextDecoder().decode(chunk)));
    request.on('end', () => {
      const offer = JSON.parse(text) as Offer;
      seen.push(offer);
      replies[Math.min(seen.length, replies.length) - 1]!(offer, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen };
}

const line = (value: object): string => `${JSON.stringify(value)}\n`;
const resultOf = (offer: Offer, body: object): object => ({
  version: '1.0',
  message_type: 'task_result',
  task_id: offer['task_id'],
  trace_id: offer['trace_id'],
  agent_version: offer['agent_version'],
  ...body,
});
const lines =
  (bodies: (offer: Offer) => readonly object[], isCut = false): Reply =>
  (offer, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    for (const body of bodies(offer)) response.write(`\n${line(resultOf(offer, body))}`);
    if (isCut) response.destroy();
    else response.end();
  };
const error =
  (status: number, code: string, retryable: boolean): Reply =>
  (offer, response) => {
    const { version, task_id, trace_id } = offer;
    const body = {
      version,
      message_type: 'error',
      task_id,
      trace_id,
      code,
      message: 'm',
      retryable,
    };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
const good = lines((offer) => [verdictFor(offer)]);
const early = {
  status: 'partial',
  early_result: { dimension: 'clarity', run_id: 'r1', score_stub: 1, top_issue_title: 't' },
};

const offerOf = (members: object = {}): never => dimensionOffer(members as Offer) as never;

async function failureOf(
  agent: Scripted,
  options: SteerqaRootOptions = {},
): Promise<SteerqaFailure> {
  const thrown = await connectSteerqa(agent.url, { backoffMs: 1, ...options })
    .offer(offerOf())
    .final()
    .catch((cause: unknown) => cause);
  expect(thrown).toBeInstanceOf(SteerqaFailure);
  return thrown as SteerqaFailure;
}

describe('#steerqa-root an offer', () => {
  test('is repeated after 5xx, lost connections and cut streams, with the same key and less time', async () => {
    const agent = await scripted(
      error(503, 'OVERLOADED', true),
      (_offer, response) => void response.destroy(),
      lines(() => [early], true),
      lines((offer) => [early, verdictFor(offer)]),
    );
    let nowMs = Date.now();
    const waits: number[] = [];
    const root = connectSteerqa(agent.url, {
      backoffMs: 100,
      now: () => nowMs,
      random: () => 0.5,
      wait: async (ms) => {
        waits.push(ms);
        nowMs += ms;
      },
    });
    const offer = offerOf();
    const messages = [];
    for await (const message of root.offer(offer)) messages.push(message);
    // What was told before the stream was cut is not told again.
    expect(messages.map(({ status = 'final' }) => status)).toEqual(['partial', 'final']);
    expect(waits).toEqual([50, 100, 200]);
    const { idempotency_key: key, ttl } = offer as { idempotency_key: string; ttl: number };
    expect(agent.seen.map((sent) => sent['idempotency_key'])).toEqual([key, key, key, key]);
    expect(agent.seen.map((sent) => sent['ttl'])).toEqual([ttl, ttl - 50, ttl - 150, ttl - 350]);
    expect(new Set(agent.seen.map((sent) => sent['issued_at'])).size).toBe(4);
  });

  test('is not repeated after 4xx, nor where the agent says that it is no use', async () => {
    for (const reply of [
      error(400, 'SCHEMA_VALIDATION_FAILED', true),
      error(409, 'IDEMPOTENCY_CONFLICT', false),
      error(500, 'INTERNAL', false),
      (_offer: Offer, response: ServerResponse): void => void response.writeHead(404).end(),
      (_offer: Offer, response: ServerResponse): void =>
        void response.writeHead(307, { location: '/elsewhere' }).end(),
    ]) {
      const agent = await scripted(reply);
      const { retryable } = await failureOf(agent);
      expect([retryable, agent.seen.length]).toEqual([false, 1]);
    }
  });

  test('is repeated after an error in band that may pass, and no longer than its ttl or so many times', async () => {
    const inBand = await scripted((offer, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`: still here\n\ndata: ${line(resultOf(offer, early))}\n`);
      const failed = {
        ...resultOf(offer, {}),
        message_type: 'error',
        code: 'INTERNAL',
        message: 'm',
        retryable: true,
      };
      response.end(`data: ${line(failed)}\n`);
    }, good);
    const final = await connectSteerqa(inBand.url, { accept: 'sse', backoffMs: 1 })
      .offer(offerOf())
      .final();
    expect(final.verdict).toMatchObject({ score: 58 });
    const always = await scripted(error(503, 'OVERLOADED', true));
    expect((await failureOf(always, { maxAttempts: 3 })).code).toBe('OVERLOADED');
    expect(always.seen).toHaveLength(3);
    let nowMs = 0;
    const wait = async (ms: number): Promise<void> => void (nowMs += ms);
    const tired = await scripted(error(503, 'OVERLOADED', true));
    await failureOf(tired, { backoffMs: 4_000, random: () => 1, now: () => nowMs, wait });
    // 10 s of ttl are over before the third wait of 5 s.
    expect(tired.seen).toHaveLength(3);
  });

  test('takes a last line without its end, but not half of one; equal partials of one answer are all told', async () => {
    const open =
      (cut: number): Reply =>
      (offer, response) => {
        const partial = line(resultOf(offer, early));
        const final = JSON.stringify(resultOf(offer, verdictFor(offer)));
        response.writeHead(200, { 'content-type': 'application/x-ndjson' });
        response.end(partial + partial + final.slice(0, final.length - cut));
      };
    const agent = await scripted(open(1), open(0));
    const messages = [];
    for await (const { status = 'final' } of connectSteerqa(agent.url, { backoffMs: 1 }).offer(
      offerOf(),
    )) {
      messages.push(status);
    }
    expect(messages).toEqual(['partial', 'partial', 'final']);
    expect(agent.seen).toHaveLength(2);
  });

  test('is an offer: nothing else is sent', async () => {
    const agent = await scripted(good);
    const result = resultOf(offerOf(), verdictFor(offerOf()));
    for (const message of [result, { ...dimensionOffer(), message_type: 'x' }]) {
      const sent = connectSteerqa(agent.url).offer(message as never);
      await expect(sent.final()).rejects.toMatchObject({ code: 'SCHEMA_VALIDATION_FAILED' });
    }
    expect(agent.seen).toEqual([]);
  });

  test('gets a final that is checked, and lowered to the cap', async () => {
    const high = await scripted(lines((offer) => [verdictFor(offer, 90)]));
    const { verdict } = await connectSteerqa(high.url).offer(offerOf()).final();
    expect(verdict).toMatchObject({ score: 75, clamped: true, unclamped_score: 90 });
    for (const body of [
      verdictFor({ dimension: 'clarity', run_id: 'r2' }),
      verdictFor({ dimension: 'other', run_id: 'r1' }),
      { verdict: { score: 1 } },
      INTENT_FINAL,
      { ...verdictFor({ dimension: 'clarity', run_id: 'r1' }), task_id: 'other' },
    ]) {
      const agent = await scripted(lines(() => [body]));
      expect((await failureOf(agent)).code).toBe('RESULT_INVALID');
      expect(agent.seen).toHaveLength(1);
    }
    const wrong = connectSteerqa(high.url).offer({ prompt: '', agent_version: 'a@1', ttl: 1 });
    await expect(wrong.final()).rejects.toThrow('SCHEMA_VALIDATION_FAILED');
  });

  test.each(['json', 'ndjson', 'sse'] as const)('speaks to the face as %s', async (accept) => {
    const agent = await openAgent();
    const root = connectSteerqa(agent.url, { accept, headers: AUTHORIZED });
    const messages = [];
    for await (const message of root.offer(offerOf())) messages.push(message);
    expect(messages).toHaveLength(accept === 'json' ? 1 : 2);
    expect(messages.at(-1)).toMatchObject({ status: 'final', verdict: { score: 58 } });
  });
});
