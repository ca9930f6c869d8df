// The smallest program: an agent, and a client that gives it a task, over HTTP.

// #region hello
import { createClient, createIdentity, createRuntime } from 'a2a-sdl';
import { http } from 'a2a-sdl/transports/http';

const [worker, asker] = [await createIdentity(), await createIdentity()];
const agent = createRuntime({
  identity: worker,
  peers: [asker], // who is not listed is refused
  onTask: async (task) => `hello, ${task.request.goal}`,
});
const [listener] = await agent.listen(http({ port: 0 }));
const client = createClient({ identity: asker, peers: [worker], transports: [http()] });
const peer = client.connect(listener!.urls[0]!, { agentId: agent.agentId });
const { artifacts } = await peer.task('world').result();
console.log(artifacts[0]?.text);
// #endregion

if (artifacts[0]?.text !== 'hello, world') throw new Error('the agent said something else');
await client.close();
await agent.close();
