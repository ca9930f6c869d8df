// Runs all client tests of ACTS with our client: what they give it to read comes from an agent on this machine, and what
// it made of that is judged as the suite says.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { A2aAgent } from '../../../profiles/a2a/client/agent.ts';
import { connectA2a } from '../../../profiles/a2a/client/connect.ts';
import type { A2aTask, HookDelivery, KnownCard } from '../../../profiles/a2a/index.ts';
import { A2aRemoteError, createHookReceiver } from '../../../profiles/a2a/index.ts';
import type { JsonObject } from '../../../src/codec/value.ts';
import type { Message } from '../../../src/door/index.ts';
import type { Json } from '../../support/a2a/ask.ts';
import { message } from '../../support/a2a/client-suite.ts';
import { startConformanceAgent } from '../../support/a2a/conformance-agent.ts';
import type { ScriptedAgent } from '../../support/a2a/scripted-agent.ts';
import { answerJson, cardOf, scriptedAgent } from '../../support/a2a/scripted-agent.ts';
import { hasVectors } from '../../support/repository/vectors.ts';
import type { ActsTest, Reading } from './document.ts';
import { readSuite } from './document.ts';
import { CLIENT_CONTRADICTIONS } from './exceptions.ts';
import { Judge } from './judge.ts';

const START_MS = 120_000;
const all = hasVectors ? readSuite() : [];
const testOf = (id: string): ActsTest => all.find((one) => one.id === id)!;

/** What was read, in the words of 1.0. */
function taskForm({ id, contextId, status, artifacts, history }: A2aTask): JsonObject {
  return {
    id,
    ...(contextId !== undefined && { contextId }),
    status: {
      state: `TASK_STATE_${status.state.replaceAll('-', '_').toUpperCase()}`,
      ...(status.message !== undefined && { message: messageForm(status.message) }),
    },
    artifacts: artifacts.map(({ id: artifactId, parts }) => ({ artifactId, parts: parts.length })),
    history: history.map(messageForm),
  };
}

function messageForm({ id, role, parts }: Message): JsonObject {
  return { messageId: id, role: `ROLE_${role.toUpperCase()}`, parts: parts.map(() => 'a part') };
}

function cardForm({ streaming, pushNotifications, extendedCard, skills }: KnownCard): JsonObject {
  const capabilities = { streaming, pushNotifications, extendedAgentCard: extendedCard };
  return { capabilities, skills: skills.map(({ id }) => id) };
}

/** An agent of JSON-RPC whose answer is the payload, for the request that was made. */
function answering({ payload }: Reading): Promise<ScriptedAgent> {
  return scriptedAgent({
    handle: ({ id }, response) => answerJson(response, { ...payload, id }),
  });
}

async function readBy(agent: A2aAgent, { operation, payload }: Reading): Promise<JsonObject> {
  try {
    if (operation === 'get_task') {
      const { id = 'nonexistent-task-id' } = (payload['result'] ?? {}) as { id?: string };
      return taskForm(await agent.get(id));
    }
    expect(operation).toBe('send_message');
    const sent = await agent.send({ message: message('x') });
    return 'task' in sent ? { task: taskForm(sent.task) } : { message: messageForm(sent.message) };
  } catch (thrown) {
    if (!(thrown instanceof A2aRemoteError)) throw thrown;
    return { error: { code: thrown.rpcCode ?? null, message: thrown.message } };
  }
}

/** The card of the test, with its address at the agent that stands in. */
function cardAt(origin: string, { payload }: Reading): Json {
  const { supportedInterfaces: offered } = payload as {
    supportedInterfaces: readonly { protocolBinding: string; protocolVersion: string }[];
  };
  const moved = offered.map(({ protocolBinding, protocolVersion }) => ({
    url: origin,
    protocolBinding,
    protocolVersion,
  }));
  return { ...(cardOf(origin) as object), ...payload, supportedInterfaces: moved };
}

describe.skipIf(!hasVectors)('ACTS for clients #a2a-client-reading #a2a-client-wires', () => {
  test.each(
    all.filter(({ id }) => id.startsWith('CLIENT-PARSE-')).map((one) => [one.id, one] as const),
  )('%s', async (id, { readings }) => {
    expect(readings.length).toBeGreaterThan(0);
    for (const reading of readings) {
      const { origin } = await answering(reading);
      const judged = readBy(await connectA2a(origin), reading).then((read) =>
        new Judge().match(read, reading.parsed, reading.id),
      );
      const contradiction = CLIENT_CONTRADICTIONS[id];
      if (contradiction === undefined) await judged;
      else await expect(judged, contradiction.reason).rejects.toThrow(contradiction.failure);
    }
  });

  test('CLIENT-AUTH-001', async () => {
    const [first, extended] = testOf('CLIENT-AUTH-001').readings;
    const agent = await scriptedAgent({
      card: (origin) => cardAt(origin, first!),
      handle: ({ path }, response) => {
        if (path === '/extendedAgentCard') answerJson(response, cardAt(agent.origin, extended!));
        else response.writeHead(200, { 'content-type': 'text/event-stream' }).end();
      },
    });
    const connected = await connectA2a(agent.origin);
    new Judge().match(cardForm(connected.card), first!.parsed, first!.id);
    await connected.extendedCard();
    new Judge().match(cardForm(connected.card), extended!.parsed, extended!.id);
    // It is used from then on: the public card has no streams.
    expect((await connected.stream({ message: message('x') }).next()).done).toBe(true);
    expect(agent.requests.map(({ path }) => path)).toEqual([
      '/extendedAgentCard',
      '/message:stream',
    ]);
  });

  test('CLIENT-CAP-001', async () => {
    const [reading] = testOf('CLIENT-CAP-001').readings;
    const agent = await scriptedAgent({ card: (origin) => cardAt(origin, reading!) });
    const connected = await connectA2a(agent.origin);
    new Judge().match(cardForm(connected.card), reading!.parsed, reading!.id);
    const hook = { url: 'https://example.com/hook' };
    await expect(connected.createHook('t', hook)).rejects.toMatchObject({ code: 'CT_UNSUPPORTED' });
    await expect(connected.subscribe('t').next()).rejects.toMatchObject({ code: 'CT_UNSUPPORTED' });
    expect(agent.requests).toEqual([]);
  });

  test('SEC-PUSH-002 #a2a-hook-receiver', { timeout: START_MS }, async () => {
    const [create, set] = testOf('SEC-PUSH-002').steps;
    const { message: asked } = create!.params as { message: { parts: [{ text: string }] } };
    const { pushNotificationConfig: config } = set!.params as {
      pushNotificationConfig: { authentication: { scheme: string; credentials: string } };
    };
    const { scheme, credentials } = config.authentication;
    const told: HookDelivery[] = [];
    const receiver = createHookReceiver({
      authorization: `${scheme} ${credentials}`,
      onEvent: (delivery) => void told.push(delivery),
    });
    const server = createServer(receiver.handler);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://localhost:${(server.address() as AddressInfo).port}/hook`;
    const agent = await startConformanceAgent();
    onTestFinished(async () => {
      server.closeAllConnections();
      server.close();
      await agent.stop();
    });
    const connected = await connectA2a(new URL(agent.jsonrpc).origin);
    const sent = await connected.send({ message: message(asked.parts[0].text), isWaiting: false });
    const id = 'task' in sent ? sent.task.id : '';
    await connected.createHook(id, { url, authentication: { scheme, credentials } });
    await connected.cancel(id);
    const isEnd = ({ event }: HookDelivery): boolean =>
      event.type === 'status' && event.status.state === 'canceled';
    await expect.poll(() => told.some(isEnd), { timeout: 30_000 }).toBe(true);
    expect(told.every(({ taskId }) => taskId === id)).toBe(true);
    const count = told.length;
    const forged = JSON.stringify({
      statusUpdate: { taskId: id, status: { state: 'TASK_STATE_FAILED' } },
    });
    for (const authorization of [undefined, 'Bearer wrong', `Basic ${credentials}`, credentials]) {
      const headers = {
        'content-type': 'application/a2a+json',
        ...(authorization !== undefined && { authorization }),
      };
      const { status } = await fetch(url, { method: 'POST', headers, body: forged });
      expect(status).toBe(401);
    }
    expect(told).toHaveLength(count);
  });
});
