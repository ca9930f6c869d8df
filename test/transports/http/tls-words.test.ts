// Proves that a failure of TLS says what is wrong and what to do, over HTTP and WebSocket, and for the options.

import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { createServer as createRawServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Dialer } from '../../../src/transport.ts';
import { fetchAgentDocument, http, TlsOptionError } from '../../../transports/http/index.ts';
import type { TlsOptions } from '../../../transports/http/index.ts';
import { ws } from '../../../transports/ws/index.ts';
import { makeCertificate } from '../../support/wire/certificates.ts';
import { LIMITS, echo, serveAgent, stopAgents, utf8 } from '../../support/agents/http-agent.ts';
import { listen, stopServers } from '../../support/wire/loopback-servers.ts';

const own = makeCertificate('agent.example');
const other = makeCertificate('other.example');
if (own === undefined) {
  if (process.env['CI'] === 'true') throw new Error('CI needs openssl for the tests of TLS');
  console.log('openssl is missing: the tests of the words of TLS are skipped');
}

afterEach(async () => {
  await stopAgents();
  await stopServers();
});

/** What an exchange with this address throws. */
async function failureOf(dialer: Dialer, url: string): Promise<unknown> {
  try {
    const connection = await dialer.dial(url, { limits: LIMITS });
    const { signal } = new AbortController();
    const request = { id: '1', spanId: '2', encoding: 'json', wantsStream: false } as const;
    for await (const _ of connection.exchange({ ...request, bytes: utf8('{}'), signal })) break;
    await connection.close();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('nothing failed');
}

describe.skipIf(own === undefined)('#errors-transport a failure of TLS says what to do', () => {
  const { cert = '', key = '' } = own ?? {};
  const serve = async (): Promise<number> => (await serveAgent(echo, { tls: { cert, key } })).port;
  const ways: [string, (tls?: TlsOptions) => Dialer][] = [
    ['http', (tls = {}) => http({ tls })],
    ['ws', (tls = {}) => ws({ tls })],
  ];

  describe.each(ways)('over %s', (scheme, make) => {
    test('a certificate that nobody vouches for', async () => {
      expect(await failureOf(make(), `${scheme}s://127.0.0.1:${await serve()}/a2a`)).toMatchObject({
        code: 'TRANSPORT_REFUSED',
        problem: 'untrusted',
        message: expect.stringMatching(/not trusted.*"tls\.ca".*DEPTH_ZERO_SELF_SIGNED_CERT/),
      });
    });

    test('a certificate for another host', async () => {
      const url = `${scheme}s://localhost:${await serve()}/a2a`;
      expect(await failureOf(make({ ca: cert }), url)).toMatchObject({
        code: 'TRANSPORT_REFUSED',
        problem: 'wrong-name',
        message: expect.stringContaining('is for another host'),
      });
    });

    test('an address without TLS to a server with it', async () => {
      expect(await failureOf(make(), `${scheme}://127.0.0.1:${await serve()}/a2a`)).toMatchObject({
        code: 'TRANSPORT_REFUSED',
        problem: 'speaks-tls',
        message: expect.stringContaining('the other end speaks TLS: try https://'),
      });
    });

    test('an address with TLS to a server without it', async () => {
      const { port } = await listen(createServer());
      expect(await failureOf(make(), `${scheme}s://127.0.0.1:${port}/a2a`)).toMatchObject({
        code: 'TRANSPORT_REFUSED',
        problem: 'speaks-no-tls',
        message: expect.stringContaining('the other end speaks no TLS: try http://'),
      });
    });

    test('a server that cuts connections is not taken for one with TLS', async () => {
      const server = createRawServer((socket) => void socket.once('data', () => socket.destroy()));
      const { port } = await listen(server);
      const failure = await failureOf(make(), `${scheme}://127.0.0.1:${port}/a2a`);
      expect(failure).toMatchObject({ isRetryable: true });
      expect(failure).not.toHaveProperty('problem');
    });
  });

  test('a server that wants our certificate', async () => {
    const agent = await serveAgent(echo, { tls: { cert, key, ca: cert, requireClientCert: true } });
    expect(await failureOf(http({ tls: { ca: cert } }), agent.url)).toMatchObject({
      problem: 'client-certificate',
      message: expect.stringContaining('"tls.cert" and "tls.key"'),
    });
  });

  test('where the document of an agent is looked for', async () => {
    const port = await serve();
    const [secure, plain] = [`https://127.0.0.1:${port}`, `http://127.0.0.1:${port}`];
    await expect(fetchAgentDocument(secure)).rejects.toThrow('not trusted');
    await expect(fetchAgentDocument(plain)).rejects.toThrow('try https://');
  });
});

describe.skipIf(own === undefined)(
  '#client-certificates a wrong file is named by its option',
  () => {
    const { cert = '', key = '' } = own ?? {};
    const damaged = cert.replace(/[A-Za-z0-9+/]{20}/, 'AAAAAAAAAAAAAAAAAAAA');
    const { privateKey } = generateKeyPairSync('ed25519');
    const encrypted = privateKey
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
      .toString();

    test.each<[string, TlsOptions, string, string, string]>([
      ['swapped', { cert: key, key: cert }, 'cert', 'swapped', 'they are swapped'],
      ['no PEM', { cert: 'hello', key }, 'cert', 'no-pem', '"tls.cert" expected PEM text'],
      ['no PEM as key', { cert, key: 'hello' }, 'key', 'no-pem', '"tls.key" expected PEM text'],
      ['damaged', { cert: damaged, key }, 'cert', 'no-certificate', 'cannot be read'],
      [
        'two certificates',
        { cert, key: cert },
        'key',
        'no-key',
        '"tls.key" expected a private key',
      ],
      [
        'two keys',
        { cert: key, key },
        'cert',
        'no-certificate',
        '"tls.cert" expected a certificate',
      ],
      ['locked', { cert, key: encrypted }, 'key', 'encrypted', 'needs no passphrase'],
      ['of another', { cert, key: other?.key ?? '' }, 'key', 'mismatch', 'it is of another'],
    ])('%s', (_name, tls, option, fault, words) => {
      for (const make of [() => http({ tls }), () => ws({ tls })]) {
        expect(make).toThrow(TlsOptionError);
        expect(make).toThrow(expect.objectContaining({ option, fault }));
        expect(make).toThrow(words);
      }
    });

    test('an authority that cannot be read, also behind one that can', async () => {
      const wrong = { option: 'ca', fault: 'no-certificate' };
      const tls = { cert, key, ca: `${cert}\n${damaged}` };
      await expect(serveAgent(echo, { tls })).rejects.toMatchObject(wrong);
      expect(await failureOf(http({ tls: { ca: key } }), 'https://127.0.0.1:1/a2a')).toMatchObject(
        wrong,
      );
      await serveAgent(echo, { tls: { cert, key, ca: `${cert}\n${other?.cert ?? ''}` } });
    });
  },
);
