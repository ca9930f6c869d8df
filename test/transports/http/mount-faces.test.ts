// Proves further dialects inside servers of node:http, Express and Fastify that exist already.

import express from 'express';
import { fastify } from 'fastify';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createIdentity, createRuntime } from '../../../src/index.ts';
import type { HttpMount } from '../../../transports/http/index.ts';
import { mountHttp } from '../../../transports/http/index.ts';
import type { Answer } from '../../support/agents/http-agent.ts';
import { call, contextOf, echo } from '../../support/agents/http-agent.ts';
import { SMALL_TYPE, counts, small } from '../../support/agents/small-face.ts';
import { listen, stopServers } from '../../support/wire/loopback-servers.ts';

afterEach(stopServers);

const publicUrl = 'http://agent.example/a2a';
const headers = { host: 'agent.example' };

const mounted = (url = publicUrl): HttpMount =>
  mountHttp({ publicUrl: url, faces: [small('small', counts)] });

const ask = (server: { port: number }, path: string): Promise<Answer> =>
  call(server, { path, body: '{"n":1}', headers });

describe('a mount with faces', () => {
  test('in node:http serves each at its paths while a runtime listens', async () => {
    const mount = mounted();
    const server = await listen(createServer(mount.handler));
    expect((await ask(server, '/small')).status).toBe(503);
    const host = await mount.listen(contextOf(echo));
    expect(host.faces).toMatchObject([{ name: 'small', urls: ['http://agent.example/small'] }]);
    expect((await ask(server, '/a2a')).body).toBe('{"n":1}');
    expect((await ask(server, '/small/x?y')).body).toBe('7 bytes');
    expect((await ask(server, '/else')).status).toBe(404);
    const foreign = await call(server, { path: '/small', headers: { host: 'evil.example' } });
    expect(foreign).toMatchObject({ status: 421, body: 'ADDRESS_WRONG 421' });
    expect(foreign.headers['content-type']).toBe(SMALL_TYPE);
    await host.close(0);
    expect((await ask(server, '/small')).status).toBe(503);
    const again = await mount.listen(contextOf(echo));
    expect((await ask(server, '/small')).body).toBe('7 bytes');
    await again.close(0);
  });

  test('is an agent whose peers are told the address for envelopes only', async () => {
    const runtime = createRuntime({ identity: await createIdentity() });
    const server = await listen(createServer(mounted().handler));
    await runtime.listen(mounted());
    const { about, agentDocument } = await runtime.listenContext();
    expect(about().endpoints).toEqual([
      { name: 'http', url: publicUrl },
      { name: 'small', url: 'http://agent.example/small' },
    ]);
    const document = JSON.parse(new TextDecoder().decode(await agentDocument()));
    expect(document.endpoints).toEqual([publicUrl]);
    await runtime.close();
    await server.stop();
  });

  test('whose face cannot listen is free for another try', async () => {
    let isBroken = true;
    const face = small('small', counts);
    const moody: typeof face = {
      name: face.name,
      listen: (context, earlier) =>
        isBroken ? Promise.reject(new Error('no')) : face.listen(context, earlier),
    };
    const mount = mountHttp({ publicUrl, faces: [moody] });
    await expect(mount.listen(contextOf(echo))).rejects.toThrow('no');
    isBroken = false;
    await (await mount.listen(contextOf(echo))).close(0);
  });

  test.each([
    ['', '/small'],
    ['/agents/bob', '/agents/bob/small'],
    ['/agents/small', '/agents/small'],
  ])('in Express below "%s" serves %s, before the body parser', async (prefix, path) => {
    const mount = mounted();
    const app = express();
    app.use(prefix === '' ? '/' : prefix, mount.handler);
    app.use(express.json());
    app.post('/echo', (request, response) => void response.json(request.body));
    app.use((_request, response) => void response.status(404).send('the app knows nothing'));
    const server = await listen(createServer(app));
    expect((await ask(server, path)).body).toBe('the app knows nothing');
    const host = await mount.listen(contextOf(echo));
    expect((await ask(server, path)).body).toBe('7 bytes');
    expect((await ask(server, `${path}?x=1`)).body).toBe('7 bytes');
    expect((await ask(server, '/echo')).body).toBe('{"n":1}');
    expect((await ask(server, `${prefix}/else`)).body).toBe('the app knows nothing');
    await host.close(0);
  });

  test.each(['', '/agents/bob', '/:tenant/agents'])(
    'in Fastify below "%s" leaves the rest to the app',
    async (prefix) => {
      const mount = mounted();
      const app = fastify();
      app.setNotFoundHandler((_request, reply) => reply.code(404).send('the app knows nothing'));
      app.get('/hello', async () => 'hello');
      app.post('/echo', (request, reply) => reply.send(request.body));
      await app.register(mount.fastifyPlugin, { prefix });
      await app.listen({ port: 0, host: '127.0.0.1' });
      const below = prefix.replace(':tenant', 'any');
      try {
        const server = app.server.address() as AddressInfo;
        expect((await ask(server, `${below}/small`)).body).toBe('the app knows nothing');
        expect((await ask(server, `${below}/a2a`)).status).toBe(503);
        const host = await mount.listen(contextOf(echo));
        expect((await ask(server, `${below}/small`)).body).toBe('7 bytes');
        expect((await ask(server, `${below}/small/x?y=1`)).body).toBe('7 bytes');
        expect((await ask(server, `${below}/a2a`)).body).toBe('{"n":1}');
        expect((await ask(server, '/echo')).body).toBe('{"n":1}');
        expect((await ask(server, `${below}/else`)).body).toBe('the app knows nothing');
        const hello = await call(server, { method: 'GET', path: '/hello', headers });
        expect(hello.body).toBe('hello');
        await host.close(0);
      } finally {
        await app.close();
      }
    },
  );
});
