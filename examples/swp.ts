// Tasks over SWP: an agent that serves them beside its own wire, and a client that gives one. It asserts what it shows.

import assert from 'node:assert/strict';

import { createIdentity, createRuntime } from 'a2a-sdl';
import { createCallers } from 'a2a-sdl/profiles/auth';
import { connectSwp, decodeStream, encodeFrame, swp } from 'a2a-sdl/profiles/swp';

const agent = createRuntime({
  identity: await createIdentity(),
  // Whoever reaches this port of this machine is let in, as one owner.
  callers: createCallers({ entries: [], anonymous: ['swp'] }),
  async *onTask(task, ctx) {
    const [, file] = task.history[0]!.parts;
    yield ctx.progress(`asked to ${task.kind}`);
    yield `hello ${file !== undefined && 'bytes' in file ? new TextDecoder().decode(file.bytes) : ''}`;
  },
});
const told: string[] = [];

// #region swp
const [face] = await agent.listen(swp({ port: 0 })); // or { path }, or { host, port, tls }
const client = connectSwp(face!.urls[0]!);
const { ok, output } = await client.give('greet', {
  input: 'world',
  onEvent: (event) => told.push(event.message),
});
// #endregion
console.log(new TextDecoder().decode(output)); // hello world

const frame = encodeFrame({
  envelope: { msg_id: '30313233343536373839616263646566' },
  message: { type: 'task', task_id: '74', kind: 'greet', input: '' },
});
const [read] = decodeStream(frame);
console.log(read!.code, read!.message); // OK { type: 'task', … }
await client.close();
await agent.close();

assert.equal(ok, true);
assert.equal(new TextDecoder().decode(output), 'hello world');
assert.equal(told[0], 'asked to greet');
assert.equal(read!.message?.type, 'task');
