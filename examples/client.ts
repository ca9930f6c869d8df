// A client without the rest of an agent: it gives a task, looks at its tasks, answers a question, cancels, and tells
// errors apart. It asserts what it shows.

import assert from 'node:assert/strict';

import { createClient, createIdentity, createRuntime } from 'a2a-sdl';
import { http } from 'a2a-sdl/transports/http';

const agentIdentity = await createIdentity();
const identity = await createIdentity();

const agent = createRuntime({
  identity: agentIdentity,
  peers: [identity],
  async *onTask(task, ctx) {
    if (task.text === 'wait') await ctx.ask('for what?');
    const colour = await ctx.ask('which colour?');
    yield `painted in ${colour.text}`;
  },
});
const [listener] = await agent.listen(http({ port: 0 }));
const url = listener!.urls[0]!;

// #region connect
const client = createClient({ identity, peers: [agentIdentity.bundle], transports: [http()] });
const peer = client.connect(url, { agentId: agentIdentity.agentId });
// #endregion

try {
  // #region tasks
  const asked = await peer.task('paint').result(); // ends here, since the task asks something
  assert.equal(asked.status, 'input-required');
  await peer.tasks.reply(asked.id!, 'red');
  for await (const update of peer.tasks.watch(asked.id!)) {
    // goes on where it was after a lost connection
    if (update.isAnswer) assert.equal(update.artifacts[0]?.text, 'painted in red');
  }
  const { tasks } = await peer.tasks.list({ state: 'completed' });
  assert.equal(tasks[0]?.id, asked.id);
  // #endregion

  const waiting = await peer.task('wait').result();
  const canceled = await peer.tasks.cancel(waiting.id!);
  assert.equal(canceled.status, 'canceled');

  // #region errors
  const signal = AbortSignal.timeout(10_000); // ends the wait, not the task: that is `peer.tasks.cancel`
  try {
    await peer.call('no.such.tool', {}, { signal });
    assert.fail('the tool is not there');
  } catch (error) {
    assert(error instanceof Error && 'code' in error);
    assert.equal(error.code, 'TOOL_UNKNOWN'); // match on `code`; `wireCode` is the coarse one
  }
  // #endregion
  await assert.rejects(peer.tasks.get('no-such-task'), { code: 'TASK_UNKNOWN' });
  console.log('a client gave a task, answered it, and looked at its tasks');
} finally {
  await client.close();
  await agent.close();
}
