// trustsync.v1: the registry over the wire, and the table of built-in handlers.

import { describe, expect, test } from 'vitest';

import { encodeBase64url } from '../../src/codec/base64url.ts';
import { writePythonJson } from '../../src/codec/canonical-python.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import type { ContentHandler } from '../../src/content.ts';
import { builtinHandlers } from '../../src/handlers/index.ts';
import { createStateBook } from '../../src/handlers/state/book.ts';
import { ToolRegistry } from '../../src/handlers/tools/registry.ts';
import { createTrustSyncHandler } from '../../src/handlers/trustsync.ts';
import { BUILTIN_SCHEMAS } from '../../src/schema/builtin.ts';
import { createPolicy } from '../../src/security/policy/policy.ts';
import { createSessionBook } from '../../src/security/session.ts';
import { createTrustLog } from '../../src/security/trust/log.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { alice } from '../support/wire/envelopes.ts';
import { payloadOf, requestContext } from '../support/agents/handler-context.ts';
import { makePeer } from '../support/trust/peers.ts';
import {
  APPROVERS,
  EMPTY,
  NOW,
  OWN,
  approved,
  approvers,
  crypto,
  publicText,
  registryAfter,
  seed,
} from '../support/trust/trust.ts';
import { rightsOf } from '../support/trust/rights.ts';

const context = requestContext();
const policy = createPolicy({ agentIds: [OWN] });
const KEYS = { trusted_signing_keys: { 'alice-1': publicText(1) } };

async function trustSync(): Promise<ContentHandler> {
  const store = createMemoryStore();
  const log = await createTrustLog({ store, crypto, ownAgentId: OWN, approvers, now: () => NOW });
  return createTrustSyncHandler({ log, allows: policy.allows });
}

/** As v1 peers sign: the bare registry, without a purpose. */
async function v1Proposal(registry: JsonObject): Promise<JsonObject> {
  const signature = await crypto.sign(writePythonJson(registry), seed(APPROVERS.ann));
  return { op: 'propose', merge: true, registry, signature: encodeBase64url(signature) };
}

describe('#registry trustsync.v1', () => {
  test('discover is answered with the registry', async () => {
    const { handle } = await trustSync();
    expect(await payloadOf(handle({ op: 'discover' }, context))).toMatchObject({
      op: 'discover',
      status: 'snapshot',
      snapshot: { trusted_signing_keys: {} },
      head: EMPTY,
      source_agent: alice.agent_id,
    });
  });

  test('propose is applied where enough approvers signed', async () => {
    const { handle } = await trustSync();
    const proposal = await approved(registryAfter(EMPTY, KEYS), ['ann']);
    const accepted = await payloadOf(handle(proposal, context));
    expect(accepted).toMatchObject({ op: 'propose', status: 'accepted', approved_by: ['ann'] });
    const after = await payloadOf(handle({ op: 'discover' }, context));
    expect(after).toMatchObject({ snapshot: KEYS, registry_hash: accepted['registry_hash'] });
  });

  test('propose is rejected without approval, and tells nothing of the registry (W11)', async () => {
    const { handle } = await trustSync();
    const payload = await payloadOf(
      handle(await approved(registryAfter(EMPTY, KEYS), []), context),
    );
    expect(payload).toMatchObject({ status: 'rejected', message: 'a proposal needs 1 approvals' });
    expect(payload).not.toHaveProperty('head');
    expect(payload).not.toHaveProperty('registry_hash');
  });

  test('takes the signatures of v1 only from peers whose entry allows them (W7, W10)', async () => {
    const { handle } = await trustSync();
    const proposal = await v1Proposal(registryAfter(EMPTY, KEYS));
    expect(await payloadOf(handle(proposal, context))).toMatchObject({ status: 'rejected' });
    const peer = makePeer(alice.agent_id, { switches: ['v1-trustsync'] });
    expect(await payloadOf(handle(proposal, requestContext({ peer })))).toMatchObject({
      status: 'accepted',
    });
  });

  test('refuses private keys (W12)', async () => {
    const { handle } = await trustSync();
    const registry = registryAfter(EMPTY, { decrypt_private_keys: {} });
    expect(await payloadOf(handle(await approved(registry, ['ann']), context))).toMatchObject({
      status: 'rejected',
      code: 'ENVELOPE_INVALID',
    });
  });
});

describe('#content-types the table of built-in handlers', () => {
  test('has every built-in content type but the task', async () => {
    const store = createMemoryStore();
    const log = await createTrustLog({ store, crypto, ownAgentId: OWN, approvers });
    const tools = new ToolRegistry();
    const { allows } = policy;
    const handlers = builtinHandlers({
      toolcall: { tools, rights: rightsOf() },
      toolresult: () => undefined,
      state: { book: createStateBook({ store }) },
      artifact: { onArtifacts: () => undefined },
      error: () => undefined,
      negotiation: {
        cap: () => ({}),
        contentTypes: () => [],
        tools,
        rights: rightsOf(),
        implementation: { name: 'n', version: '1.0.0' },
      },
      session: { book: createSessionBook({ store }), sign: () => '', allows },
      trustsync: { log, allows },
    });
    const expected = Object.keys(BUILTIN_SCHEMAS).filter(
      (ct) => ct !== 'task.v1' && !ct.startsWith('a2a.'),
    );
    expect(handlers.map(({ ct }) => ct).sort()).toEqual(expected.sort());
    // Their schemas are those of the built-in types: none brings another.
    expect(handlers.filter((handler) => handler.schema !== undefined)).toEqual([]);
  });

  test('leaves out what nobody would handle', () => {
    expect(
      builtinHandlers({ toolcall: { tools: new ToolRegistry(), rights: rightsOf() } }).map(
        ({ ct }) => ct,
      ),
    ).toEqual(['toolcall.v1']);
  });
});
