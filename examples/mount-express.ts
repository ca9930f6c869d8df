// An agent inside an Express app that you have already. It goes before the body parser: a signature holds only for the
// bytes as they came. What is not for the agent goes on to the app. It asserts what it shows.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { createIdentity, createRuntime } from 'a2a-sdl';
import { http, mountHttp } from 'a2a-sdl/transports/http';
import express from 'express';

const agentIdentity = await createIdentity();
const askerIdentity = await createIdentity();

const agent = createRuntime({
  identity: agentIdentity,
  peers: [askerIdentity.bundle],
  onTask: async (task) => `done: ${task.text}`,
});

// Peers use the public address. Any other host is refused, because a web page could make its own name lead here; this
// program comes by the address of the machine, which is allowed for that.
// #region express
const mount = mountHttp({ publicUrl: 'https://app.example/a2a', allowedHosts: ['127.0.0.1'] });
await agent.listen(mount);

const app = express();
app.use(mount.handler); // first; `app.use('/bob', mount.handler)` serves `/bob/a2a`
app.use(express.json());
// #endregion
app.get('/hello', (_request, response) => void response.send('hello from the app'));
app.post('/echo', (request, response) => void response.json(request.body));
const server = app.listen(0, '127.0.0.1');
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

  const echo = await fetch(`http://127.0.0.1:${port}/echo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"n":1}',
  });
  assert.deepEqual(await echo.json(), { n: 1 });

  const peer = asker.connect(`http://127.0.0.1:${port}/a2a`, { agentId: agent.agentId });
  const { status, artifacts } = await peer.task('say hello').result();
  assert.equal(status, 'completed');
  assert.equal(artifacts[0]?.text, 'done: say hello');
  console.log('inside Express: the app and the agent answer on one port');
} finally {
  await asker.close();
  await agent.close(); // before the server: it lets what is in flight end
  server.close();
  server.closeAllConnections();
}
