// Proves what a schema fetch takes from a server, how much of it and for how long.

import { EventEmitter, getEventListeners, once } from 'node:events';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createSchemaFetch } from '../../../transports/fetch/index.ts';
import {
  SCHEMA,
  listen,
  localFetch,
  refusal,
  serve,
  serveSchema,
  serveText,
  stopServers,
} from '../../support/wire/loopback-servers.ts';

afterEach(stopServers);

describe('#schema-uri what a server may answer', () => {
  test.each([301, 302, 303, 304, 307, 308])('status %i is not followed', async (status) => {
    const elsewhere = await serveSchema();
    const server = await serve((_request, response) => {
      response.writeHead(status, { Location: `http://127.0.0.1:${elsewhere.port}/` });
      response.end();
    });
    const fetchSchema = localFetch(server, { ports: [server.port, elsewhere.port] });
    const { message } = await refusal(fetchSchema(`http://127.0.0.1:${server.port}/`));
    expect(message).toContain(`the server redirects (status ${status})`);
    await Promise.all(server.closes);
    expect(server.closes).toHaveLength(1);
    expect(elsewhere.closes).toHaveLength(0);
  });

  test.each([201, 204, 206, 400, 404, 500])('status %i is refused', async (status) => {
    const server = await serve((_request, response) => {
      response.writeHead(status);
      response.end(status === 204 ? undefined : SCHEMA);
    });
    const { message } = await refusal(localFetch(server)(`http://127.0.0.1:${server.port}/`));
    expect(message).toContain(`status ${status}`);
    await Promise.all(server.closes);
  });

  test.each([
    ['Content-Encoding', 'gzip'],
    ['Content-Encoding', 'br'],
    ['Content-Encoding', 'identity'],
    ['Transfer-Encoding', 'gzip, chunked'],
  ])('%s: %s is refused', async (name, value) => {
    const server = await serveText(`HTTP/1.1 200 OK\r\n${name}: ${value}\r\n\r\n`);
    const { message } = await refusal(localFetch(server)(`http://127.0.0.1:${server.port}/`));
    expect(message).toContain('compressed');
    await Promise.all(server.closes);
  });

  test('a body that is announced too large is refused before it is sent', async () => {
    const server = await serveText('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n');
    const fetchSchema = localFetch(server, { maxBytes: 8 });
    const { message } = await refusal(fetchSchema(`http://127.0.0.1:${server.port}/`));
    expect(message).toContain('larger than 8 bytes');
    await Promise.all(server.closes);
  });

  test.each([
    ['chunked', 'Transfer-Encoding: chunked\r\n\r\n4\r\n1234\r\n5\r\n56789\r\n'],
    ['of unknown length', '\r\n123456789'],
  ])('an endless body that is %s is cut off at the limit', async (_what, rest) => {
    const server = await serveText(`HTTP/1.1 200 OK\r\n${rest}`);
    const fetchSchema = localFetch(server, { maxBytes: 8 });
    const { message } = await refusal(fetchSchema(`http://127.0.0.1:${server.port}/`));
    expect(message).toContain('larger than 8 bytes');
    await Promise.all(server.closes);
  });

  test('a body that ends early is refused', async () => {
    const server = await listen(
      createServer((socket) => {
        // The request must be read first: unread input would turn the end into a reset.
        socket.once('data', () =>
          socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n12345678'),
        );
      }),
    );
    const { message } = await refusal(localFetch(server)(`http://127.0.0.1:${server.port}/`));
    expect(message).toContain('the connection failed (ECONNRESET)');
  });

  test.each([
    ['no HTTP', 'secret-of-the-server\r\n\r\n'],
    ['a malformed header', 'HTTP/1.1 200 OK\r\nsecret-of-the-server\r\n\r\n'],
    [
      'a malformed chunk',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nsecret-of-the-server\r\n',
    ],
    ['another status', 'HTTP/1.1 500 secret-of-the-server\r\nX: secret-of-the-server\r\n\r\n'],
    ['a redirect', 'HTTP/1.1 302 F\r\nLocation: http://secret-of-the-server/\r\n\r\n'],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nsecret-of-the-server',
    ],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    [
      'another protocol',
      'HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: secret-of-the-server\r\n\r\n',
    ],
    ['a huge header', `HTTP/1.1 200 OK\r\nX: secret-of-the-server${'x'.repeat(20_000)}\r\n\r\n`],
  ])('%s is refused, and nothing of it stands in the error', async (_what, text) => {
    const server = await serveText(text);
    const error = await refusal(localFetch(server)(`http://127.0.0.1:${server.port}/`));
    const shown = inspect(error, { depth: Infinity, showHidden: true });
    expect(shown).not.toContain('secret-of-the-server');
    // The parser's errors carry raw bytes, which are shown in hexadecimal.
    expect(shown).not.toContain('73 65 63 72 65 74');
    await Promise.all(server.closes);
  });

  test('a connection that is refused is a refusal that says so', async () => {
    const server = await serveSchema();
    await server.stop();
    const { message } = await refusal(localFetch(server)(`http://127.0.0.1:${server.port}/`));
    expect(message).toContain('the connection failed (ECONNREFUSED)');
  });
});

describe('#schema-uri how long a fetch may take', () => {
  test.each([
    ['says nothing', ''],
    ['stops inside the headers', 'HTTP/1.1 200 OK\r\nContent-Le'],
    ['stops inside the body', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{'],
    ['only says that it goes on', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])('a server that %s meets the deadline', async (_what, text) => {
    const server = await serveText(text);
    const fetchSchema = localFetch(server, { timeoutMs: 40 });
    const { message } = await refusal(fetchSchema(`http://127.0.0.1:${server.port}/`));
    expect(message).toContain('had not arrived after 40 ms');
    await Promise.all(server.closes);
  });

  test('a server that sends a little all the time meets the deadline', async () => {
    const server = await serve((_request, response) => {
      const timer = setInterval(() => response.write(' '), 1);
      response.on('close', () => clearInterval(timer));
    });
    const fetchSchema = localFetch(server, { timeoutMs: 40 });
    const { message } = await refusal(fetchSchema(`http://127.0.0.1:${server.port}/`));
    expect(message).toContain('had not arrived after 40 ms');
    await Promise.all(server.closes);
  });

  test('a look-up without an answer meets the deadline, and its late answer is ignored', async () => {
    const server = await serveSchema();
    const late = new EventEmitter();
    const fetchSchema = localFetch(server, {
      timeoutMs: 5,
      lookup: async () => {
        await once(late, 'answer');
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });
    const { message } = await refusal(fetchSchema(`http://schemas.example:${server.port}/`));
    expect(message).toContain('had not arrived after 5 ms');
    late.emit('answer');
    await localFetch(server)(`http://127.0.0.1:${server.port}/`);
    expect(server.closes).toHaveLength(1);
  });

  test('the caller can abort while the body arrives', async () => {
    const controller = new AbortController();
    const server = await serve((_request, response) => {
      response.write('{');
      controller.abort(new Error('shutting down'));
    });
    const fetchSchema = localFetch(server);
    const error = await refusal(fetchSchema(`http://127.0.0.1:${server.port}/`, controller.signal));
    expect(error.message).toContain('the caller aborted');
    expect(error.cause).toBe(controller.signal.reason);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    await Promise.all(server.closes);
  });

  test('the caller can abort during the look-up', async () => {
    const controller = new AbortController();
    const lookup = (): Promise<never> => {
      queueMicrotask(() => controller.abort());
      return new Promise(() => {});
    };
    const fetchSchema = createSchemaFetch({ lookup });
    const { message } = await refusal(fetchSchema('https://schemas.example/', controller.signal));
    expect(message).toContain('the caller aborted');
  });

  test('a signal that is aborted already stops the fetch before the look-up', async () => {
    const lookup = vi.fn(async () => []);
    const fetchSchema = createSchemaFetch({ lookup });
    const fetched = fetchSchema('https://schemas.example/', AbortSignal.abort());
    expect((await refusal(fetched)).message).toContain('the caller aborted');
    expect(lookup).not.toHaveBeenCalled();
  });
});
