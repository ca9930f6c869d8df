// An agent inside a server of node:http that you have already. The server keeps its routes, its certificates and its
// timeouts; the agent answers on the paths of the protocol. It asserts what it shows.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createIdentity, createRuntime } from 'a2a-sdl';
import { http, mountHttp } from 'a2a-sdl/transports/http';

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

const server = createServer((request, response) => {
  if (request.url === '/hello') response.end('hello from the app');
  else mount.handler(request, response); // what is not of the agent either is 404
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

const asker = createRuntime({
  identity: askerIdentity,
  peers: [agentIdentity.bundle],
  transports: [http()],
});
try {
  const { port } = server.address() as AddressInfo;
  const hello = await fetch(`http://127.0.0.1:${port}/hello`);
  assert.equal(await hello.text(), 'hello from the app');

  const rebound = get({ host: '127.0.0.1', port, path: '/a2a', headers: { host: 'evil.example' } });
  const [refusal] = (await once(rebound, 'response')) as [IncomingMessage];
  assert.equal(refusal.statusCode, 421);
  refusal.resume();

  const peer = asker.connect(`http://127.0.0.1:${port}/a2a`, { agentId: agent.agentId });
  const { status, artifacts } = await peer.task('say hello').result();
  assert.equal(status, 'completed');
  assert.equal(artifacts[0]?.text, 'done: say hello');
  console.log('inside node:http: the app and the agent answer on one port');
} finally {
  await asker.close();
  await agent.close(); // before the server: it lets what is in flight end
  server.close();
  server.closeAllConnections();
}
