// An agent that clients of official A2A speak to, and one of them: that of `@a2a-js/sdk`, which is given the address of
// the agent and a token. It asserts what it shows.

import assert from 'node:assert/strict';

import { SendMessageRequest } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { createIdentity, createRuntime } from 'a2a-sdl';
import { a2a, securityOf } from 'a2a-sdl/profiles/a2a';
import { createCallers, hashSecret } from 'a2a-sdl/profiles/auth';
import { http } from 'a2a-sdl/transports/http';

const token = 'a-token-that-nobody-guesses';

// #region agent
const entries = [
  { name: 'ci', proof: { scheme: 'bearer', secret: { sha256: hashSecret(token) } } } as const,
];
const agent = createRuntime({
  identity: await createIdentity(),
  callers: createCallers({ entries }), // who is not listed is refused
  onTask: async (task) => `hello ${task.text}`,
});
const [host] = await agent.listen(http({ port: 0 }), a2a({ security: securityOf(entries)! }));
// #endregion

try {
  const address = new URL(host!.urls[0]!).origin;

  // #region client
  const client = await new ClientFactory().createFromUrl(address); // the card says the rest
  const request = SendMessageRequest.fromJSON({
    message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'world' }] },
  });
  const shown = { serviceParameters: { Authorization: `Bearer ${token}` } };
  for await (const { payload } of client.sendMessageStream(request, shown)) {
    console.log(payload?.$case); // task, statusUpdate, artifactUpdate, statusUpdate
  }
  // #endregion

  const answer = await client.sendMessage(request, shown);
  assert.match(JSON.stringify(answer), /hello world/);
  await assert.rejects(client.sendMessage(request));
} finally {
  await agent.close();
}
