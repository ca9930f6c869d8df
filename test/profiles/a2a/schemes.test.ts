// Proves that every scheme which the operator set up is asked for over every wire and binding, told by the challenge and
// declared in the card, and no other.

import { once } from 'node:events';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';

import { describe, expect, onTestFinished, test } from 'vitest';

import { a2a } from '../../../profiles/a2a/index.ts';
import type { CallerEntry, CallerProof } from '../../../profiles/auth/index.ts';
import {
  certificateHash,
  createCallers,
  hashPassword,
  hashSecret,
} from '../../../profiles/auth/index.ts';
import { createRuntime } from '../../../src/runtime/runtime.ts';
import { createIdentity } from '../../../src/security/identity/identity.ts';
import { http } from '../../../transports/http/index.ts';
import type { TestAgent } from '../../support/a2a/agent.ts';
import { agentFor, onTask } from '../../support/a2a/agent.ts';
import type { Json } from '../../support/a2a/ask.ts';
import { ask, at } from '../../support/a2a/ask.ts';
import { CELLS } from '../../support/a2a/cells.ts';
import { makeCertificate } from '../../support/wire/certificates.ts';

const SECRET = 'a-secret-that-is-long-enough';
const PASSWORD = 'open sesame';
const CARD = '/.well-known/agent-card.json';

interface Way {
  readonly proof: CallerProof;
  readonly shown: Readonly<Record<string, string>>;
  readonly challenge: string;
  readonly declared: Readonly<Record<string, Json>>;
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
const secret = { sha256: hashSecret(SECRET) };

const WAYS: Readonly<Record<string, Way>> = {
  bearer: {
    proof: { scheme: 'bearer', secret },
    shown: { authorization: `Bearer ${SECRET}` },
    challenge: 'Bearer realm="a2a"',
    declared: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
  },
  'api-key': {
    proof: { scheme: 'api-key', secret },
    shown: { 'x-api-key': SECRET },
    challenge: 'ApiKey realm="a2a", header="X-API-Key"',
    declared: { apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } } },
  },
  basic: {
    proof: { scheme: 'basic', user: 'ann', password: { hash: await hashPassword(PASSWORD) } },
    shown: { authorization: basic('ann', PASSWORD) },
    challenge: 'Basic realm="a2a", charset="UTF-8"',
    declared: { basic: { httpAuthSecurityScheme: { scheme: 'Basic' } } },
  },
};

/** The right secret, shown in the way of another scheme, or nearly right. */
const WRONG: readonly Readonly<Record<string, string>>[] = [
  {},
  { authorization: SECRET },
  { authorization: `Digest ${SECRET}` },
  { authorization: `Bearer ${SECRET}x` },
  { authorization: `Bearer ${SECRET.slice(0, -1)}` },
  { authorization: `Bearer  ` },
  { authorization: basic('ann', `${PASSWORD} `) },
  { authorization: basic('Ann', PASSWORD) },
  { authorization: 'Basic %%%' },
  { 'x-api-key': `${SECRET}, ${SECRET}` },
  { 'x-api-key': '' },
];

async function agentWith(entries: readonly CallerEntry[], isOpen = false): Promise<TestAgent> {
  const anonymous = isOpen ? ['a2a'] : [];
  const attempts = { maxFailures: 10_000 };
  return agentFor({ runtime: { callers: createCallers({ entries, anonymous, attempts }) } });
}

async function cardOf({ origin }: TestAgent): Promise<Json> {
  return (await ask(`${origin}${CARD}`, { headers: { 'a2a-version': '1.0' } })).body;
}

describe.each(Object.entries(WAYS))('%s #callers #a2a-callers', (name, way) => {
  test('is taken over every wire and binding, and nothing else is', async () => {
    const agent = await agentWith([{ name: 'one', proof: way.proof }]);
    for (const cell of CELLS) {
      const sent = await cell.ask(agent, 'send', { headers: way.shown });
      expect(at(cell.taskOf(sent), 'status.state')).toBe(cell.stateOf('completed'));
      const others = Object.values(WAYS).filter((other) => other !== way);
      for (const headers of [...WRONG, ...others.map(({ shown }) => shown)]) {
        const refused = await cell.ask(agent, 'send', { headers });
        expect([headers, refused.status, cell.reasonOf(refused)]).toEqual([
          headers,
          401,
          'UNAUTHENTICATED',
        ]);
        expect(refused.headers.get('www-authenticate')).toBe(way.challenge);
      }
    }
    // Whoever is refused for what it may do, and showed no token, is not told to get another one.
    const narrow = await agentWith([{ name: 'one', proof: way.proof, contentTypes: [] }]);
    for (const cell of CELLS) {
      const refused = await cell.ask(narrow, 'send', { headers: way.shown });
      expect(refused.status).toBe(403);
      expect(refused.headers.get('www-authenticate')?.includes('insufficient_scope') ?? false).toBe(
        name === 'bearer',
      );
    }
  });

  test('stands in the card, as what is asked for #a2a-card-security', async () => {
    const card = await cardOf(await agentWith([{ name: 'one', proof: way.proof }]));
    expect(at(card, 'securitySchemes')).toEqual(way.declared);
    const [scheme] = Object.keys(way.declared);
    expect(at(card, 'securityRequirements')).toEqual([
      { schemes: { [scheme!]: { list: ['caller'] } } },
    ]);
    expect(JSON.stringify(card)).not.toMatch(/"one"|ann|scrypt|sha256/);
  });
});

test('what changes among the callers is in the next card and the next challenge #a2a-card-security #callers-live', async () => {
  let entries: readonly CallerEntry[] = [];
  const callers = createCallers({ entries: () => entries });
  const agent = await agentFor({ runtime: { callers } });
  const [cell] = CELLS;
  const told = async (): Promise<readonly [string[], string | null]> => {
    const schemes = at(await cardOf(agent), 'securitySchemes') ?? {};
    const { headers } = await cell!.ask(agent, 'send');
    return [Object.keys(schemes), headers.get('www-authenticate')];
  };
  expect(await told()).toEqual([[], 'Bearer realm="a2a"']);
  entries = Object.entries(WAYS).map(([name, { proof }]) => ({ name, proof }));
  expect(await told()).toEqual([
    ['bearer', 'apiKey', 'basic'],
    'Bearer realm="a2a", Basic realm="a2a", charset="UTF-8", ApiKey realm="a2a", header="X-API-Key"',
  ]);
  const [bearer, apiKey, password] = entries;
  entries = [{ ...bearer!, revoked: true }, { ...apiKey!, expiresAt: 1 }, password!];
  expect(await told()).toEqual([['basic'], 'Basic realm="a2a", charset="UTF-8"']);
});

test('where everybody is let in nothing is asked for, and what is shown still counts #a2a-card-security', async () => {
  const { proof, shown } = WAYS['bearer']!;
  const agent = await agentWith([{ name: 'one', proof }], true);
  const card = await cardOf(agent);
  expect(at(card, 'securitySchemes.bearer')).toBeDefined();
  expect(at(card, 'securityRequirements')).toBeUndefined();
  const [cell] = CELLS;
  const total = async (headers: Readonly<Record<string, string>>): Promise<Json | undefined> =>
    at(cell!.resultOf(await cell!.ask(agent, 'list', { headers })), 'totalSize');
  await cell!.ask(agent, 'send', { headers: shown });
  expect([await total(shown), await total({})]).toEqual([1, 0]);
  const wrong = { authorization: 'Bearer what-is-wrong-is-no-stranger' };
  expect((await cell!.ask(agent, 'list', { headers: wrong })).status).toBe(401);
});

const server = makeCertificate('localhost');
const client = makeCertificate('client');
const stranger = makeCertificate('stranger');

describe.skipIf(server === undefined)('a certificate #client-certificates #a2a-callers', () => {
  const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  const V03 = { ...MESSAGE, role: 'user', kind: 'message', parts: [{ kind: 'text', text: 'hi' }] };
  const ASKED: readonly (readonly [string, string, Json])[] = [
    ['1.0', '/message:send', { message: MESSAGE }],
    ['1.0', '/rpc', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: MESSAGE } }],
    ['', '/rpc', { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message: V03 } }],
    ['0.3', '/message:send', { message: { ...MESSAGE, role: 'user' } }],
  ];

  async function open(): Promise<{ readonly port: number }> {
    const { cert, key } = server!;
    const certificate = { sha256: certificateHash(client!.cert) };
    const entries = [{ name: 'machine', proof: { scheme: 'certificate', certificate } as const }];
    const runtime = createRuntime({
      identity: await createIdentity(),
      callers: createCallers({ entries }),
      onTask,
    });
    onTestFinished(() => runtime.close({ graceMs: 0 }));
    const ca = `${client!.cert}\n${stranger!.cert}`;
    const [host] = await runtime.listen(http({ port: 0, tls: { cert, key, ca } }), a2a());
    return { port: Number(new URL(host!.urls[0]!).port) };
  }

  async function post(
    port: number,
    [version, path, body]: (typeof ASKED)[number],
    shown: object,
  ): Promise<{ readonly status: number; readonly challenge: string; readonly body: string }> {
    const asked = request({
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      path,
      method: body === null ? 'GET' : 'POST',
      ca: server!.cert,
      agent: false,
      headers: { 'content-type': 'application/json', 'a2a-version': version },
      ...shown,
    });
    asked.end(body === null ? undefined : JSON.stringify(body));
    const [response] = await once(asked, 'response');
    const challenge = String(response.headers['www-authenticate'] ?? '');
    return { status: response.statusCode, challenge, body: await text(response) };
  }

  test('is taken over both bindings, and who shows none or another is refused', async () => {
    const { port } = await open();
    for (const asked of ASKED) {
      const right = await post(port, asked, client!);
      expect([right.status, right.body]).toEqual([
        200,
        expect.stringMatching(/completed|working/i),
      ]);
      for (const shown of [{}, stranger!]) {
        const refused = await post(port, asked, shown);
        expect([refused.status, refused.challenge]).toEqual([401, 'Bearer realm="a2a"']);
      }
    }
    const card = JSON.parse((await post(port, ['1.0', CARD, null], {})).body) as Json;
    expect(at(card, 'securitySchemes.mtls.mtlsSecurityScheme')).toBeDefined();
    expect(at(card, 'securityRequirements.0.schemes.mtls')).toBeDefined();
  });
});
