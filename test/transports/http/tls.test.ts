// Proves whom the HTTP transport trusts over TLS, in both directions.

import { createHash, X509Certificate } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Incoming, Inbound, Outbound } from '../../../src/transport.ts';
import { TransportError } from '../../../src/transport.ts';
import { fetchAgentDocument, http } from '../../../transports/http/index.ts';
import type { TlsOptions } from '../../../transports/net/tls-options.ts';
import { makeCertificate } from '../../support/wire/certificates.ts';
import type { Agent } from '../../support/agents/http-agent.ts';
import {
  LIMITS,
  echo,
  serveAgent,
  stopAgents,
  textOf,
  untilClosed,
  utf8,
} from '../../support/agents/http-agent.ts';

const server = makeCertificate('agent.example');
const client = makeCertificate('client.example');
const stranger = makeCertificate('stranger.example');
if (server === undefined) {
  if (process.env['CI'] === 'true') throw new Error('CI needs openssl for the https tests');
  console.log('openssl is missing: the https tests of the HTTP transport are skipped');
}

afterEach(async () => {
  vi.unstubAllEnvs();
  await stopAgents();
});

const outbound: Outbound = {
  bytes: utf8('{}'),
  encoding: 'json',
  id: '1',
  spanId: '2',
  wantsStream: false,
  signal: new AbortController().signal,
};

async function ask(url: string, tls: TlsOptions): Promise<string> {
  const connection = await http({ tls }).dial(url, { limits: LIMITS });
  try {
    const answers: Incoming[] = [];
    for await (const answer of connection.exchange(outbound)) answers.push(answer);
    return answers.map(({ bytes }) => textOf(bytes)).join();
  } finally {
    await connection.close();
  }
}

async function faultOf(asked: Promise<unknown>): Promise<string> {
  const thrown: unknown = await asked.catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(TransportError);
  return (thrown as TransportError).fault;
}

describe.skipIf(server === undefined)('#client-certificates over HTTP', () => {
  const { cert = '', key = '' } = server ?? {};
  const known = { ca: cert, cert: client?.cert ?? '', key: client?.key ?? '' };
  const unknown = { ca: cert, cert: stranger?.cert ?? '', key: stranger?.key ?? '' };
  const seen: Inbound[] = [];

  function serve(tls: TlsOptions): Promise<Agent> {
    seen.length = 0;
    return serveAgent(
      async function* (inbound) {
        seen.push(inbound);
        yield* echo(inbound);
      },
      { tls: { cert, key, ...tls } },
    );
  }

  test('a certificate that is vouched for is told by its hash', async () => {
    const agent = await serve({ ca: known.cert });
    expect(agent.url).toBe(`https://127.0.0.1:${agent.port}/a2a`);
    expect(await ask(agent.url, known)).toBe('{}');
    const der = new X509Certificate(known.cert).raw;
    const certificate = createHash('sha256').update(der).digest('hex');
    expect(seen[0]!.peer).toEqual({ transport: 'http', address: '127.0.0.1', certificate });
    // Again, so that a session could be resumed.
    expect(await ask(agent.url, known)).toBe('{}');
    expect(seen[1]!.peer.certificate).toBe(certificate);
  });

  test('one that nobody vouches for is refused, although none at all would do', async () => {
    const agent = await serve({ ca: known.cert });
    expect(['refused', 'lost']).toContain(await faultOf(ask(agent.url, unknown)));
    expect(seen).toEqual([]);
    expect(await ask(agent.url, { ca: cert })).toBe('{}');
    expect(seen[0]!.peer).not.toHaveProperty('certificate');
  });

  test('none at all is refused where one is required', async () => {
    const agent = await serve({ ca: known.cert, requireClientCert: true });
    expect(['refused', 'lost']).toContain(await faultOf(ask(agent.url, { ca: cert })));
    expect(['refused', 'lost']).toContain(await faultOf(ask(agent.url, unknown)));
    expect(seen).toEqual([]);
    expect(await ask(agent.url, known)).toBe('{}');
  });

  test('none is asked for without an authority', async () => {
    const agent = await serve({});
    expect(await ask(agent.url, known)).toBe('{}');
    expect(seen[0]!.peer).not.toHaveProperty('certificate');
  });

  test('that of the server is checked, even where the environment would not mind', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const agent = await serve({});
    expect(await faultOf(ask(agent.url, {}))).toBe('refused');
    expect(await faultOf(ask(agent.url, { ca: known.cert }))).toBe('refused');
    expect(await faultOf(ask(agent.url.replace('127.0.0.1', 'localhost'), { ca: cert }))).toBe(
      'refused',
    );
    expect(seen).toEqual([]);
  });

  test('a server without TLS is no server for https', async () => {
    const agent = await serveAgent(echo);
    const url = agent.url.replace('http:', 'https:');
    expect(await faultOf(ask(url, { ca: cert }))).toBe('refused');
  });

  test('the document of an agent is fetched over TLS too', async () => {
    const agent = await serve({});
    const document = await fetchAgentDocument(agent.url, { tls: { ca: cert } });
    expect(textOf(document)).toContain('did:key');
    expect(await faultOf(fetchAgentDocument(agent.url))).toBe('refused');
  });
});

describe.skipIf(server === undefined)('#transport-timeouts over TLS', () => {
  test('a silent handshake ends, while others are served', async () => {
    const { cert, key } = server!;
    const options = { tls: { cert, key }, headersTimeoutMs: 300, requestTimeoutMs: 300 };
    const agent = await serveAgent(echo, options);
    const mute = connect(agent.port, '127.0.0.1');
    mute.on('error', () => {});
    const ended = untilClosed(mute);
    expect(await ask(agent.url, { ca: cert })).toBe('{}');
    expect(await ended).toBe('');
  });

  test('closing ends idle connections and handshakes at once', async () => {
    const { cert, key } = server!;
    const agent = await serveAgent(echo, { tls: { cert, key }, maxConnectionsPerAddress: 2 });
    const connection = await http({ tls: { ca: cert } }).dial(agent.url, { limits: LIMITS });
    for await (const { bytes } of connection.exchange(outbound)) expect(textOf(bytes)).toBe('{}');
    const mute = connect(agent.port, '127.0.0.1');
    mute.on('error', () => {});
    const extra = connect(agent.port, '127.0.0.1');
    extra.on('error', () => {});
    expect(await untilClosed(extra)).toBe('');
    const ended = untilClosed(mute);
    await agent.listener.close(60_000);
    await ended;
    await connection.close();
  });
});

describe('#client-certificates options', () => {
  const pem = '-----BEGIN CERTIFICATE-----';

  test.each([
    [{ cert: 'x' }, '"tls.cert" expected PEM text'],
    [{ cert: pem }, '"tls.cert" and "tls.key" expected together'],
    [{ requireClientCert: true }, '"tls.ca" expected'],
  ])('%j make no sense', (tls, message) => {
    expect(() => http({ tls })).toThrow(message);
  });

  test('without a certificate cannot listen', async () => {
    await expect(serveAgent(echo, { tls: { ca: pem } })).rejects.toThrow('must show a certificate');
  });
});
