// Proves the agent inside apps of Express and Fastify: our paths, the prefix, and a body that the app has read already.

import type { Express, RequestHandler } from 'express';
import express from 'express';
import { fastify } from 'fastify';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { HttpMount } from '../../../transports/http/index.ts';
import { mountHttp } from '../../../transports/http/index.ts';
import type { Answer } from '../../support/agents/http-agent.ts';
import { call, contextOf, echo } from '../../support/agents/http-agent.ts';
import { listen, stopServers } from '../../support/wire/loopback-servers.ts';

afterEach(stopServers);

const toAgent = { host: 'agent.example' };

async function serving(publicUrl = 'http://agent.example/a2a'): Promise<HttpMount> {
  const mount = mountHttp({ publicUrl });
  await mount.listen(contextOf(echo), []);
  return mount;
}

const running = (app: Express): Promise<{ port: number }> => listen(createServer(app));

const ask = (server: { port: number }, path = '/a2a'): Promise<Answer> =>
  call(server, { path, body: '{"n":1}', headers: toAgent });

const look = (server: { port: number }, path: string): Promise<Answer> =>
  call(server, { method: 'GET', path, headers: toAgent });

describe('#transport-http inside Express', () => {
  test('takes our paths and leaves the others to the app, before a runtime listens too', async () => {
    const mount = mountHttp({ publicUrl: 'http://agent.example/a2a' });
    const app = express();
    app.use(mount.handler satisfies RequestHandler);
    app.use(express.json());
    app.get('/healthz', (_request, response) => void response.send('the app is well'));
    app.post('/echo', (request, response) => void response.json(request.body));
    const server = await running(app);
    expect((await ask(server)).status).toBe(503);
    expect((await ask(server, '/echo')).body).toBe('{"n":1}');
    await mount.listen(contextOf(echo), []);
    expect(await ask(server)).toMatchObject({ status: 200, body: '{"n":1}' });
    expect((await ask(server, '/a2a?x=1')).status).toBe(200);
    expect((await look(server, '/.well-known/a2a-sdl.json')).body).toContain('did:key:');
    expect((await look(server, '/healthz')).body).toBe('the app is well');
    expect((await ask(server, '/echo')).body).toBe('{"n":1}');
    expect((await ask(server, '/else')).status).toBe(404);
    expect((await call(server, { headers: { host: 'evil.example' } })).status).toBe(421);
  });

  test.each([
    ['/a2a', '/a2a'],
    ['/agents/bob', '/agents/bob/a2a'],
    ['/agents/bob/a2a', '/agents/bob/a2a'],
  ])('below the prefix %s it serves %s', async (prefix, path) => {
    const app = express();
    app.use(prefix, (await serving(`http://agent.example${path}`)).handler);
    const server = await running(app);
    expect(await ask(server, path)).toMatchObject({ status: 200, body: '{"n":1}' });
    expect((await ask(server, `${path}?x=1`)).status).toBe(200);
    expect((await ask(server, `${prefix}/else`)).status).toBe(404);
    expect((await ask(server, `${prefix}/else/a2a`)).status).toBe(404);
  });

  test('says what to do when the body was read before, once to who runs the app', async () => {
    const app = express();
    app.use(express.json());
    app.use((await serving()).handler);
    const server = await running(app);
    const warned = once(process, 'warning');
    const words = 'mount the agent before the body parser, such as express.json()';
    for (const answer of [await ask(server), await ask(server)]) {
      expect(answer).toMatchObject({ status: 500, headers: { connection: 'close' } });
      expect(answer.body).toContain('"ct":"error.v1"');
    }
    const [warning] = (await warned) as [Error & { code?: string }];
    expect(warning.code).toBe('A2A_SDL_BODY_TAKEN');
    expect(warning.message).toContain(words);
    // What the parser leaves alone is served.
    const headers = { ...toAgent, 'content-type': 'application/cbor' };
    const cbor = await call(server, { body: new Uint8Array([0xa0]), headers });
    expect(cbor).toMatchObject({ status: 200, headers: { 'content-type': 'application/cbor' } });
  });

  test('tells the client too, in the details of the error', async () => {
    const mount = mountHttp({ publicUrl: 'http://agent.example/a2a' });
    const refusals: unknown[] = [];
    const context = contextOf(echo);
    const refuse: typeof context.refuse = (error) => {
      refusals.push(error.details['hint']);
      return context.refuse(error);
    };
    await mount.listen({ ...context, refuse }, []);
    const app = express();
    app.use(express.text({ type: '*/*' }), mount.handler);
    expect((await ask(await running(app))).status).toBe(500);
    expect(refusals).toEqual([expect.stringContaining('mount the agent before the body parser')]);
  });
});

describe('#transport-http inside Fastify', () => {
  test.each(['', '/agents/bob'])(
    'takes our paths below "%s", leaves the others',
    async (prefix) => {
      const app = fastify();
      app.get('/hello', async () => 'hello');
      app.post('/echo', (request, reply) => reply.send(request.body));
      await app.register((await serving()).fastifyPlugin, { prefix });
      await app.listen({ port: 0, host: '127.0.0.1' });
      try {
        const server = app.server.address() as AddressInfo;
        expect(await ask(server, `${prefix}/a2a`)).toMatchObject({ status: 200, body: '{"n":1}' });
        const document = await look(server, `${prefix}/.well-known/a2a-sdl.json`);
        expect(document.body).toContain('did:key:');
        const plain = { ...toAgent, 'content-type': 'text/plain' };
        const refused = await call(server, { path: `${prefix}/a2a`, body: '{}', headers: plain });
        expect(refused.status).toBe(415);
        expect((await look(server, '/hello')).body).toBe('hello');
        expect((await ask(server, '/echo')).body).toBe('{"n":1}');
        expect((await ask(server, '/else')).status).toBe(404);
      } finally {
        await app.close();
      }
    },
  );
});
