// Who is told of what fails inside an agent: its author of what is the agent's own fault, and of nothing else.

import { expect, onTestFinished, test } from 'vitest';

import { createClient } from '../../src/client/client.ts';
import type { RemoteAgent } from '../../src/client/remote-agent.ts';
import type { JsonValue } from '../../src/codec/value.ts';
import { defineTool } from '../../src/handlers/tools/tool.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import { createIdentity } from '../../src/security/identity/identity.ts';
import { http } from '../../transports/http/index.ts';

async function agentWith(run: () => JsonValue): Promise<[RemoteAgent, unknown[]]> {
  const [its, mine] = [await createIdentity(), await createIdentity()];
  const told: unknown[] = [];
  const agent = createRuntime({
    identity: its,
    peers: [mine.bundle],
    tools: [defineTool({ name: 'made.up', args: { type: 'object', maxProperties: 0 }, run })],
    on: { error: (cause) => told.push(cause) },
  });
  const [listener] = await agent.listen(http({ port: 0 }));
  const client = createClient({ identity: mine, peers: [its.bundle], transports: [http()] });
  onTestFinished(async () => {
    await client.close();
    await agent.close();
  });
  return [client.connect(listener!.urls[0]!, { agentId: its.agentId }), told];
}

test('a result that cannot be written is told to the author of the tool', async () => {
  const [peer, told] = await agentWith(() => new Date(0) as unknown as JsonValue);
  await expect(peer.call('made.up')).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(told).toEqual([expect.objectContaining({ message: expect.stringContaining('Date') })]);
});

test('what only the caller did wrong is not', async () => {
  const [peer, told] = await agentWith(() => 'fine');
  await expect(peer.call('made.up', { extra: 1 })).rejects.toMatchObject({
    code: 'PAYLOAD_INVALID',
  });
  expect(told).toEqual([]);
});
