// Proves that a schema fetch reaches nothing but the vetted host and leaves nothing behind.

import { getEventListeners } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { getDefaultAutoSelectFamily, setDefaultAutoSelectFamily } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { SchemaFetchOptions } from '../../../transports/fetch/index.ts';
import { createSchemaFetch } from '../../../transports/fetch/index.ts';
import {
  SCHEMA,
  localFetch,
  refusal,
  serve,
  serveSchema,
  stopServers,
} from '../../support/wire/loopback-servers.ts';

const hasIpv6Loopback = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

afterEach(async () => {
  vi.useRealTimers();
  await stopServers();
});

describe('#schema-uri a fetch that is allowed', () => {
  test('yields exactly the bytes of the body', async () => {
    const server = await serveSchema();
    const bytes = await localFetch(server)(`http://127.0.0.1:${server.port}/a/b.json?c=d%20e`);
    expect(bytes).toEqual(SCHEMA);
    expect(Object.getPrototypeOf(bytes)).toBe(Uint8Array.prototype);
  });

  test('asks for the plain document and says nothing about itself', async () => {
    let seen: { method?: string; url?: string; headers?: IncomingHttpHeaders } = {};
    const server = await serve((request, response) => {
      seen = { method: request.method!, url: request.url!, headers: request.headers };
      response.end(SCHEMA);
    });
    const fetchSchema = localFetch(server, {
      lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    await fetchSchema(`http://schemas.example:${server.port}/a/b.json?c=d%20e`);
    expect(seen).toEqual({
      method: 'GET',
      url: '/a/b.json?c=d%20e',
      headers: {
        accept: 'application/schema+json, application/json',
        'accept-encoding': 'identity',
        connection: 'close',
        host: `schemas.example:${server.port}`,
      },
    });
  });

  test('takes a body of exactly the largest size, announced or chunked, and an empty one', async () => {
    const bodies = [{ 'Content-Length': 8 }, {}, { 'Content-Length': 0 }];
    const server = await serve((request, response) => {
      const headers = bodies[Number(request.url!.slice(1))]!;
      response.writeHead(200, headers);
      if (headers['Content-Length'] !== 0) response.write('12345678');
      response.end();
    });
    const fetchSchema = localFetch(server, { maxBytes: 8 });
    const lengths: number[] = [];
    for (const index of bodies.keys()) {
      lengths.push((await fetchSchema(`http://127.0.0.1:${server.port}/${index}`)).length);
    }
    expect(lengths).toEqual([8, 8, 0]);
  });

  test('uses a new connection each time and leaves neither connection, timer nor listener', async () => {
    const server = await serveSchema();
    const fetchSchema = localFetch(server);
    const controller = new AbortController();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await fetchSchema(`http://127.0.0.1:${server.port}/`, controller.signal);
    await fetchSchema(`http://127.0.0.1:${server.port}/`, controller.signal);
    await refusal(fetchSchema('http://10.0.0.1/', controller.signal));
    await refusal(fetchSchema(`http://10.0.0.1:${server.port}/`, controller.signal));
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    expect(server.closes).toHaveLength(2);
    await Promise.all(server.closes);
  });

  test.skipIf(!hasIpv6Loopback)('reaches an IPv6 address that is allowed', async () => {
    const server = await serveSchema('::1');
    const fetchSchema = localFetch(server, { allowRanges: ['::1/128'] });
    expect(await fetchSchema(`http://[::1]:${server.port}/`)).toEqual(SCHEMA);
  });
});

describe('#schema-uri where a fetch may go', () => {
  test.each([
    ['the loopback address', '127.0.0.1'],
    ['a short form of it', '127.1'],
    ['its decimal form', '2130706433'],
    ['its hexadecimal form', '0x7f000001'],
    ['its octal form', '0177.0.0.01'],
    ['its percent-encoded form', '%31%32%37.0.0.1'],
    ['the unspecified address', '0.0.0.0'],
    ['its mapped form', '[::ffff:127.0.0.1]'],
    ['its mapped form in hexadecimal', '[::ffff:7f00:1]'],
    ['its compatible form', '[::127.0.0.1]'],
    ['the IPv6 loopback address', '[::1]'],
  ])('%s is refused without a connection', async (_what, host) => {
    const server = await serveSchema();
    const lookup = vi.fn(async () => []);
    const fetchSchema = createSchemaFetch({ allowHttp: true, ports: [server.port], lookup });
    const { message } = await refusal(fetchSchema(`http://${host}:${server.port}/`));
    expect(message).toContain('not on the public network');
    expect(lookup).not.toHaveBeenCalled();
    // Connections arrive in order: had the refused fetch made one, this would be the second.
    await localFetch(server)(`http://127.0.0.1:${server.port}/`);
    expect(server.closes).toHaveLength(1);
  });

  test('a mapped address is refused even when the address in it is allowed', async () => {
    const server = await serveSchema();
    const uri = `http://[::ffff:127.0.0.1]:${server.port}/`;
    expect((await refusal(localFetch(server)(uri))).message).toContain('not on the public network');
    expect(server.closes).toHaveLength(0);
  });

  test('a name that only this machine answers for is refused by the default look-up', async () => {
    const server = await serveSchema();
    const fetchSchema = createSchemaFetch({ allowHttp: true, ports: [server.port] });
    const { message } = await refusal(fetchSchema(`http://localhost:${server.port}/`));
    expect(message).toContain('not on the public network');
  });

  test.each([
    ['private', '10.0.0.1'],
    ['mapped', '::ffff:127.0.0.1'],
    ['link-local with a zone id', 'fe80::1%lo'],
    ['global with a zone id', '2606:4700::1%lo'],
    ['no address at all', 'schemas.example'],
  ])('a look-up with one %s answer among allowed ones is refused whole', async (_what, address) => {
    const server = await serveSchema();
    const fetchSchema = localFetch(server, {
      lookup: async () => [
        { address: '127.0.0.1', family: 4 },
        { address: '8.8.8.8', family: 4 },
        { address, family: 4 },
      ],
    });
    const { message } = await refusal(fetchSchema(`http://schemas.example:${server.port}/`));
    expect(message).toContain('not on the public network');
    expect(server.closes).toHaveLength(0);
  });

  test.each([true, false])(
    'a name is looked up once and the connection goes to that answer (family selection: %s)',
    async (isSelecting) => {
      const server = await serveSchema();
      const lookup = vi
        .fn<NonNullable<SchemaFetchOptions['lookup']>>()
        .mockResolvedValueOnce([{ address: '127.0.0.1', family: 4 }])
        .mockResolvedValue([{ address: '127.0.0.2', family: 4 }]);
      const platform = getDefaultAutoSelectFamily();
      setDefaultAutoSelectFamily(isSelecting);
      try {
        const fetchSchema = localFetch(server, { lookup });
        const bytes = await fetchSchema(`http://SCHEMAS.example:${server.port}/`);
        expect(bytes).toEqual(SCHEMA);
      } finally {
        setDefaultAutoSelectFamily(platform);
      }
      expect(lookup.mock.calls).toEqual([['schemas.example']]);
      expect(server.closes).toHaveLength(1);
    },
  );

  test('the next vetted address is tried when the first does not answer', async () => {
    const server = await serveSchema();
    const fetchSchema = localFetch(server, {
      allowRanges: ['127.0.0.0/8', '::1/128'],
      lookup: async () => [
        { address: '::1', family: 6 },
        { address: '127.0.0.1', family: 4 },
      ],
    });
    expect(await fetchSchema(`http://schemas.example:${server.port}/`)).toEqual(SCHEMA);
  });

  test('a look-up that fails, throws or has no answer is a refusal', async () => {
    const failure = new Error('no such name');
    const lookups: NonNullable<SchemaFetchOptions['lookup']>[] = [
      () => Promise.reject(failure),
      () => {
        throw failure;
      },
    ];
    for (const lookup of lookups) {
      const error = await refusal(createSchemaFetch({ lookup })('https://schemas.example/'));
      expect(error.message).toContain('could not be looked up');
      expect(error.cause).toBe(failure);
    }
    const fetchSchema = createSchemaFetch({ lookup: async () => [] });
    expect((await refusal(fetchSchema('https://schemas.example/'))).message).toContain(
      'no address',
    );
  });

  test.each([
    ['file:///etc/hostname', 'scheme'],
    ['ftp://schemas.example/a.json', 'scheme'],
    ['data:application/json,{}', 'scheme'],
    ['blob:https://schemas.example/a', 'scheme'],
    ['http://schemas.example/a.json', 'scheme'],
    ['a2a:schemas.example', 'scheme'],
    ['https://user@schemas.example/', 'user-info'],
    ['https://user:word@schemas.example/', 'user-info'],
    ['https://@schemas.example/', 'user-info'],
    ['https://schemas.example/#/definitions/a', 'fragment'],
    ['https://schemas.example/#', 'fragment'],
    ['https://schemas.example:8443/', 'port'],
    ['https://schemas.example:80/', 'port'],
    ['https:schemas.example/', 'names no host'],
    ['https:///schemas.example/', 'names no host'],
    ['https://schemas.example\\@127.0.0.1/', 'character'],
    ['https:\\\\schemas.example/', 'character'],
    ['https://schemas.exam\tple/', 'character'],
    ['https://schemas.example/\r\nHost:x', 'character'],
    [' https://schemas.example/', 'character'],
    ['https://schémas.example/', 'character'],
    ['https://[fe80::1%25lo]/', 'not well formed'],
    ['https://[fe80::1%lo]/', 'not well formed'],
    ['https://1.2.3.256/', 'not well formed'],
    ['https://schemas.example:99999/', 'not well formed'],
    ['https://', 'not well formed'],
    ['schemas.example/a.json', 'not well formed'],
    ['', 'not well formed'],
    [`https://schemas.example/${'a'.repeat(2_025)}`, '2048 characters'],
  ])('%j is refused before any look-up', async (uri, reason) => {
    const lookup = vi.fn(async () => []);
    const { message } = await refusal(createSchemaFetch({ lookup })(uri));
    expect(message).toContain(reason);
    expect(lookup).not.toHaveBeenCalled();
  });

  test('http: may use port 80 once it is allowed, and no other port', async () => {
    const fetchSchema = createSchemaFetch({ allowHttp: true, lookup: async () => [] });
    expect((await refusal(fetchSchema('http://schemas.example/'))).message).toContain('no address');
    expect((await refusal(fetchSchema('https://schemas.example/'))).message).toContain(
      'no address',
    );
    expect((await refusal(fetchSchema('http://schemas.example:81/'))).message).toContain('port');
  });
});

describe('#schema-uri options of the fetch', () => {
  test.each<[string, unknown, ErrorConstructor]>([
    ['maxBytes', 0, RangeError],
    ['maxBytes', 1.5, RangeError],
    ['maxBytes', Infinity, RangeError],
    ['maxBytes', '9', RangeError],
    ['timeoutMs', 0, RangeError],
    ['timeoutMs', 2 ** 31, RangeError],
    ['timeoutMs', Number.NaN, RangeError],
    ['allowHttp', 'false', TypeError],
    ['allowRanges', '127.0.0.0/8', TypeError],
    ['allowRanges', ['127.0.0.1'], RangeError],
    ['ports', 443, TypeError],
    ['ports', [443, 0], RangeError],
    ['ports', [65_536], RangeError],
    ['lookup', {}, TypeError],
    ['ca', 'no certificate', TypeError],
    ['ca', 7, TypeError],
    ['maxbytes', 9, TypeError],
  ])('"%s" cannot be %j', (name, value, type) => {
    const create = (): unknown => createSchemaFetch({ [name]: value });
    expect(create).toThrow(type);
    expect(create).toThrow(`"${name}`);
  });
});
