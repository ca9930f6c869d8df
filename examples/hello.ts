// The smallest whole: an agent, and a client that gives it a task. It asserts what it shows.

import assert from 'node:assert/strict';

// #region hello
import { createClient, createIdentity, createRuntime } from 'a2a-sdl';
import { http } from 'a2a-sdl/transports/http';

const [me, it] = [await createIdentity(), await createIdentity()];
const agent = createRuntime({
  identity: it,
  peers: [me.bundle], // who is not listed is refused
  onTask: async (task) => `hello ${task.text}`,
});
const [listener] = await agent.listen(http({ port: 0 }));
const client = createClient({ identity: me, peers: [it.bundle], transports: [http()] });
const peer = client.connect(listener!.urls[0]!, { agentId: it.agentId });
const { artifacts } = await peer.task('world').result();
console.log(artifacts[0]?.text); // hello world
await Promise.all([client.close(), agent.close()]);
// #endregion

assert.equal(artifacts[0]?.text, 'hello world');
