// An agent inside a server that you have already: a Fastify app, and a plain node:http server. The server keeps its
// routes, its certificates and its timeouts; the agent answers on the paths of the protocol. It asserts what it shows.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createIdentity, createRuntime } from 'a2a-sdl';
import type { Runtime } from 'a2a-sdl';
import { peerFromBundle } from 'a2a-sdl/security';
import { http, mountHttp } from 'a2a-sdl/transports/http';
import { fastify } from 'fastify';

const agentIdentity = await createIdentity();
const askerIdentity = await createIdentity();

const newAgent = (): Runtime =>
  createRuntime({
    identity: agentIdentity,
    peers: [peerFromBundle(askerIdentity.bundle)],
    onTask: async (task) => `done: ${task.request.goal}`,
  });

const asker = createRuntime({
  identity: askerIdentity,
  peers: [peerFromBundle(agentIdentity.bundle)],
  transports: [http()],
});

// Peers use the public address. Any other host is refused, because a web page could make its own name lead here; this
// program comes by the address of the machine, which is allowed for that.
const options = { publicUrl: 'https://app.example/a2a', allowedHosts: ['127.0.0.1'] };

async function insideFastify(): Promise<void> {
  const app = fastify();
  app.get('/hello', async () => 'hello from the app');
  const mount = mountHttp(options);
  await app.register(mount.fastifyPlugin);

  const agent = newAgent();
  await agent.listen(mount);
  await app.listen({ host: '127.0.0.1', port: 0 });
  try {
    await tryOut((app.server.address() as AddressInfo).port, agent.agentId);
  } finally {
    await agent.close(); // first: it lets what is in flight end
    await app.close();
  }
  console.log('inside Fastify: the app and the agent answer on one port');
}

async function insideNodeHttp(): Promise<void> {
  const mount = mountHttp(options);
  const server = createServer((request, response) => {
    if (request.url === '/hello') response.end('hello from the app');
    else mount.handler(request, response); // what is not of the agent either is 404
  });

  const agent = newAgent();
  await agent.listen(mount);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await tryOut((server.address() as AddressInfo).port, agent.agentId);
  } finally {
    await agent.close();
    server.close();
    server.closeAllConnections();
  }
  console.log('inside node:http: the app and the agent answer on one port');
}

/** The app's own route, and a message to the agent, at the same port. */
async function tryOut(port: number, agentId: string): Promise<void> {
  const hello = await fetch(`http://127.0.0.1:${port}/hello`);
  assert.equal(await hello.text(), 'hello from the app');

  const peer = asker.connect(`http://127.0.0.1:${port}/a2a`, { agentId });
  const { status, artifacts } = await peer.task('say hello').result();
  assert.equal(status, 'completed');
  assert.equal(artifacts[0]?.source['text'], 'done: say hello');

  const rebound = get({ host: '127.0.0.1', port, path: '/a2a', headers: { host: 'evil.example' } });
  const [refusal] = (await once(rebound, 'response')) as [IncomingMessage];
  assert.equal(refusal.statusCode, 421);
  refusal.resume();
}

try {
  await insideFastify();
  await insideNodeHttp();
} finally {
  await asker.close();
}
