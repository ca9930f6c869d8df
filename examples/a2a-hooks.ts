// A client of agents of official A2A, and a receiver of the notifications that they send: here from an agent on this
// machine. It asserts what it shows.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createIdentity, createRuntime } from 'a2a-sdl';
import type { HookDelivery } from 'a2a-sdl/profiles/a2a';
import { a2a, connectA2a, createHookReceiver } from 'a2a-sdl/profiles/a2a';
import { createCallers, hashSecret } from 'a2a-sdl/profiles/auth';
import { http } from 'a2a-sdl/transports/http';

const token = 'a-token-that-nobody-guesses';
const hookToken = 'another-one-for-the-hook';

const secret = { sha256: hashSecret(token) };
const agent = createRuntime({
  identity: await createIdentity(),
  callers: createCallers({ entries: [{ name: 'me', proof: { scheme: 'bearer', secret } }] }),
  onTask: async (task, ctx) => `hello ${(await ctx.ask(`${task.text}, who are you?`)).text}`,
});
const [host] = await agent.listen(http({ port: 0 }), a2a({ allowLoopbackHooks: true }));
const origin = new URL(host!.urls[0]!).origin;

let ended = (_delivery: HookDelivery): void => undefined;
const end = new Promise<HookDelivery>((resolve) => (ended = resolve));

// #region receiver
const receiver = createHookReceiver({
  token: hookToken, // who shows another one, or none, is refused before it is read
  onEvent: (delivery) => {
    const { event, taskId } = delivery; // each once, those of one task in order
    console.log(taskId, event.type);
    if (event.type === 'status' && event.status.state === 'completed') ended(delivery);
  },
});
const server = createServer(receiver.handler).listen(0, '127.0.0.1');
// #endregion
await once(server, 'listening');

try {
  const hookUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  // #region client
  const other = await connectA2a(origin, {
    credentials: [{ origin, scheme: 'bearer', token }], // shown there and nowhere else
  });
  console.log(other.card.name, other.proof.kind, other.chosen.reason);
  const message = { id: '1', role: 'user', parts: [{ text: 'hello' }] } as const;
  const sent = await other.send({ message, isWaiting: false });
  if ('task' in sent) {
    const { id } = sent.task;
    await other.createHook(id, { url: hookUrl, token: hookToken });
    await other.send({ taskId: id, message: { ...message, id: '2', parts: [{ text: 'bob' }] } });
  }
  // #endregion

  assert.equal(other.proof.kind, 'signed');
  assert.equal((await end).taskId, 'task' in sent ? sent.task.id : '');
  const forged = await fetch(hookUrl, { method: 'POST', body: '{}' });
  assert.equal(forged.status, 401);
} finally {
  server.closeAllConnections();
  server.close();
  await agent.close();
}
