// Proves that server-sent events with nothing to say show that they go on, and nothing else does.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import type { Incoming, Receive } from '../../../src/transport.ts';
import { http } from '../../../transports/http/index.ts';
import type { Agent } from '../../support/agents/http-agent.ts';
import {
  LIMITS,
  reply,
  serveAgent,
  stopAgents,
  textOf,
  utf8,
} from '../../support/agents/http-agent.ts';
import { Gate } from '../../support/agents/tasks.ts';

const HEARTBEAT = ':\n\n';
const OFTEN = { heartbeatIntervalMs: 5 };

afterEach(stopAgents);

async function ask({ port }: Agent, accept = 'text/event-stream'): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json', accept };
  const outgoing = request({ host: '127.0.0.1', port, method: 'POST', path: '/a2a', headers });
  outgoing.end('{}');
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
}

/** Reads on until these words have come; what came. */
async function readUntil(response: IncomingMessage, words: string): Promise<string> {
  let said = '';
  for await (const chunk of response.iterator({ destroyOnReturn: false })) {
    said += textOf(chunk as Uint8Array);
    if (said.includes(words)) break;
  }
  return said;
}

describe('#transport-http a heartbeat', () => {
  test('comes while there is nothing to say, also before the first event', async () => {
    const [first, second] = [new Gate(), new Gate()];
    const agent = await serveAgent(async function* () {
      await first.opened;
      yield reply('{"n":1}', { type: 'evt', generation: 1 });
      await second.opened;
      yield reply('{"n":2}');
    }, OFTEN);
    const response = await ask(agent);
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('text/event-stream');
    expect(await readUntil(response, HEARTBEAT.repeat(3))).toMatch(/^(:\n\n)+$/);
    first.open();
    const event = 'id: 1\ndata: {"n":1}\n\n';
    expect(await readUntil(response, event + HEARTBEAT)).toContain(event);
    second.open();
    expect(await text(response)).toMatch(/^(:\n\n)*data: {"n":2}\n\n$/);
  });

  test('is nothing to a client of ours', async () => {
    const gates = [new Gate(), new Gate(), new Gate()];
    const agent = await serveAgent(async function* () {
      for (const [at, gate] of gates.entries()) {
        await gate.opened;
        yield reply(`{"n":${at + 1}}`, { type: at < 2 ? 'evt' : 'res', generation: at + 1 });
      }
    }, OFTEN);
    const connection = await http().dial(agent.url, { limits: LIMITS });
    const outbound = {
      bytes: utf8('{}'),
      encoding: 'json',
      id: 'i',
      spanId: 's',
      wantsStream: true,
      signal: new AbortController().signal,
    } as const;
    const answers: Incoming[] = [];
    const answered = (async () => {
      for await (const answer of connection.exchange(outbound)) answers.push(answer);
    })();
    const beside = await ask(agent);
    for (const gate of gates) {
      await readUntil(beside, HEARTBEAT.repeat(3));
      gate.open();
    }
    await Promise.all([answered, text(beside)]);
    await connection.close();
    expect(answers.map(({ bytes }) => textOf(bytes))).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
    expect(answers.map(({ generation }) => generation)).toEqual([1, 2, 3]);
  });

  test('leaves the status to a refusal that comes before it', async () => {
    const agent = await serveAgent(async function* () {
      yield reply('{"ct":"error.v1"}', { status: 429 });
    });
    const response = await ask(agent);
    expect(response.statusCode).toBe(429);
    expect(await text(response)).toBe('{"ct":"error.v1"}');
  });

  test.each(['application/json', 'application/x-ndjson'])('is not in %s', async (accept) => {
    const gate = new Gate();
    const agent = await serveAgent(async function* () {
      await gate.opened;
      yield reply('{"n":1}');
    }, OFTEN);
    const silent = ask(agent, accept);
    // So long that it would have had several.
    const beside = await ask(agent);
    await readUntil(beside, HEARTBEAT.repeat(5));
    gate.open();
    expect((await text(await silent)).trim()).toBe('{"n":1}');
    await text(beside);
  });

  test('ends with the client, and so does what was done for it', async () => {
    const gone = new Gate();
    const receive: Receive = async function* ({ signal }) {
      signal.addEventListener('abort', gone.open);
      await gone.opened;
      yield reply('{}');
    };
    const response = await ask(await serveAgent(receive, OFTEN));
    await readUntil(response, HEARTBEAT);
    response.socket.resetAndDestroy();
    await gone.opened;
  });

  test.each([0, 1.5, -1, Infinity])('cannot come every %s ms', (heartbeatIntervalMs) => {
    expect(() => http({ heartbeatIntervalMs })).toThrow(
      '"heartbeatIntervalMs" expected an integer',
    );
  });
});
