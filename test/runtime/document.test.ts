// The agent document of a running agent.

import { describe, expect, test } from 'vitest';

import { rotateIdentity } from '../../src/security/identity/identity.ts';
import { readJson } from '../../src/codec/json/read.ts';
import type { AgentDocument } from '../../src/security/identity/agent-document.ts';
import { verifyAgentDocument } from '../../src/security/identity/agent-document.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import { createMemoryHub } from '../../transports/memory/index.ts';
import { Clock, crypto, newIdentity } from '../support/agents/agents.ts';

describe('#agent-document of a runtime', () => {
  test('tells the truth, holds, and is signed anew when something changed or its time is half over', async () => {
    const clock = new Clock();
    let identity = await newIdentity();
    const runtime = createRuntime({ identity: () => identity, now: clock.now, name: 'bob' });
    const { agentDocument } = await runtime.listenContext();
    const read = async (): Promise<AgentDocument> =>
      verifyAgentDocument(readJson(await agentDocument()), { crypto, nowMs: clock.nowMs });

    const first = await read();
    expect(first).toMatchObject({ agentId: identity.agentId, name: 'bob', endpoints: [] });
    expect(first.contentTypes).toEqual(runtime.contentTypes);
    expect(first.tools).toEqual(['math.add', 'sys.ping', 'tool.list']);
    expect((await read()).expMs).toBe(first.expMs);

    clock.nowMs += 43_200_000;
    expect((await read()).expMs).toBe(first.expMs + 43_200_000);

    identity = await rotateIdentity(identity, { crypto, nowMs: clock.nowMs });
    expect((await read()).bundle.seq).toBe(2);
    await runtime.close();
  });

  test('names no address that only this process or machine can reach', async () => {
    const identity = await newIdentity();
    const runtime = createRuntime({ identity });
    await runtime.listen(createMemoryHub().transport('bob'));
    const { agentDocument } = await runtime.listenContext();
    const document = await verifyAgentDocument(readJson(await agentDocument()), {
      crypto,
      nowMs: Date.now(),
    });
    expect(document.endpoints).toEqual([]);
    await runtime.close();
  });
});
