// Proves who is let in over gRPC, by what, that nobody sees the tasks of others, and what is on record of refusals.

import { credentials } from '@grpc/grpc-js';
import { X509Certificate, createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';

import { createCallers, hashSecret } from '../../../../profiles/auth/index.ts';
import { listenGrpc } from '../../../../profiles/a2a/grpc/listen.ts';
import { loadGrpc } from '../../../../profiles/a2a/grpc/package.ts';
import { resolveGrpc } from '../../../../profiles/a2a/grpc/options.ts';
import type { Outcome } from '../../../../src/pipeline/receive.ts';
import { grpcAgentFor } from '../../../support/a2a/agent.ts';
import { ask, at } from '../../../support/a2a/ask.ts';
import { framesOf, grpcClient } from '../../../support/a2a/grpc-client.ts';
import { GRPC_WORDS, stateIn, taskIdIn } from '../../../support/a2a/grpc-words.ts';
import { certificates } from '../../../support/swp/secure.ts';

describe.each(GRPC_WORDS)('$version over gRPC #a2a-grpc #a2a-callers', (words) => {
  const { version } = words;

  test('who shows nothing, or something wrong, is refused in the same words', async () => {
    const { grpc } = await grpcAgentFor({ isOpen: false });
    const asks = grpcClient(grpc, version);
    const nothing = await asks.ask('SendMessage', words.send());
    expect([nothing.status, nothing.reason]).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED']);
    for (const method of ['SendMessage', 'GetTask', 'CancelTask']) {
      const wrong = await asks.ask(method, {}, { as: 'of-nobody' });
      expect(wrong.detailBytes).toEqual(nothing.detailBytes);
    }
    const stream = asks.stream('SendStreamingMessage', words.send(), { as: 'of-nobody' });
    expect(await framesOf(stream)).toEqual([]);
    expect((await stream.end).detailBytes).toEqual(nothing.detailBytes);
    const sent = await asks.ask('SendMessage', words.send(), { as: 'user' });
    expect(sent.status).toBe('OK');
    const narrow = await asks.ask('SendMessage', words.send(), { as: 'narrow' });
    expect([narrow.status, narrow.reason]).toEqual(['PERMISSION_DENIED', 'PERMISSION_DENIED']);
  });

  test("another's task looks like none, to the byte", async () => {
    const { grpc } = await grpcAgentFor({ isOpen: false });
    const asks = grpcClient(grpc, version);
    const sent = await asks.ask('SendMessage', words.send({ text: 'ask' }), { as: 'user' });
    const id = taskIdIn(sent.body);
    const other = { as: 'other' };
    const none = 'x'.repeat(id.length);
    for (const method of ['GetTask', 'CancelTask']) {
      const hidden = await asks.ask(method, words.task(id), other);
      const missing = await asks.ask(method, words.task(none), other);
      expect(hidden.status).toBe('NOT_FOUND');
      expect([hidden.words, hidden.detailBytes]).toEqual([missing.words, missing.detailBytes]);
    }
    for (const method of [words.subscribe, 'SendStreamingMessage']) {
      const ends = [id, none].map((named) => {
        const request = method === words.subscribe ? words.task(named) : words.send({ id: named });
        return asks.stream(method, request, other).end;
      });
      const [hidden, missing] = await Promise.all(ends);
      expect(hidden!.detailBytes).toEqual(missing!.detailBytes);
      expect(hidden!.reason).toBe('TASK_NOT_FOUND');
    }
  });
});

const [words, earlier] = GRPC_WORDS;

test('the tenant of the caller may be named, and no other is there #a2a-callers', async () => {
  const { grpc } = await grpcAgentFor({ isOpen: false });
  const asks = grpcClient(grpc);
  const as = 'tenant';
  const sent = await asks.ask('SendMessage', words!.send({ text: 'ask', tenant: 'acme' }), { as });
  const id = taskIdIn(sent.body);
  expect((await asks.ask('GetTask', words!.task(id), { as })).status).toBe('OK');
  for (const [request, method] of [
    [words!.send({ tenant: 'other' }), 'SendMessage'],
    [words!.task(id, { tenant: 'other' }), 'GetTask'],
    [words!.task(id, { tenant: 'other' }), 'CancelTask'],
    [{ tenant: 'other' }, 'ListTasks'],
  ] as const) {
    expect((await asks.ask(method, request, { as })).reason).toBe('TASK_NOT_FOUND');
  }
  const outside = await asks.ask('GetTask', words!.task(id, { tenant: 'acme' }), { as: 'user' });
  expect(outside.reason).toBe('TASK_NOT_FOUND');
});

test('a key proves who asks, and one that came twice proves nothing #a2a-grpc', async () => {
  const key = 'a-key-that-is-long-enough';
  const callers = createCallers({
    entries: [{ name: 'ci', proof: { scheme: 'api-key', secret: { sha256: hashSecret(key) } } }],
    anonymous: [],
  });
  const { grpc } = await grpcAgentFor({ runtime: { callers } });
  const asks = grpcClient(grpc);
  const shown = await asks.ask('SendMessage', words!.send(), { metadata: { 'x-api-key': key } });
  expect(shown.status).toBe('OK');
  const twice = await asks.ask('SendMessage', words!.send(), {
    metadata: { 'x-api-key': `${key}, ${key}` },
  });
  expect(twice.status).toBe('UNAUTHENTICATED');
});

const made = certificates();
if (made === undefined) console.log('there is no openssl: gRPC over TLS is not tried');

describe.skipIf(made === undefined)('over TLS #a2a-grpc', () => {
  const { server, client, stranger } = made!;
  const channel = (own?: { readonly key: string; readonly cert: string }) =>
    credentials.createSsl(
      Buffer.from(server.cert),
      ...(own === undefined ? [] : [Buffer.from(own.key), Buffer.from(own.cert)]),
    );
  const certificate = createHash('sha256')
    .update(new X509Certificate(client.cert).raw)
    .digest('hex');
  const agentWith = (requireClientCert: boolean) => {
    const { key, cert } = server;
    const tls = { key, cert, ca: client.cert, requireClientCert };
    const callers = createCallers({
      entries: [
        { name: 'bob', proof: { scheme: 'certificate', certificate: { sha256: certificate } } },
      ],
      anonymous: [],
    });
    return grpcAgentFor({ face: { grpc: { port: 0, tls } }, runtime: { callers } });
  };

  test('a certificate proves who asks; who shows none, or one that nobody vouches for, is not let in', async () => {
    const { grpc, origin } = await agentWith(false);
    const known = grpcClient(grpc, '1.0', channel(client));
    const sent = await known.ask('SendMessage', words!.send());
    expect(stateIn(at(sent.body, 'task'))).toBe('TASK_STATE_COMPLETED');
    const bare = grpcClient(grpc, '1.0', channel());
    expect((await bare.ask('SendMessage', words!.send())).status).toBe('UNAUTHENTICATED');
    const strange = grpcClient(grpc, '1.0', channel(stranger));
    const refused = await strange.ask('SendMessage', words!.send(), {
      deadline: Date.now() + 3_000,
    });
    expect(['UNAVAILABLE', 'DEADLINE_EXCEEDED']).toContain(refused.status);
    const plain = grpcClient(grpc);
    const unsafe = await plain.ask('SendMessage', words!.send(), { deadline: Date.now() + 3_000 });
    expect(['UNAVAILABLE', 'DEADLINE_EXCEEDED']).toContain(unsafe.status);
    const card = await ask(`${origin}/.well-known/agent-card.json`);
    expect(at(card.body, 'additionalInterfaces')).toContainEqual({
      url: `https://${grpc}`,
      transport: 'GRPC',
    });
  });

  test('where a certificate is needed nobody gets in without', async () => {
    const { grpc } = await agentWith(true);
    const known = grpcClient(grpc, '1.0', channel(client));
    expect((await known.ask('SendMessage', words!.send())).status).toBe('OK');
    const bare = grpcClient(grpc, '1.0', channel());
    const refused = await bare.ask('SendMessage', words!.send(), { deadline: Date.now() + 3_000 });
    expect(['UNAVAILABLE', 'DEADLINE_EXCEEDED']).toContain(refused.status);
  });
});

test('cards: the extended one for who may have it; in 0.3 the public one for all others #a2a-grpc', async () => {
  const { grpc } = await grpcAgentFor({
    isOpen: false,
    face: {
      description: 'for everybody',
      extended: ({ principal }) =>
        principal.id.includes('user') ? { description: 'for you' } : undefined,
    },
  });
  const now = grpcClient(grpc);
  const extended = await now.ask('GetExtendedAgentCard', {}, { as: 'user' });
  expect(at(extended.body, 'description')).toBe('for you');
  expect(at(extended.body, 'supportedInterfaces.2')).toMatchObject({
    url: grpc,
    protocolBinding: 'GRPC',
  });
  const none = await now.ask('GetExtendedAgentCard', {}, { as: 'other' });
  expect([none.status, none.reason]).toEqual([
    'FAILED_PRECONDITION',
    'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
  ]);
  expect((await now.ask('GetExtendedAgentCard')).status).toBe('UNAUTHENTICATED');
  const before = grpcClient(grpc, earlier!.version);
  for (const [as, description] of [
    ['user', 'for you'],
    ['other', 'for everybody'],
    [undefined, 'for everybody'],
  ] as const) {
    const { body } = await before.ask('GetAgentCard', {}, as === undefined ? {} : { as });
    expect(at(body, 'description')).toBe(description);
    expect(at(body, 'protocolVersion')).toBe('0.3.0');
    expect(at(body, 'additionalInterfaces')).toContainEqual({
      url: `http://${grpc}`,
      transport: 'GRPC',
    });
  }
});

test('what is refused is in the outcomes, with who asked #a2a-callers', async () => {
  const outcomes: Outcome[] = [];
  const { grpc } = await grpcAgentFor({
    isOpen: false,
    runtime: {
      limits: { maxBytes: 10_000 },
      on: { outcome: (outcome) => void outcomes.push(outcome) },
    },
  });
  const asks = grpcClient(grpc);
  await asks.ask('GetTask', words!.task('x'));
  await asks.ask('ListTasks', { pageSize: 101 }, { as: 'user' });
  await asks.ask('SendMessage', words!.send({ text: 'x'.repeat(20_000) }), { as: 'user' });
  const codes = outcomes.map(({ error }) => error?.code);
  expect(codes).toEqual(['UNAUTHENTICATED', 'PAYLOAD_INVALID', 'LIMIT_BYTES']);
});

test('who is too fast is told so, retryable #a2a-grpc', async () => {
  const { grpc } = await grpcAgentFor({
    runtime: { admission: { ratePerSecond: 0.001, burst: 3 } },
  });
  const asks = grpcClient(grpc);
  const answers = [];
  for (let call = 0; call < 5; call += 1) answers.push(await asks.ask('GetTask', words!.task('x')));
  const last = answers.at(-1)!;
  expect([last.status, last.reason]).toEqual(['RESOURCE_EXHAUSTED', 'RESOURCE_EXHAUSTED']);
  expect(last.details.at(-1)).toMatchObject({ retryDelay: { seconds: '1' } });
});

test('without the package it says what to install #a2a-grpc', async () => {
  const load = (): Promise<never> => Promise.reject(new Error('cannot find it'));
  await expect(loadGrpc(load)).rejects.toThrow('npm install @grpc/grpc-js');
  const listening = listenGrpc(resolveGrpc({ port: 0 }), {} as never, load);
  await expect(listening).rejects.toThrow('@grpc/grpc-js');
});

test.each([
  [{ port: -1 }, 'grpc.port'],
  [{ port: 70_000 }, 'grpc.port'],
  [{ port: 0, host: '' }, 'grpc.host'],
  [{ port: 0, publicUrl: 'agent.example' }, 'grpc.publicUrl'],
  [{ port: 0, publicUrl: 'https://agent.example/path' }, 'grpc.publicUrl'],
  [{ port: 0, maxConnections: 0 }, 'grpc.maxConnections'],
  [{ port: 0, tls: { cert: 'x', key: 'y' } }, 'tls.cert'],
])('%j is refused by name #a2a-grpc', (options, named) => {
  expect(() => resolveGrpc(options)).toThrow(named);
});

test('the card says where others reach it #a2a-grpc', async () => {
  const urlsOf = async (grpc: { readonly port: number; host?: string; publicUrl?: string }) => {
    const { origin } = await grpcAgentFor({ face: { grpc } });
    const card = await ask(`${origin}/.well-known/agent-card.json`);
    const [, , now] = at(card.body, 'supportedInterfaces') as readonly { url: string }[];
    return [now!.url, at(card.body, 'additionalInterfaces.2.url')];
  };
  expect(await urlsOf({ port: 0, publicUrl: 'https://agent.example:443' })).toEqual([
    'agent.example:443',
    'https://agent.example:443',
  ]);
});
