// Proves what a face is told of how a caller proves who it is: headers, each in full, and a certificate that holds.

import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:https';

import { afterEach, expect, test } from 'vitest';

import type { Shown } from '../../../src/transport.ts';
import type { HttpOptions } from '../../../transports/http/index.ts';
import type { Agent } from '../../support/agents/http-agent.ts';
import {
  call,
  contextOf,
  echo,
  listenOn,
  open,
  stopAgents,
  untilClosed,
} from '../../support/agents/http-agent.ts';
import { small } from '../../support/agents/small-face.ts';
import { makeCertificate } from '../../support/wire/certificates.ts';

afterEach(stopAgents);

const FACE = { face: 'small', address: '127.0.0.1' };
const server = makeCertificate('localhost');
const client = makeCertificate('client');

async function listening(options: HttpOptions = {}): Promise<{ agent: Agent; seen: Shown[] }> {
  const seen: Shown[] = [];
  const context = contextOf(echo);
  const agent = await listenOn(context, options);
  const face = small('small', async (http) => {
    seen.push(http.shown);
    await http.answer(200);
  });
  await face.listen(context, [agent.listener]);
  return { agent, seen };
}

test('headers, and nothing where there is nothing #callers', async () => {
  const { agent, seen } = await listening();
  const headers = { Authorization: 'Bearer x', 'X-API-Key': 'key', 'x-other': 'authorization' };
  await call(agent, { path: '/small', headers });
  await call(agent, { path: '/small' });
  expect(seen).toEqual([{ ...FACE, authorization: 'Bearer x', apiKey: 'key' }, FACE]);
});

test('all of a header that came twice, so that it proves nothing #callers', async () => {
  const { agent, seen } = await listening();
  const socket = await open(agent);
  const lines = [
    'GET /small HTTP/1.1',
    `Host: localhost:${agent.port}`,
    'Connection: close',
    'authorization: Bearer a',
    'Authorization: Bearer b',
    'X-API-KEY: 1',
    'x-api-key: 2',
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await untilClosed(socket);
  expect(seen).toEqual([{ ...FACE, authorization: 'Bearer a, Bearer b', apiKey: '1, 2' }]);
});

test.skipIf(server === undefined)('a certificate by its hash #client-certificates', async () => {
  const { cert, key } = server!;
  const { agent, seen } = await listening({ tls: { cert, key, ca: client!.cert } });
  const asked = request({
    host: '127.0.0.1',
    servername: 'localhost',
    port: agent.port,
    path: '/small',
    ca: cert,
    ...client!,
  });
  asked.end();
  await once(asked, 'response');
  const { raw } = new X509Certificate(client!.cert);
  const certificate = createHash('sha256').update(raw).digest('hex');
  expect(seen).toEqual([{ ...FACE, certificate }]);
});
