// Holes that were found in rights that are taken away: each test is what went on all the same, by its number.

import { describe, expect, onTestFinished, test } from 'vitest';

import type { RemoteAgent } from '../../src/client/remote-agent.ts';
import { RemoteError } from '../../src/client/remote-error.ts';
import { createClient } from '../../src/client/client.ts';
import type { JsonValue } from '../../src/codec/value.ts';
import { formatTimestamp } from '../../src/envelope/timestamp.ts';
import { createLiveRights } from '../../src/door/live-rights.ts';
import { isAllowed } from '../../src/door/permission.ts';
import { defineTool } from '../../src/handlers/tools/tool.ts';
import type { RuntimeOptions } from '../../src/runtime/options.ts';
import { publicKeyFromDidKey } from '../../src/security/identity/did-key.ts';
import { createIdentity, rotateIdentity } from '../../src/security/identity/identity.ts';
import { thumbprint } from '../../src/security/identity/thumbprint.ts';
import { attenuateGrant, issueGrant } from '../../src/security/policy/grant.ts';
import { newPeer } from '../../src/security/peers/new-peer.ts';
import { canSign, isInForce } from '../../src/security/peers/in-force.ts';
import { createTrustLog } from '../../src/security/trust/log.ts';
import { EMPTY_REGISTRY } from '../../src/security/trust/registry-document.ts';
import { underRegistry } from '../../src/security/trust/registry-peers.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import { http } from '../../transports/http/index.ts';
import { ipc } from '../../transports/ipc/index.ts';
import { ws } from '../../transports/ws/index.ts';
import { atWork } from '../compliance/dialect/identity.ts';
import { refusalOf } from '../compliance/dialect/case.ts';
import { crypto } from '../support/agents/agents.ts';
import { DialectAgent, asOperator } from '../support/dialect/agent.ts';
import type { Caller } from '../support/dialect/caller.ts';
import { SDL_FACES } from '../support/dialect/faces.ts';
import { aborted, doing, newGate } from '../support/dialect/works.ts';
import { SOON_MS, within } from '../support/agents/soon.ts';
import { EMPTY, approvers, registryAfter, single } from '../support/trust/trust.ts';

const [HTTP] = SDL_FACES as [(typeof SDL_FACES)[number]];
const DIALERS = [
  ['http', http, 'HTTP'],
  ['ws', ws, 'WebSocket'],
  ['ipc', ipc, 'a Unix socket'],
] as const;
const HOUR_MS = 3_600_000;

async function newAgent(
  options: Partial<RuntimeOptions> = {},
  as?: DialectAgent,
): Promise<DialectAgent> {
  const agent = await DialectAgent.open(options, as);
  onTestFinished(() => agent.close());
  return agent;
}

/** What another node of the same agent does: it applies a change to the registry that both keep. */
async function changeElsewhere(
  store: Store,
  { shared: { identity, now } }: DialectAgent,
  content: Record<string, JsonValue>,
): Promise<void> {
  const { agentId } = identity;
  const trust = await createTrustLog({ store, crypto, ownAgentId: agentId, approvers, now });
  const exp = formatTimestamp(now() + HOUR_MS);
  const proposal = await single(registryAfter(EMPTY, { aud: agentId, exp, ...content }));
  expect(await trust.propose(proposal)).toMatchObject({ status: 'accepted' });
}

const rootKid = (agentId: string): string => thumbprint('ed25519', publicKeyFromDidKey(agentId)!);

async function canceled(agent: DialectAgent, { owner }: Caller, id: string): Promise<void> {
  for await (const { task } of agent.runtime.tasks.follow(asOperator(), id, 0, { owner })) {
    if (task.status.state === 'canceled') return;
  }
  const task = await agent.runtime.tasks.get(asOperator(), id, { owner });
  expect(task?.status.state).toBe('canceled');
}

/** The same peer, as a client of the library. */
function speak(
  agent: DialectAgent,
  { owner }: Caller,
  name: string,
): { readonly peer: RemoteAgent; readonly close: () => Promise<void> } {
  const { identities, identity: server, now } = agent.shared;
  const [transport, dialer] = DIALERS.find(([, , says]) => name.endsWith(says))!;
  const identity = identities.get(owner)!;
  const client = createClient({ identity, peers: [server.bundle], transports: [dialer()], now });
  const peer = client.connect(agent.url(transport), { agentId: server.agentId });
  return { peer, close: () => client.close() };
}

describe('A3 who lost all keys by the trust registry #rights-at-use', () => {
  test.each(SDL_FACES)('A3 loses stream, task and tools over $name', async (face) => {
    let calls = 0;
    const count = defineTool({ name: 'test.count', args: true, run: () => (calls += 1) });
    const store = createMemoryStore();
    const agent = await newAgent({ store, trust: { approvers }, tools: [count] });
    const { owner, id, stream, stopped } = await atWork({ agent, face });
    const over = newGate();
    const calling = await owner.start(
      doing(async (_task, ctx) => {
        await ctx.tools.call('test.count', {});
        await aborted(ctx.signal);
        await ctx.tools.call('test.count', {}).catch(() => undefined);
        over.open();
      }),
    );
    await expect.poll(() => calls).toBe(1);
    await changeElsewhere(store, agent, { revoked_kids: [rootKid(owner.owner)] });
    expect(await within(SOON_MS, stream.end)).toMatchObject({ name: 'Refused', retryable: false });
    await Promise.all([stopped, over.opened]);
    for (const task of [id, calling.id]) await canceled(agent, owner, task);
    expect(calls).toBe(1);
    await refusalOf(owner.start(doing(async () => 'never')));
  });

  test('A3 its tasks are not begun again after a restart', async () => {
    const store = createMemoryStore();
    const tasks = { node: 'same', isNodeExclusive: true };
    const options = { store, tasks, trust: { approvers } };
    const first = await newAgent(options);
    const owner = await HTTP.caller(first);
    let attempts = 0;
    const { id } = await owner.start(
      doing(async (_task, ctx) => {
        attempts += 1;
        await aborted(ctx.signal);
      }),
    );
    await expect.poll(() => attempts).toBe(1);
    await first.close();
    await changeElsewhere(store, first, { revoked_kids: [rootKid(owner.owner)] });
    const second = await newAgent(options, first);
    await canceled(second, owner, id);
    expect(attempts).toBe(1);
  });

  test('A3 so does a stranger, and neither a rotation nor another bundle brings it back', async () => {
    const store = createMemoryStore();
    const agent = await newAgent({ store, trust: { approvers }, policy: { open: true } });
    const face = {
      ...HTTP,
      caller: async (of: DialectAgent) => {
        const caller = await HTTP.caller(of);
        of.shared.book.entries.delete(caller.owner);
        return caller;
      },
    };
    const { owner, stream, stopped } = await atWork({ agent, face });
    await changeElsewhere(store, agent, { revoked_kids: [rootKid(owner.owner)] });
    expect(await within(SOON_MS, stream.end)).toMatchObject({ name: 'Refused' });
    await stopped;
    expect(await rotated(agent, owner)).toMatchObject({ code: 'SECURITY_UNSUPPORTED' });
  });

  test('A3 a stranger that the operator revoked stays so with every further key', async () => {
    const agent = await newAgent({ policy: { open: true } });
    const owner = await HTTP.caller(agent);
    agent.shared.book.entries.delete(owner.owner);
    await owner.run(doing(async () => 'a stranger may'));
    agent.shared.book.add(newPeer(owner.owner, { revoked: true }));
    expect(await rotated(agent, owner)).toMatchObject({ code: 'SECURITY_UNSUPPORTED' });
  });

  /** The same agent with new keys and a bundle that says so. */
  async function rotated(agent: DialectAgent, { owner }: Caller): Promise<unknown> {
    const { identities, identity: server, now } = agent.shared;
    const identity = await rotateIdentity(identities.get(owner)!, { crypto });
    const client = createClient({ identity, peers: [server.bundle], transports: [http()], now });
    onTestFinished(() => client.close());
    const peer = client.connect(agent.url('http'), { agentId: server.agentId });
    return peer.call('sys.ping', {}).catch((thrown: unknown) => thrown);
  }
});

describe('A3 the keys that a registry leaves', () => {
  type Registry = typeof EMPTY_REGISTRY;
  const NOW = Date.UTC(2026, 0, 10);
  const KEY = { kid: 'only', key: new Uint8Array(32) };
  const labeled = newPeer('label', { signingKeys: [KEY] });
  const left = (content: Partial<Registry>, agentId = 'label'): boolean => {
    const book = { find: (id: string) => (id === 'label' ? labeled : newPeer(id)) };
    const registry = { ...EMPTY_REGISTRY, ...content } as Registry;
    const peer = underRegistry(book, registry).find(agentId)!;
    return isInForce(peer, NOW) && canSign(peer, NOW);
  };

  test('A3 of a label are those of its entry', () => {
    expect(left({})).toBe(true);
    expect(left({ revoked_kids: ['other'] })).toBe(true);
    expect(left({ revoked_kids: ['only'] })).toBe(false);
    expect(left({ kid_not_after: { only: '2026-01-09T00:00:00Z' } })).toBe(false);
    expect(left({ required_kid_by_agent: { label: 'another' } })).toBe(false);
    expect(left({ allowed_kids_by_agent: { label: ['another'] } })).toBe(false);
  });

  test('A3 of a did:key are its root and what a bundle of it could bring', async () => {
    const { identity } = (await newAgent()).shared;
    const { agentId } = identity;
    const [root, kid] = [rootKid(agentId), identity.keys[0]!.kid];
    const of = (content: Partial<Registry>): boolean => left(content, agentId);
    expect(of({ revoked_kids: [kid] })).toBe(true);
    expect(of({ revoked_kids: [root] })).toBe(false);
    expect(of({ allowed_kids_by_agent: { [agentId]: [kid] } })).toBe(true);
    expect(of({ allowed_kids_by_agent: { [agentId]: [kid] }, revoked_kids: [kid] })).toBe(false);
    expect(of({ allowed_kids_by_agent: { [agentId]: [] } })).toBe(false);
    expect(of({ allowed_kids_by_agent: { [agentId]: [kid] }, revoked_kids: [root] })).toBe(false);
  });
});

describe('A3 a grant that its issuer may not give any more #grant-use', () => {
  const ISSUER_CHANGES = ['loses the right', 'is revoked', 'is removed', 'loses its key'] as const;

  interface Granted {
    readonly agent: DialectAgent;
    readonly store: Store;
    readonly owner: Caller;
    readonly id: string;
    readonly attempts: () => number;
    readonly change: (how: (typeof ISSUER_CHANGES)[number]) => Promise<void>;
  }

  const tasks = { node: 'same', isNodeExclusive: true };

  /** A task that only a grant of a peer allows, which a second one has handed on. */
  async function grantedTask(): Promise<Granted> {
    const store = createMemoryStore();
    const agent = await newAgent({ store, tasks, trust: { approvers } });
    const { book, identity: server, identities, now } = agent.shared;
    const owner = await HTTP.caller(agent);
    const holder = identities.get(owner.owner)!;
    const [issuer, middle] = [await createIdentity({ crypto }), await createIdentity({ crypto })];
    book.add({ ...book.get(owner.owner)!, contentTypes: ['toolcall.v1'], tools: ['task.get'] });
    book.add(newPeer(issuer.agentId, { mayGrant: true }));
    const allow = { ct: ['task.v1'], tools: [] };
    const content = { iss: issuer.agentId, sub: middle.agentId, aud: server.agentId, allow };
    const ends = { id: 'g', maxHops: 2, notAfterMs: now() + HOUR_MS };
    const root = await issueGrant({ ...content, ...ends }, issuer.root.reveal(), crypto);
    const narrower = { id: 'g-2', sub: holder.agentId };
    const grant = await attenuateGrant(root, narrower, middle.root.reveal(), crypto);
    let attempts = 0;
    const text = doing(async (_task, ctx) => {
      attempts += 1;
      await aborted(ctx.signal);
    });
    const client = createClient({
      identity: holder,
      peers: [server.bundle],
      transports: [http()],
      now,
    });
    onTestFinished(() => client.close());
    const payload = {
      kind: 'task.v1',
      goal: text,
      inputs: {},
      constraints: { time_budget_s: 0, compute_budget: 'low', safety: {} },
      deliverables: [],
      acceptance: [],
      context: { task: { id: 'granted' }, message: { parts: [{ text }] } },
      authz: { grant },
    };
    const peer = client.connect(agent.url('http'), { agentId: server.agentId });
    await peer.request({ ct: 'task.v1', payload }).result();
    await expect.poll(() => attempts).toBe(1);
    const change: Granted['change'] = async (how) => {
      const entry = book.get(issuer.agentId)!;
      if (how === 'loses the right') book.add({ ...entry, mayGrant: false });
      else if (how === 'is revoked') book.add({ ...entry, revoked: true });
      else if (how === 'is removed') book.entries.delete(issuer.agentId);
      else await changeElsewhere(store, agent, { revoked_kids: [rootKid(middle.agentId)] });
    };
    return { agent, store, owner, id: 'granted', attempts: () => attempts, change };
  }

  test('A3 takes the task back while it runs', async () => {
    await Promise.all(
      ISSUER_CHANGES.map(async (how) => {
        const { agent, owner, id, change } = await grantedTask();
        await change(how);
        await within(SOON_MS, canceled(agent, owner, id));
      }),
    );
  });

  test('A3 begins no task again after a restart, and one that may goes on', async () => {
    await Promise.all(
      ISSUER_CHANGES.map(async (how) => {
        const { agent, store, owner, id, attempts, change } = await grantedTask();
        await agent.close();
        await change(how);
        const again = await newAgent({ store, tasks, trust: { approvers } }, agent);
        await canceled(again, owner, id);
        expect(attempts()).toBe(1);
      }),
    );
    const { agent, store, attempts } = await grantedTask();
    await agent.close();
    await newAgent({ store, tasks, trust: { approvers } }, agent);
    await expect.poll(attempts).toBe(2);
  });

  test('A3 a ceiling of an earlier version is read, and gives until its end', () => {
    const { agentId } = { agentId: 'did:key:agent' };
    const rights = createLiveRights({
      peerView: () => ({
        nowMs: 0,
        peers: { find: (id) => newPeer(id, { contentTypes: [] }) },
        identity: { agentId },
        policy: { open: false, strangerContentTypes: [] },
      }),
      admins: [],
    });
    const ceiling = {
      allow: { ct: ['task.v1'], tools: [] },
      notAfterMs: 5,
      isGrant: true,
    } as const;
    const principal = { id: 'someone', tenant: '', scheme: 'unsigned' };
    expect(isAllowed(rights, { principal, ceiling }, { ct: 'task.v1' }, 5)).toBe(true);
    expect(isAllowed(rights, { principal, ceiling }, { ct: 'task.v1' }, 6)).toBe(false);
    const grantedBy = [{ agentId: 'someone', kid: 'k' }];
    const known = { ...ceiling, grantedBy };
    expect(isAllowed(rights, { principal, ceiling: known }, { ct: 'task.v1' }, 5)).toBe(false);
  });
});

describe('A3 handlers that work for nobody who may ask #rights-at-use', () => {
  const CHANGES = ['revoke', 'remove', 'expire', 'narrow'] as const;

  test.each(SDL_FACES)('A3 a streaming tool ends with its rights over $name', async (face) => {
    const began = new Map<string, ReturnType<typeof newGate>>();
    let stopped = 0;
    const endless = defineTool({
      name: 'test.endless',
      args: true,
      run: async function* run({ word }, ctx) {
        yield 'begun';
        began.get(word as string)!.open();
        await aborted(ctx.signal);
        stopped += 1;
      },
    });
    const agent = await newAgent({ tools: [endless] });
    await Promise.all(
      CHANGES.map(async (how) => {
        const gate = newGate();
        began.set(how, gate);
        const owner = await face.caller(agent);
        const { peer, close } = speak(agent, owner, face.name);
        onTestFinished(close);
        const call = { tool: 'test.endless', call_id: how, args: { word: how }, expect: {} };
        const exchange = peer.request({ ct: 'toolcall.v1', payload: call }, { stream: true });
        const end = exchange.result().catch((thrown: unknown) => thrown);
        await gate.opened;
        face.change(agent, owner, how);
        const thrown = await within(SOON_MS, end);
        expect(thrown).toBeInstanceOf(RemoteError);
        expect(thrown).toMatchObject({ code: 'SECURITY_UNSUPPORTED', retryable: false });
      }),
    );
    await expect.poll(() => stopped).toBe(CHANGES.length);
  });
});
