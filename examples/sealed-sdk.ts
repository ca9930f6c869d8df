// Sealed A2A with `@a2a-js/sdk` alone at both ends: a client and an agent of the SDK seal and open what they say, and the
// server between them sees ciphertext. It asserts what it shows.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import type { AgentExecutor } from '@a2a-js/sdk/server';
import { AgentCard, Artifact, Message, Task, TaskStatus } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler } from '@a2a-js/sdk/server/express';
import { createIdentity } from 'a2a-sdl';
import {
  openTask,
  sealArtifact,
  sealMessage,
  sealStatus,
  sealedCardExtension,
} from 'a2a-sdl/profiles/a2a/sealed';
import express from 'express';

const [me, it] = [await createIdentity(), await createIdentity()];
const textOf = ({ parts }: Pick<Message, 'parts'>): string =>
  parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');

const greetingOf = (name: string): object => ({
  artifactId: 'greeting',
  parts: [{ text: `hello ${name}` }],
});

// #region agent
const executor: AgentExecutor = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const asked = await openTask(userMessage, {
      identity: it,
      peers: [me.bundle], // who is not listed is refused
      policy: 'require', // and so is what is not sealed
    });
    const by = { identity: it, request: asked };
    const greeting = Artifact.fromJSON(greetingOf(textOf(asked.message!)));
    const artifact = await sealArtifact(greeting, by);
    const status = await sealStatus(TaskStatus.fromJSON({ state: 'TASK_STATE_COMPLETED' }), by);

    const about = { taskId, contextId, metadata: undefined };
    const begun = { id: taskId, contextId, status: {}, history: [Message.toJSON(userMessage)] };
    bus.publish(AgentEvent.task(Task.fromJSON(begun)));
    bus.publish(AgentEvent.artifactUpdate({ ...about, artifact, append: false, lastChunk: true }));
    bus.publish(AgentEvent.statusUpdate({ ...about, status }));
  },
  cancelTask: async () => undefined,
};
// #endregion

const app = express();
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const card = AgentCard.fromJSON({
  name: 'greeter',
  description: 'greets',
  version: '1',
  supportedInterfaces: [
    { url: `${address}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  ],
  capabilities: { streaming: true, extensions: [sealedCardExtension({ bundle: it.bundle })] },
  defaultInputModes: ['application/json'],
  defaultOutputModes: ['application/json'],
  skills: [{ id: 'greet', name: 'Greet', description: 'greets', tags: ['text'] }],
});
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
const userBuilder = async () => ({ isAuthenticated: false, userName: 'somebody' });
app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder }));

try {
  const client = await new ClientFactory().createFromUrl(address);
  const send = (message: Message): Promise<Message | Task> =>
    client.sendMessage({ tenant: '', message, configuration: undefined, metadata: undefined });
  const words = { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'world' }] };

  // #region client
  const request = await sealMessage(Message.fromJSON(words), { identity: me, to: it.bundle });
  const answer = await send(request);
  const opened = await openTask(answer, {
    identity: me,
    peers: [it.bundle],
    request, // it answers this, and nothing else
    policy: 'require', // what is not sealed and whole is refused
  });
  console.log(opened.protection, opened.state, textOf(opened.artifacts[0]!));
  // sealed completed hello world
  // #endregion

  assert.equal(opened.protection, 'sealed');
  assert.equal(opened.from, it.agentId);
  assert.equal(opened.receipt?.state, 'completed');
  assert.equal(textOf(opened.artifacts[0]!), 'hello world');

  // What the server keeps of it, what somebody on the path makes of it, and what the agent says to plain words.
  const kept = await client.getTask({ tenant: '', id: (answer as Task).id });
  assert.doesNotMatch(JSON.stringify(kept), /world/);
  const forged = { ...kept, artifacts: [Artifact.fromJSON(greetingOf('mallory'))] };
  const required = { identity: me, peers: [it.bundle], request, policy: 'require' } as const;
  await assert.rejects(openTask(forged, required), { code: 'NOT_PROTECTED' });
  const atAgent = { identity: it, peers: [me.bundle], policy: 'require' } as const;
  await assert.rejects(openTask(Message.fromJSON(words), atAgent), { code: 'NOT_PROTECTED' });
} finally {
  server.closeAllConnections();
  server.close();
}
