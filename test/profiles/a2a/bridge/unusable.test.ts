// Proves that nothing is claimed to be in doubt where nothing was sent, and that what a server on the way says of itself
// is no word of the upstream.

import { describe, expect, test } from 'vitest';

import { bridgeFor, failureOf } from '../../../support/a2a/bridge/bridge.ts';
import { answerRpc, cardOf, scriptedAgent } from '../../../support/a2a/scripted-agent.ts';

const nobodyKnows = (status: number, body: string, type = 'text/html') =>
  scriptedAgent({
    handle: (request, response) => {
      if (request.rpc === 'ListTasks') {
        const none = { tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 };
        answerRpc(response, request, none);
      } else response.writeHead(status, { 'content-type': type }).end(body);
    },
  });

describe('#bridge-doubt', () => {
  test.each(['http://169.254.169.254/rpc', 'http://10.0.0.1/rpc', 'ftp://agent.example/rpc'])(
    'a card that names %s: nothing was sent, and there is no doubt',
    async (url) => {
      const upstream = await scriptedAgent({
        card: (origin) =>
          cardOf(origin, {
            supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
          }),
      });
      const bridge = await bridgeFor({ upstreams: { behind: upstream.origin } });
      const [state, code, words] = failureOf(await bridge.ask('x'));
      expect([state, code]).toEqual(['failed', 'UPSTREAM_REFUSED']);
      expect(words).not.toContain('unknown');
      if (url.startsWith('http')) {
        expect(words).toMatch(/address.*cannot be used.*nothing was sent/);
      }
    },
  );

  test.each([
    [500, '<h1>oops</h1>', 'text/html'],
    [502, '<h1>Bad Gateway</h1>', 'text/html'],
    [504, '{"error":{"code":504,"message":"late"}}', 'application/json'],
    [200, 'what?', 'text/plain'],
  ])('status %s with %s is no word of the upstream', async (status, body, type) => {
    const upstream = await nobodyKnows(status, body, type);
    const bridge = await bridgeFor({ upstreams: { behind: upstream.origin } });
    const [state, code, words] = failureOf(await bridge.ask('x'));
    expect([state, code]).toEqual(['failed', 'OUTCOME_UNKNOWN']);
    expect(words).toContain('outcome: unknown');
  });

  test('status 500 with an error of A2A is one', async () => {
    const error = { jsonrpc: '2.0', id: 1, error: { code: -32_603, message: 'it broke' } };
    const upstream = await nobodyKnows(500, JSON.stringify(error), 'application/json');
    const bridge = await bridgeFor({ upstreams: { behind: upstream.origin } });
    const [state, code, words] = failureOf(await bridge.ask('x'));
    expect([state, code]).toEqual(['rejected', 'UPSTREAM_REFUSED']);
    expect(words).toContain('it broke');
  });
});
