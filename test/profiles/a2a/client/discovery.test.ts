// Proves where the card of an agent is looked for, what is read of it, which address of it is used, and that nobody is
// led astray by it.

import { describe, expect, test } from 'vitest';

import { connectA2a } from '../../../../profiles/a2a/client/connect.ts';
import type { InterfaceWish } from '../../../../profiles/a2a/client/discovery/choose.ts';
import { chooseInterface } from '../../../../profiles/a2a/client/discovery/choose.ts';
import { readCard } from '../../../../profiles/a2a/client/discovery/known-card.ts';
import { a2a } from '../../../../profiles/a2a/index.ts';
import type { JsonObject } from '../../../../src/index.ts';
import { createClient, createIdentity } from '../../../../src/index.ts';
import { http } from '../../../../transports/http/index.ts';
import { agentFor } from '../../../support/a2a/agent.ts';
import type { Json } from '../../../support/a2a/ask.ts';
import { message } from '../../../support/a2a/client-suite.ts';
import {
  CARD_PATH,
  answerJson,
  answerRpc,
  cardOf,
  scriptedAgent,
  taskJson,
} from '../../../support/a2a/scripted-agent.ts';

describe('#a2a-client-connect where the card is', () => {
  test.each([
    ['the origin', '', [CARD_PATH]],
    ['the origin with a slash', '/', [CARD_PATH]],
    ['the card', CARD_PATH, [CARD_PATH]],
    [
      'a base',
      '/agents/one/',
      [`/agents/one${CARD_PATH}`, '/agents/one/.well-known/agent.json', CARD_PATH],
    ],
  ])('by %s', async (_what, typed, places) => {
    const { origin, cards } = await scriptedAgent();
    const { cardUrl } = await connectA2a(`${origin}${typed}`);
    expect(cards.map(({ path }) => path)).toEqual(places);
    expect(cardUrl).toBe(`${origin}${CARD_PATH}`);
    expect(cards[0]!.headers).toMatchObject({ 'a2a-version': '1.0' });
  });

  test('under its former name, and to who does not know versions', async () => {
    const { origin, cards } = await scriptedAgent({
      onCard: ({ path, headers }, response, at) => {
        if (path !== '/.well-known/agent.json') response.writeHead(404).end();
        else if (headers['a2a-version'] !== undefined) response.writeHead(400).end();
        else answerJson(response, cardOf(at));
      },
    });
    expect((await connectA2a(origin)).card.name).toBe('scripted');
    expect(cards).toHaveLength(3);
  });

  test('an address of another name that ends in .json is the card itself', async () => {
    const asked: string[] = [];
    const agent = await scriptedAgent({
      handle: ({ path }, response) => {
        asked.push(path);
        answerJson(response, cardOf(`http://${response.req.headers.host}`));
      },
    });
    const { cardUrl } = await connectA2a(`${agent.origin}/cards/weather.json?v=2`);
    expect([asked, cardUrl]).toEqual([
      ['/cards/weather.json?v=2'],
      `${agent.origin}/cards/weather.json?v=2`,
    ]);
  });

  test('members that are missing, or of another kind, count as their defaults', async () => {
    const { origin } = await scriptedAgent({
      card: (at) => ({ url: `${at}/rpc`, capabilities: 'many', skills: [{}, 5], name: 7 }),
    });
    const { card, chosen } = await connectA2a(origin);
    expect(card).toMatchObject({ name: '', streaming: false, pushNotifications: false });
    expect(card.skills).toEqual([{ id: '', name: '', description: '' }]);
    expect(chosen).toMatchObject({ binding: 'JSONRPC', version: '0.3' });
  });

  test.each<[string, (response: Parameters<typeof answerJson>[0]) => void, object]>([
    ['no card', (response) => response.writeHead(404).end(), { fault: 'refused' }],
    ['a list', (response) => answerJson(response, []), { fault: 'protocol' }],
    [
      'a web page',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<b>'),
      { fault: 'protocol' },
    ],
    [
      'a redirect',
      (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/card.json' }).end(),
      { fault: 'refused' },
    ],
    ['no address', (response) => answerJson(response, { name: 'x' }), { code: 'CT_UNSUPPORTED' }],
    ['an error', (response) => response.writeHead(500).end(), { fault: 'refused' }],
  ])('%s is refused', async (_what, answer, wanted) => {
    const { origin } = await scriptedAgent({ onCard: (_request, response) => answer(response) });
    await expect(connectA2a(origin)).rejects.toMatchObject(wanted);
  });

  test('an address in a card may be private at the host that was typed, and nowhere else', async () => {
    const other = await scriptedAgent();
    const leading = (url: string): Json => ({
      ...(cardOf('') as object),
      supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    });
    for (const url of [
      other.origin.replace('127.0.0.1', 'localhost'),
      'http://10.0.0.1/rpc',
      'http://[::1]:9/rpc',
      'http://169.254.169.254/latest',
      'https://localhost:9/rpc',
    ]) {
      const { origin } = await scriptedAgent({ card: () => leading(url) });
      const agent = await connectA2a(origin);
      await expect(agent.send({ message: message('x') })).rejects.toMatchObject({
        fault: 'forbidden',
      });
    }
    expect(other.requests).toEqual([]);
    // The operator has typed this one too.
    const { origin } = await scriptedAgent({
      card: () => leading(other.origin.replace('127.0.0.1', 'localhost')),
    });
    const agent = await connectA2a(origin, { typedUrls: ['http://localhost/'] });
    await expect(agent.send({ message: message('x') })).rejects.toMatchObject({ status: 404 });
    expect(other.requests).toHaveLength(1);
  });
});

describe('#a2a-client-connect by a client', () => {
  test('a card and a name are official A2A; an address is, where no peer is known', async () => {
    const identity = await createIdentity();
    const agent = await agentFor({ runtime: { identity } });
    const me = await createIdentity();
    const peers = [{ bundle: identity.bundle, endpoints: [`${agent.origin}/a2a`] }];
    const client = createClient({
      identity: me,
      peers,
      transports: [http(), a2a({ client: { agents: { weather: agent.origin } } })],
    });
    const dialects = ['', '/a2a', CARD_PATH].map(
      (path) => client.connect(`${agent.origin}${path}`).dialect,
    );
    expect(dialects).toEqual(['sdl', 'sdl', 'a2a']);
    expect(client.connect('weather').dialect).toBe('a2a');
    expect((await client.connect('weather').task('hello').result()).status).toBe('completed');
    await client.close();
    const stranger = createClient({ transports: [a2a()] });
    const peer = stranger.connect(agent.origin);
    expect([peer.dialect, peer.agentId]).toEqual(['a2a', agent.origin]);
    expect((await peer.task('hello').result()).artifacts[0]!.text).toBe('done hello');
    expect(() => stranger.connect('nobody')).toThrow('no peer "nobody" is known');
    await stranger.close();
    await expect(peer.task('hello').result()).rejects.toThrow();
  });

  test('an agent that was not there is looked for again', async () => {
    let isThere = false;
    const { origin } = await scriptedAgent({
      onCard: (_request, response, at) => {
        if (isThere) answerJson(response, cardOf(at, { capabilities: {} }));
        else response.writeHead(404).end();
      },
      handle: (request, response) =>
        answerRpc(response, request, { task: taskJson('t', 'COMPLETED') }),
    });
    const client = createClient({ transports: [a2a()] });
    const peer = client.connect(origin);
    await expect(peer.task('x').result()).rejects.toThrow('there is no agent card');
    isThere = true;
    expect((await peer.task('x').result()).status).toBe('completed');
    await client.close();
  });
});

describe('#a2a-client-choice', () => {
  const RPC = { url: 'https://a.example/rpc', protocolBinding: 'JSONRPC' };
  const REST = { url: 'https://a.example', protocolBinding: 'HTTP+JSON' };
  const V1 = { protocolVersion: '1.0' };
  const V03 = { protocolVersion: '0.3' };

  const chosen = (card: JsonObject, wish: InterfaceWish = {}): string => {
    const { binding, version, shape } = chooseInterface(readCard(card), wish);
    return `${binding} ${version} ${shape.name}`;
  };

  test.each<[string, JsonObject, string]>([
    [
      'the first',
      {
        supportedInterfaces: [
          { ...RPC, ...V1 },
          { ...REST, ...V1 },
        ],
      },
      'JSONRPC 1.0 v1',
    ],
    [
      'in their order',
      {
        supportedInterfaces: [
          { ...REST, ...V03 },
          { ...RPC, ...V1 },
        ],
      },
      'HTTP+JSON 0.3 v03-rest',
    ],
    [
      'none of another binding or version',
      {
        supportedInterfaces: [
          { url: 'a.example:443', protocolBinding: 'CARRIER-PIGEON', ...V1 },
          { ...RPC, protocolVersion: '2.0' },
          { ...RPC, url: 'not an address', ...V1 },
          { ...RPC, protocolVersion: '0.3.7' },
        ],
      },
      'JSONRPC 0.3 v03-jsonrpc',
    ],
    [
      'of a patch',
      { supportedInterfaces: [{ ...RPC, protocolVersion: '1.0.1' }] },
      'JSONRPC 1.0 v1',
    ],
    [
      'by another name',
      { supportedInterfaces: [{ ...REST, protocolBinding: 'REST', ...V1 }] },
      'HTTP+JSON 1.0 v1',
    ],
    ['of the draft, without a version', { supportedInterfaces: [REST] }, 'HTTP+JSON draft draft'],
    [
      'of the draft, with versions of the card',
      { protocolVersions: ['0.3'], supportedInterfaces: [{ ...RPC, ...V1 }] },
      'JSONRPC draft draft',
    ],
    [
      'of 0.3',
      { url: 'https://a.example', preferredTransport: 'HTTP+JSON', protocolVersion: '0.3.0' },
      'HTTP+JSON 0.3 v03-rest',
    ],
    ['of 0.3, which is JSON-RPC', { url: 'https://a.example' }, 'JSONRPC 0.3 v03-jsonrpc'],
    [
      'of 0.3, beside the main one',
      {
        url: 'https://a.example',
        preferredTransport: 'GRAPHQL',
        additionalInterfaces: [{ url: 'https://b.example', transport: 'JSONRPC' }],
      },
      'JSONRPC 0.3 v03-jsonrpc',
    ],
  ])('%s', (_what, card, wanted) => {
    expect(chosen(card)).toBe(wanted);
  });

  test('the reason is told, also of those that were passed over', () => {
    const card = readCard({
      supportedInterfaces: [
        { url: 'a.example:443', protocolBinding: 'SMOKE\n\u001b[31m', ...V1 },
        { ...RPC, ...V1 },
      ],
    });
    expect(chooseInterface(card).reason).toBe(
      'the first that is usable; not SMOKE??[31m 1.0: this binding is not spoken here',
    );
    expect(() => chooseInterface(card, { version: '0.3' })).toThrow('JSONRPC 1.0: 0.3 is wanted');
    expect(
      chosen(
        {
          supportedInterfaces: [
            { ...RPC, ...V1 },
            { ...REST, ...V1 },
          ],
        },
        { binding: 'HTTP+JSON' },
      ),
    ).toBe('HTTP+JSON 1.0 v1');
  });
});

describe('#a2a-client-wires what goes out', () => {
  test.each<[string, Json, (origin: string) => Json, string[]]>([
    [
      '1.0 with a tenant over REST',
      {},
      (at) => [
        {
          url: `${at}/base/`,
          protocolBinding: 'HTTP+JSON',
          protocolVersion: '1.0',
          tenant: 'acme',
        },
      ],
      ['POST /base/acme/message:send', '1.0', 'application/json'],
    ],
    [
      '0.3 over REST',
      {},
      (at) => [{ url: at, protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' }],
      ['POST /v1/message:send', '0.3', 'application/json'],
    ],
    [
      'the draft over REST',
      {},
      (at) => [{ url: at, protocolBinding: 'HTTP+JSON' }],
      ['POST /message:send', '0.3', 'application/a2a+json'],
    ],
  ])('%s', async (_what, _more, interfaces, wanted) => {
    const { origin, requests } = await scriptedAgent({
      card: (at) => cardOf(at, { supportedInterfaces: interfaces(at) }),
    });
    const agent = await connectA2a(origin, { extensions: ['urn:a', 'urn:b'] });
    await agent.send({ message: message('x') }).catch(() => undefined);
    const [{ method, path, headers } = requests[0]!] = requests;
    expect([`${method} ${path}`, headers['a2a-version'], headers['content-type']]).toEqual(wanted);
    expect(headers['a2a-extensions']).toBe('urn:a, urn:b');
  });

  test('the tenant of an interface goes along in JSON-RPC, and ids are escaped in paths', async () => {
    const rpc = await scriptedAgent({
      card: (at) =>
        cardOf(at, {
          supportedInterfaces: [
            {
              url: `${at}/rpc`,
              protocolBinding: 'JSONRPC',
              protocolVersion: '1.0',
              tenant: 'acme',
            },
          ],
        }),
    });
    await (await connectA2a(rpc.origin)).get('a/b').catch(() => undefined);
    expect(rpc.requests[0]!.body).toMatchObject({ params: { tenant: 'acme', id: 'a/b' } });
    const rest = await scriptedAgent({
      card: (at) =>
        cardOf(at, {
          supportedInterfaces: [{ url: at, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }],
        }),
    });
    await (
      await connectA2a(rest.origin)
    )
      .get('../a?b', { historyLength: 2 })
      .catch(() => undefined);
    expect(rest.requests[0]!.path).toBe('/tasks/..%2Fa%3Fb?historyLength=2');
  });

  test('what the card does not declare is not asked for', async () => {
    const { origin, requests } = await scriptedAgent({
      card: (at) => cardOf(at, { capabilities: { streaming: false, pushNotifications: false } }),
    });
    const agent = await connectA2a(origin);
    const refused = { code: 'CT_UNSUPPORTED' };
    await expect(agent.createHook('t', { url: 'https://h.example' })).rejects.toMatchObject(
      refused,
    );
    await expect(agent.listHooks('t')).rejects.toMatchObject(refused);
    await expect(agent.extendedCard()).rejects.toMatchObject(refused);
    await expect(agent.subscribe('t').next()).rejects.toMatchObject(refused);
    expect(requests).toEqual([]);
  });
});
