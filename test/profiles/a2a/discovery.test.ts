// Proves that the official clients find the agent by its address alone: they read its card, and use it as it says.

import { Message } from '@a2a-js/sdk';
import {
  ClientFactory as FactoryV1,
  ClientFactoryOptions as OptionsV1,
  DefaultAgentCardResolver as ResolverV1,
  JsonRpcTransportFactory as RpcV1,
  RestTransportFactory as RestV1,
} from '@a2a-js/sdk/client';
import {
  ClientFactory as FactoryV03,
  ClientFactoryOptions as OptionsV03,
  JsonRpcTransportFactory as RpcV03,
  RestTransportFactory as RestV03,
} from '@a2a-js/sdk-v0.3/client';
import { describe, expect, test } from 'vitest';

import type { TestAgent } from '../../support/a2a/agent.ts';
import { agentFor } from '../../support/a2a/agent.ts';

const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const;

describe.each(BINDINGS)('over %s', (binding) => {
  test('the client 1.3', async () => {
    const { origin } = await agentFor();
    const factory = new FactoryV1(
      OptionsV1.createFrom(OptionsV1.default, {
        transports: [new RpcV1(), new RestV1()],
        preferredTransports: [binding],
        cardResolver: new ResolverV1(),
      }),
    );
    const client = await factory.createFromUrl(origin);
    const message = Message.fromJSON({
      messageId: 'm',
      role: 'ROLE_USER',
      parts: [{ text: 'ask' }],
    });
    expect(JSON.stringify(await client.sendMessage({ message } as never))).toContain('which?');
  });

  test('the client 0.3.14', async () => {
    const { origin } = await agentFor();
    const factory = new FactoryV03(
      OptionsV03.createFrom(OptionsV03.default, {
        transports: [new RpcV03(), new RestV03()],
        preferredTransports: [binding],
      }),
    );
    const client = await factory.createFromUrl(origin);
    const message = {
      kind: 'message',
      messageId: 'm',
      role: 'user',
      parts: [{ kind: 'text', text: 'ask' }],
    } as const;
    const task = await client.sendMessage({ message } as never);
    expect(JSON.stringify(task)).toContain('which?');
  });
});

describe('the card', () => {
  test('is signed, names its keys, and another version is refused in its form', async () => {
    const { origin } = await agentFor();
    const read = (path: string, headers = {}): Promise<Response> =>
      fetch(`${origin}${path}`, { headers });
    const strict = await read('/.well-known/agent-card.json', { 'a2a-version': '1.0' });
    const card = (await strict.json()) as Record<string, unknown>;
    expect(card['supportedInterfaces']).toEqual([
      { url: `${origin}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: origin, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    ]);
    expect(card['capabilities']).toMatchObject({ streaming: true, pushNotifications: true });
    expect((card['signatures'] as unknown[]).length).toBeGreaterThan(0);
    const keys = (await (await read('/.well-known/jwks.json')).json()) as { keys: unknown[] };
    expect(keys.keys).toHaveLength(1);
    const same = await read('/.well-known/agent.json', { 'a2a-version': '1.0' });
    expect(await same.json()).toEqual(card);
    const other = await read('/.well-known/agent-card.json', { 'a2a-version': '99.0' });
    expect(other.status).toBe(400);
    expect(await other.json()).toMatchObject({
      error: { details: [{ reason: 'VERSION_NOT_SUPPORTED' }] },
    });
    const posted = await fetch(`${origin}/.well-known/agent-card.json`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('that is extended is for who may see it, and each way of not having it is told apart', async () => {
    const ask = async (agent: TestAgent): Promise<unknown[]> => {
      const answer = await fetch(`${agent.origin}/extendedAgentCard`, {
        headers: { 'a2a-version': '1.0' },
      });
      const body = (await answer.json()) as Record<string, unknown>;
      const error = body['error'] as { details: { reason: string }[] } | undefined;
      return [answer.status, error?.details[0]?.reason, body['description']];
    };
    expect(await ask(await agentFor())).toEqual([400, 'UNSUPPORTED_OPERATION', undefined]);
    const none = await agentFor({ face: { extended: () => undefined } });
    expect(await ask(none)).toEqual([400, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED', undefined]);
    const refused = await agentFor({ face: { extended: () => 'forbidden' } });
    expect(await ask(refused)).toEqual([403, 'PERMISSION_DENIED', undefined]);
    const more = await agentFor({ face: { extended: () => ({ description: 'for you alone' }) } });
    expect(await ask(more)).toEqual([200, undefined, 'for you alone']);
  });
});
