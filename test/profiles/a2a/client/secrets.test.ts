// Proves that a secret goes to the origin that it was given for and nowhere else, whatever a card, a redirect or a token
// says; and that each kind of secret is shown as agents expect it.

import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';

import { afterEach, describe, expect, test } from 'vitest';

import { connectA2a } from '../../../../profiles/a2a/client/connect.ts';
import type { BoundCredential } from '../../../../profiles/a2a/client/credentials/credential.ts';
import type { Json } from '../../../support/a2a/ask.ts';
import { message } from '../../../support/a2a/client-suite.ts';
import type { ScriptedAgent } from '../../../support/a2a/scripted-agent.ts';
import {
  answerJson,
  answerRpc,
  cardOf,
  scriptedAgent,
  taskJson,
} from '../../../support/a2a/scripted-agent.ts';
import { makeCertificate } from '../../../support/wire/certificates.ts';
import { listen, stopServers } from '../../../support/wire/loopback-servers.ts';

afterEach(stopServers);

const SECRET = 'the-secret-of-the-operator';

function working(card?: (origin: string) => Json): Promise<ScriptedAgent> {
  return scriptedAgent({
    ...(card !== undefined && { card }),
    handle: (request, response) =>
      answerRpc(response, request, { task: taskJson('t', 'COMPLETED') }),
  });
}

const send = async (
  origin: string,
  credentials: readonly BoundCredential[],
  typedUrls: readonly string[] = [],
): Promise<void> => {
  const agent = await connectA2a(origin, { credentials, typedUrls });
  await agent.send({ message: message('x') });
};

/** Nothing that came there has it, in a header, an address or a body. */
function expectClean(...agents: readonly ScriptedAgent[]): void {
  for (const { requests, cards } of agents) {
    const seen = JSON.stringify([requests, cards]);
    expect(seen).not.toContain(SECRET);
    expect(seen).not.toContain(Buffer.from(SECRET).toString('base64').slice(0, 20));
    expect(seen).not.toMatch(/authorization/i);
  }
}

describe('#a2a-client-secrets where a secret goes', () => {
  test('to its own origin, with requests, and not with the card', async () => {
    const agent = await working();
    const { origin } = agent;
    await send(origin, [{ origin, scheme: 'bearer', token: SECRET }]);
    expect(agent.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${SECRET}`,
    ]);
    expect(agent.cards.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  test('not to another origin that the card names, be it another port of the same host', async () => {
    const other = await working();
    const agent = await working((origin) =>
      cardOf(origin, {
        supportedInterfaces: [
          { url: `${other.origin}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        ],
      }),
    );
    const { origin } = agent;
    await send(origin, [
      { origin, scheme: 'bearer', token: SECRET },
      { origin, scheme: 'api-key', key: SECRET },
    ]);
    expect(other.requests).toHaveLength(1);
    expectClean(agent, other);
    // The operator may say so.
    await send(origin, [{ origin: other.origin, scheme: 'bearer', token: SECRET }]);
    expect(other.requests[1]!.headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  test('not over another scheme, nor to a host that only looks alike', async () => {
    const agent = await working();
    const { origin } = agent;
    await send(origin, [
      { origin: origin.replace('http:', 'https:'), scheme: 'bearer', token: SECRET },
      { origin: origin.replace('127.0.0.1', 'localhost'), scheme: 'bearer', token: SECRET },
      { origin: 'http://127.0.0.1', scheme: 'bearer', token: SECRET },
    ]);
    expectClean(agent);
  });

  test('not to where a redirect leads', async () => {
    const other = await working();
    const agent = await scriptedAgent({
      handle: (_request, response) =>
        response.writeHead(307, { location: `${other.origin}/rpc` }).end(),
    });
    const { origin } = agent;
    const sent = send(origin, [{ origin, scheme: 'bearer', token: SECRET }]);
    await expect(sent).rejects.toMatchObject({ fault: 'refused' });
    expect(other.requests).toEqual([]);
  });

  test('with the card only where that asks for it', async () => {
    const agent = await scriptedAgent({
      onCard: ({ headers }, response, at) => {
        if (headers.authorization === undefined) response.writeHead(401).end();
        else answerJson(response, cardOf(at));
      },
      handle: (request, response) =>
        answerRpc(response, request, { task: taskJson('t', 'COMPLETED') }),
    });
    const { origin } = agent;
    await expect(connectA2a(origin)).rejects.toThrow('it asks who you are');
    await send(origin, [{ origin, scheme: 'bearer', token: SECRET }]);
    expect(agent.cards.at(-1)!.headers.authorization).toBe(`Bearer ${SECRET}`);
  });

  test.each<[object, string]>([
    [{ origin: 'https://a.example/path', scheme: 'bearer', token: 'x' }, 'origin'],
    [{ origin: 'a.example', scheme: 'bearer', token: 'x' }, 'origin'],
    [{ origin: 'ftp://a.example', scheme: 'bearer', token: 'x' }, 'origin'],
    [{ origin: 'https://a.example', scheme: 'bearer', token: `${SECRET}\r\nx: y` }, 'token'],
    [{ origin: 'https://a.example', scheme: 'api-key', key: SECRET, header: 'Host' }, 'header'],
    [{ origin: 'https://a.example', scheme: 'api-key', key: SECRET, header: 'a b' }, 'header'],
    [{ origin: 'https://a.example', scheme: 'basic', user: 'a:b', password: SECRET }, 'user'],
    [{ origin: 'https://a.example', scheme: 'certificate', cert: 'x', key: SECRET }, 'cert'],
  ])('a credential such as %j is refused without its secret', async (credential, member) => {
    const connecting = connectA2a('http://127.0.0.1:9', { credentials: [credential as never] });
    const error = await connecting.then(
      () => undefined,
      (thrown: unknown) => thrown as Error,
    );
    expect(error).toBeInstanceOf(TypeError);
    expect(error!.message).toContain(member);
    expect(error!.message).not.toContain(SECRET);
  });
});

describe('#a2a-client-secrets how a secret is shown', () => {
  test('an API key in the header that the operator, else the card, names', async () => {
    const plain = await working();
    await send(plain.origin, [{ origin: plain.origin, scheme: 'api-key', key: SECRET }]);
    expect(plain.requests[0]!.headers['x-api-key']).toBe(SECRET);
    const named = await working((origin) =>
      cardOf(origin, {
        securitySchemes: {
          hidden: { apiKeySecurityScheme: { location: 'query', name: 'key' } },
          taken: { apiKeySecurityScheme: { location: 'header', name: 'Host' } },
          key: { apiKeySecurityScheme: { location: 'header', name: 'X-Agent-Key' } },
        },
      }),
    );
    const { origin } = named;
    await send(origin, [{ origin, scheme: 'api-key', key: SECRET }]);
    await send(origin, [{ origin, scheme: 'api-key', key: SECRET, header: 'X-Mine' }]);
    expect(
      named.requests.map(({ headers }) => [headers['x-agent-key'], headers['x-mine']]),
    ).toEqual([
      [SECRET, undefined],
      [undefined, SECRET],
    ]);
  });

  test('a password', async () => {
    const { origin, requests } = await working();
    await send(origin, [{ origin, scheme: 'basic', user: 'bob', password: 'größe' }]);
    const [, pair] = requests[0]!.headers.authorization!.split(' ');
    expect(Buffer.from(pair!, 'base64').toString()).toBe('bob:größe');
  });

  const certificate = makeCertificate('client.example');
  if (certificate === undefined) {
    if (process.env['CI'] === 'true') throw new Error('CI needs openssl for client certificates');
    console.log('openssl is missing: the test of client certificates is skipped');
  }

  test.skipIf(certificate === undefined)('a client certificate', async () => {
    const { cert, key } = certificate!;
    const names: unknown[] = [];
    const server = createServer(
      { cert, key, ca: cert, requestCert: true, rejectUnauthorized: false },
      (request, response) => {
        const shown = (request.socket as TLSSocket).getPeerCertificate();
        names.push(shown.subject?.CN);
        const origin = `https://${request.headers.host}`;
        if (request.method === 'GET') answerJson(response, cardOf(origin));
        else {
          const chunks: Buffer[] = [];
          request.on('data', (chunk: Buffer) => chunks.push(chunk));
          request.on('end', () => {
            const { id } = JSON.parse(Buffer.concat(chunks).toString()) as { id: number };
            const result = { task: taskJson('t', 'COMPLETED') };
            answerJson(response, { jsonrpc: '2.0', id, result });
          });
        }
      },
    );
    const { port } = await listen(server);
    const origin = `https://127.0.0.1:${port}`;
    const credentials = [{ origin, scheme: 'certificate', cert, key }] as const;
    const agent = await connectA2a(origin, { ca: cert, credentials });
    await agent.send({ message: message('x') });
    // Its key stays here, so it is shown for the card, too.
    expect(names).toEqual(['client.example', 'client.example']);
    await connectA2a(origin, { ca: cert });
    expect(names.at(-1)).toBeUndefined();
  });
});

describe('#a2a-client-secrets tokens of OAuth 2.0', () => {
  interface Issuer {
    readonly issuer: ScriptedAgent;
    readonly credential: (origin: string) => BoundCredential;
  }

  async function startIssuer(
    answer: (count: number) => Json = (count) => token(count),
  ): Promise<Issuer> {
    let asked = 0;
    const issuer = await scriptedAgent({
      handle: (_request, response) => answerJson(response, answer((asked += 1))),
    });
    return {
      issuer,
      credential: (origin) => ({
        origin,
        scheme: 'oauth2',
        tokenUrl: `${issuer.origin}/token`,
        clientId: 'me',
        clientSecret: SECRET,
        scope: 'a b',
      }),
    };
  }

  const token = (count: number, seconds = 3_600): Json => ({
    access_token: `token-${count}`,
    token_type: 'Bearer',
    expires_in: seconds,
  });

  test('are fetched once, shown at the origin, and fetched again before they expire', async () => {
    const { issuer, credential } = await startIssuer();
    const { origin, requests } = await working();
    let now = 0;
    const agent = await connectA2a(origin, {
      credentials: [credential(origin)],
      now: () => now,
    });
    await Promise.all([1, 2, 3].map(() => agent.send({ message: message('x') })));
    expect(issuer.requests).toHaveLength(1);
    const [{ method, headers, text } = issuer.requests[0]!] = issuer.requests;
    expect([method, text]).toEqual(['POST', 'grant_type=client_credentials&scope=a+b']);
    expect(Buffer.from(headers.authorization!.slice(6), 'base64').toString()).toBe(`me:${SECRET}`);
    now = 3_600_000 - 30_000;
    await agent.send({ message: message('x') });
    expect(requests.map((request) => request.headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-1',
      'Bearer token-1',
      'Bearer token-2',
    ]);
    expect(JSON.stringify(requests)).not.toContain(SECRET);
  });

  test('are fetched anew once when they are refused', async () => {
    const { issuer, credential } = await startIssuer();
    const agent = await scriptedAgent({
      handle: (request, response) => {
        if (request.headers.authorization !== 'Bearer token-2') response.writeHead(401).end();
        else answerRpc(response, request, { task: taskJson('t', 'COMPLETED') });
      },
    });
    await send(agent.origin, [credential(agent.origin)]);
    expect([issuer.requests.length, agent.requests.length]).toEqual([2, 2]);
    const strict = await scriptedAgent({
      handle: (_request, response) => response.writeHead(401).end(),
    });
    await expect(send(strict.origin, [credential(strict.origin)])).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    expect([issuer.requests.length, strict.requests.length]).toEqual([4, 2]);
  });

  test('are never asked for where a card says', async () => {
    const thief = await working();
    const { issuer, credential } = await startIssuer();
    const agent = await working((origin) =>
      cardOf(origin, {
        securitySchemes: {
          oauth: {
            oauth2SecurityScheme: {
              flows: { clientCredentials: { tokenUrl: `${thief.origin}/token`, scopes: {} } },
            },
          },
        },
        securityRequirements: [{ schemes: { oauth: { list: [] } } }],
      }),
    );
    await send(agent.origin, [credential(agent.origin)]);
    expect([thief.requests.length, issuer.requests.length]).toEqual([0, 1]);
  });

  test.each<[string, Json]>([
    ['no token', {}],
    ['a token of another type', { access_token: 'x', token_type: 'mac' }],
    ['a token with a line break', { access_token: 'x\r\ny' }],
    ['a list', []],
  ])('%s is refused, and the secret is not told', async (_what, answer) => {
    const { credential } = await startIssuer(() => answer);
    const { origin, requests } = await working();
    const error = await send(origin, [credential(origin)]).then(
      () => undefined,
      (thrown: unknown) => thrown as Error,
    );
    expect(error!.message).toContain('the token address answered with no bearer token');
    expect(error!.message).not.toContain(SECRET);
    expect(requests).toEqual([]);
  });
});
