// Proves that an answer of a guarded fetch can be read while it comes, within the same rules, and that nothing is left
// open by who stops reading.

import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';

import { TransportError } from '../../../src/transport.ts';
import { createGuardedOpen } from '../../../transports/fetch/index.ts';
import { makeCertificate } from '../../support/wire/certificates.ts';
import type { Listening } from '../../support/wire/loopback-servers.ts';
import { listen, serve, serveText, stopServers } from '../../support/wire/loopback-servers.ts';

afterEach(stopServers);

const open = createGuardedOpen({ allowLoopback: true, maxBytes: 8 });
const urlOf = ({ port }: Listening): string => `http://127.0.0.1:${port}/`;
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

async function failure(work: Promise<unknown>): Promise<TransportError> {
  const thrown: unknown = await work.then(
    () => 'an answer',
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(TransportError);
  return thrown as TransportError;
}

describe('#guarded-fetch answers that are read while they come', () => {
  test('the head comes first, each piece when it is sent, however many there are', async () => {
    let response: ServerResponse | undefined;
    const server = await serve((_request, answer) => {
      answer.writeHead(200, {
        'content-type': 'text/event-stream',
        'x-told': 'yes',
        'x-kept': '1',
      });
      answer.write('one');
      response = answer;
    });
    const stream = await open(urlOf(server), { tellsHeaders: ['x-told'] });
    expect(stream.status).toBe(200);
    expect(stream.headers).toEqual({ 'content-type': 'text/event-stream', 'x-told': 'yes' });
    const seen: string[] = [];
    for await (const piece of stream.pieces(5_000)) {
      seen.push(text(piece));
      if (seen.length === 1) response!.write('more than eight bytes');
      else response!.end();
    }
    expect(seen).toEqual(['one', 'more than eight bytes']);
    await Promise.all(server.closes);
  });

  test('who stops reading ends the connection', async () => {
    const server = await serve((_request, response) => {
      response.write('one');
    });
    for await (const piece of (await open(urlOf(server))).pieces(5_000)) {
      expect(text(piece)).toBe('one');
      break;
    }
    await Promise.all(server.closes);
    (await open(urlOf(server))).close();
    await Promise.all(server.closes);
    expect(server.closes).toHaveLength(2);
  });

  test('a server that falls silent meets the time between two pieces, and the head its own', async () => {
    const silent = await serve((_request, response) => {
      response.write('one');
    });
    const stream = await open(urlOf(silent));
    const pieces = stream.pieces(30);
    await pieces.next();
    const idle = await failure(pieces.next());
    expect([idle.fault, idle.message]).toEqual(['timeout', 'nothing more had arrived after 30 ms']);
    const mute = await serveText('');
    expect((await failure(open(urlOf(mute), { timeoutMs: 30 }))).fault).toBe('timeout');
    await Promise.all([...silent.closes, ...mute.closes]);
  });

  test('the caller ends it at any time', async () => {
    const server = await serve((_request, response) => {
      response.write('one');
    });
    const controller = new AbortController();
    const pieces = (await open(urlOf(server), { signal: controller.signal })).pieces(5_000);
    await pieces.next();
    const next = failure(pieces.next());
    controller.abort();
    expect((await next).fault).toBe('aborted');
    await Promise.all(server.closes);
  });

  test('it can be read as a whole, within the limit', async () => {
    const server = await serve((request, response) => {
      response.end(request.url === '/long' ? '123456789' : 'small');
    });
    expect(text(await (await open(urlOf(server))).whole())).toBe('small');
    const long = await open(`${urlOf(server)}long`);
    expect((await failure(long.whole())).message).toBe('the answer is larger than 8 bytes');
    await Promise.all(server.closes);
  });

  test('a connection that breaks, a redirect and an answer that is compressed are refused', async () => {
    const broken = await serveText(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\nnonsense\r\n',
    );
    const pieces = (await open(urlOf(broken))).pieces(5_000);
    expect((await pieces.next()).done).toBe(false);
    expect((await failure(pieces.next())).fault).toBe('lost');
    const moved = await serve((_request, response) => {
      response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
    });
    expect((await failure(open(urlOf(moved)))).fault).toBe('refused');
    const zipped = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
    });
    const unasked = (await open(urlOf(zipped))).pieces(5_000);
    expect((await failure(unasked.next())).fault).toBe('protocol');
  });
});

const certificate = makeCertificate('client.example');
if (certificate === undefined) {
  if (process.env['CI'] === 'true') throw new Error('CI needs openssl for client certificates');
  console.log('openssl is missing: the test of client certificates is skipped');
}

describe.skipIf(certificate === undefined)('#guarded-fetch client certificates', () => {
  test('the certificate is shown to a server that asks for one', async () => {
    const { cert, key } = certificate!;
    const names: string[] = [];
    const server = createServer(
      { cert, key, ca: cert, requestCert: true, rejectUnauthorized: true },
      (request, response) => {
        names.push(String((request.socket as TLSSocket).getPeerCertificate().subject.CN));
        response.end('ok');
      },
    );
    const { port } = await listen(server);
    const typedUrl = `https://127.0.0.1:${port}/`;
    const shown = createGuardedOpen({ ca: cert, clientCertificate: { cert, key } });
    expect(text(await (await shown(typedUrl, { typedUrl })).whole())).toBe('ok');
    expect(names).toEqual(['client.example']);
    await failure(createGuardedOpen({ ca: cert })(typedUrl, { typedUrl }));
    expect(() => createGuardedOpen({ clientCertificate: { cert, key: 'x' } })).toThrow(TypeError);
  });
});
