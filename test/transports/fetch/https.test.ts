// Proves that a schema fetch over https trusts names and certificates, not addresses. The key is made for each run.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { SchemaFetchOptions } from '../../../transports/fetch/index.ts';
import { createSchemaFetch } from '../../../transports/fetch/index.ts';
import type { Listening } from '../../support/wire/loopback-servers.ts';
import {
  SCHEMA,
  listen,
  refusal,
  serveText,
  stopServers,
} from '../../support/wire/loopback-servers.ts';

interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A fresh certificate for `schemas.example` and 127.0.0.1, or `undefined` where openssl is missing. */
function makeCertificate(): Certificate | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'schema-fetch-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const curve = 'ec_paramgen_curve:prime256v1';
    const hosts = 'subjectAltName=DNS:schemas.example,IP:127.0.0.1';
    const command =
      `req -x509 -newkey ec -pkeyopt ${curve} -nodes -days 2 -subj /CN=schemas.example -addext ${hosts}`.split(
        ' ',
      );
    const made = spawnSync('openssl', [...command, '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    });
    if (made.status !== 0) return undefined;
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const certificate = makeCertificate();
if (certificate === undefined) {
  if (process.env['CI'] === 'true') throw new Error('CI needs openssl for the https tests');
  console.log('openssl is missing: the https tests of the schema fetch are skipped');
}

afterEach(async () => {
  vi.unstubAllEnvs();
  await stopServers();
});

/** A fetch for which every name is on the loopback interface, at this server's port. */
function secureFetch(
  { port }: Listening,
  options: SchemaFetchOptions = {},
): ReturnType<typeof createSchemaFetch> {
  return createSchemaFetch({
    allowRanges: ['127.0.0.0/8'],
    ports: [port],
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    ...options,
  });
}

describe.skipIf(certificate === undefined)('#schema-uri fetches over https', () => {
  const ca = certificate?.cert ?? '';
  const names: (string | false | null)[] = [];

  async function serveSecurely(): Promise<Listening> {
    names.length = 0;
    const server = createServer({ ...certificate }, (_request, response) => {
      response.end(SCHEMA);
    });
    server.on('secureConnection', (socket: TLSSocket) => names.push(socket.servername));
    return listen(server);
  }

  test('the certificate is checked against the name, although the connection goes to an address', async () => {
    const server = await serveSecurely();
    const fetchSchema = secureFetch(server, { ca });
    expect(await fetchSchema(`https://schemas.example:${server.port}/`)).toEqual(SCHEMA);
    expect(names).toEqual(['schemas.example']);
    const { message } = await refusal(fetchSchema(`https://other.example:${server.port}/`));
    expect(message).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
    await Promise.all(server.closes);
  });

  test('an address in the URI is checked against the certificate too', async () => {
    const server = await serveSecurely();
    const fetchSchema = secureFetch(server, { ca });
    expect(await fetchSchema(`https://127.0.0.1:${server.port}/`)).toEqual(SCHEMA);
    const { message } = await refusal(fetchSchema(`https://127.0.0.2:${server.port}/`));
    expect(message).toContain('the connection failed');
  });

  test('a certificate that nobody vouches for is refused, even where the environment would not mind', async () => {
    const server = await serveSecurely();
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const fetchSchema = secureFetch(server);
    const { message } = await refusal(fetchSchema(`https://schemas.example:${server.port}/`));
    expect(message).toContain('the connection failed (DEPTH_ZERO_SELF_SIGNED_CERT)');
    await Promise.all(server.closes);
  });

  test('a silent TLS handshake meets the deadline', async () => {
    const server = await serveText('');
    const fetchSchema = secureFetch(server, { timeoutMs: 40 });
    const { message } = await refusal(fetchSchema(`https://schemas.example:${server.port}/`));
    expect(message).toContain('had not arrived after 40 ms');
    await Promise.all(server.closes);
  });

  test('loopback is refused by default without a connection', async () => {
    const server = await serveSecurely();
    const fetchSchema = secureFetch(server, { ca, allowRanges: [] });
    const { message } = await refusal(fetchSchema(`https://schemas.example:${server.port}/`));
    expect(message).toContain('not on the public network');
    expect(server.closes).toHaveLength(0);
  });
});
