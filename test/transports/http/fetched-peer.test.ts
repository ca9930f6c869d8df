// Proves what is taken of the document that an agent tells of itself.

import { afterEach, describe, expect, test } from 'vitest';

import { signAgentDocument } from '../../../src/security/index.ts';
import { fetchPeer } from '../../../transports/http/index.ts';
import { NOW, crypto, newIdentity } from '../../support/agents/agents.ts';
import { contextOf, echo, listenOn, stopAgents, utf8 } from '../../support/agents/http-agent.ts';

afterEach(stopAgents);

describe('#agent-document of a peer that is fetched', () => {
  test('says where its agent is on the network, and never a place on this machine', async () => {
    const identity = await newIdentity();
    const onNetwork = ['https://agent.example/a2a', 'wss://agent.example/a2a'];
    const onDisk = ['ipc:/run/own.sock', 'IPC:/run/own.sock', 'Ipc://127.0.0.1:9'];
    const content = {
      name: 'agent',
      bundle: identity.bundle,
      endpoints: [...onDisk, ...onNetwork],
      contentTypes: [],
      tools: [],
      limits: { maxBytes: 1, maxDepth: 1, maxArrayLength: 1, maxHops: 1 },
      x: [],
      expMs: NOW + 1_000,
    };
    const { document } = await signAgentDocument(content, identity.root.reveal(), crypto);
    const agentDocument = async (): Promise<Uint8Array> => utf8(JSON.stringify(document));
    const { url } = await listenOn(contextOf(echo, { agentDocument }));
    const peer = await fetchPeer(url, {
      agentId: identity.agentId,
      crypto,
      nowMs: NOW,
      limits: { maxBytes: 100_000 },
    });
    expect(peer.endpoints).toEqual(onNetwork);
    // Whoever calls knows what is on this machine, and may say so.
    const parts = { endpoints: ['ipc:/run/own.sock'] };
    const own = await fetchPeer(url, { crypto, nowMs: NOW, parts });
    expect(own.endpoints).toEqual(parts.endpoints);
  });
});
