// An agent inside a Fastify app that you have already: a plugin that takes the paths of the protocol, before Fastify
// reads the body, and leaves all others to the app. It asserts what it shows.

import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';

import { createIdentity, createRuntime } from 'a2a-sdl';
import { http, mountHttp } from 'a2a-sdl/transports/http';
import { fastify } from 'fastify';

const agentIdentity = await createIdentity();
const askerIdentity = await createIdentity();

const agent = createRuntime({
  identity: agentIdentity,
  peers: [askerIdentity.bundle],
  onTask: async (task) => `done: ${task.text}`,
});

// Peers use the public address. Any other host is refused, because a web page could make its own name lead here; this
// program comes by the address of the machine, which is allowed for that.
const mount = mountHttp({ publicUrl: 'https://app.example/a2a', allowedHosts: ['127.0.0.1'] });
await agent.listen(mount);

const app = fastify();
app.get('/hello', async () => 'hello from the app');
await app.register(mount.fastifyPlugin); // with `{ prefix: '/bob' }` it serves `/bob/a2a`
await app.listen({ host: '127.0.0.1', port: 0 });

const asker = createRuntime({
  identity: askerIdentity,
  peers: [agentIdentity.bundle],
  transports: [http()],
});
try {
  const { port } = app.server.address() as AddressInfo;
  const hello = await fetch(`http://127.0.0.1:${port}/hello`);
  assert.equal(await hello.text(), 'hello from the app');

  const peer = asker.connect(`http://127.0.0.1:${port}/a2a`, { agentId: agent.agentId });
  const { status, artifacts } = await peer.task('say hello').result();
  assert.equal(status, 'completed');
  assert.equal(artifacts[0]?.text, 'done: say hello');
  console.log('inside Fastify: the app and the agent answer on one port');
} finally {
  await asker.close();
  await agent.close(); // before the server: it lets what is in flight end
  await app.close();
}
