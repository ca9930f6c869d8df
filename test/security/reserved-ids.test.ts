// Ids that no agent can have: `*` stands for everybody, and what begins with `~` is a caller of another dialect.

import { writeFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { PeerBook } from '../../keys/peer-book.ts';
import { createClient } from '../../src/client/client.ts';
import { FOREIGN_MARK } from '../../src/door/principal.ts';
import { createEnvelopeBuilder } from '../../src/envelope/build.ts';
import { checkShape } from '../../src/envelope/shape.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import { createIdentity } from '../../src/security/identity/identity.ts';
import { signDocument } from '../../src/security/identity/document-signature.ts';
import { verifyKeyBundle } from '../../src/security/identity/key-bundle.ts';
import type { GrantContent } from '../../src/security/policy/grant-shape.ts';
import { issueGrant, verifyGrant } from '../../src/security/policy/grant.ts';
import { createPolicy } from '../../src/security/policy/policy.ts';
import { resolveSender } from '../../src/security/peers/resolve-sender.ts';
import { NOW, crypto, newIdentity } from '../support/agents/agents.ts';
import { bob, bookWith } from '../support/trust/peer-books.ts';
import { makePeer, messageFrom } from '../support/trust/peers.ts';
import { errorOf } from '../support/wire/bytes.ts';
import { patched, put, registry } from '../support/wire/envelopes.ts';
import type { Judged } from '../support/wire/forge.ts';
import { forge, identityOf, judge, newScene } from '../support/wire/forge.ts';

const RESERVED = ['*', '~', '~none:http', '~local:operator'];
const WORDS = 'must not be * nor begin with ~';

describe('#reserved-ids A18 nobody owns what is everybody’s, or a foreign caller’s', () => {
  test('the mark of foreign callers is among them', () => {
    expect(RESERVED[1]).toBe(FOREIGN_MARK);
  });

  test.each(RESERVED)('A18 a peer whose label is %s lists nobody’s tasks', async (label) => {
    const { bob: receiver, alice, mallory } = await newScene();
    await judge(receiver, await forge(alice, receiver));
    const [{ kid, key }] = mallory.keys as [(typeof mallory.keys)[number]];
    const listAs = async (agentId: string): Promise<Judged> => {
      const signingKeys = [{ kid, key: key.publicKey }];
      const switches = ['label-id'] as const;
      receiver.book.add(makePeer(agentId, { signingKeys, switches }));
      const sender = { agentId: 'label', keys: mallory.keys };
      const from = { ...identityOf(sender), agent_id: agentId };
      const payload = { call_id: '1', tool: 'task.list', args: {}, expect: {} };
      const members = { from };
      return judge(
        receiver,
        await forge(sender, receiver, { ct: 'toolcall.v1', payload, members }),
      );
    };
    expect(await listAs('label')).toMatchObject({
      reply: { payload: { ok: true, result: { tasks: [] } } },
    });
    const refused = await listAs(label);
    expect(refused).toMatchObject({
      code: 'ENVELOPE_INVALID',
      outcome: { stage: 'shape' },
      reply: {
        to: { agent_id: 'unknown' },
        payload: { code: 'BAD_REQUEST', details: { path: '/from/agent_id' } },
      },
    });
  });

  test.each(RESERVED)('A18 %s is no sender, but may be written to', (id) => {
    const error = errorOf(() => checkShape(patched(put('/from/agent_id', id)), registry));
    expect([error?.code, error?.details]).toEqual(['ENVELOPE_INVALID', { path: '/from/agent_id' }]);
    expect(error?.reason).toContain(WORDS);
    expect(() => checkShape(patched(put('/to/agent_id', id)), registry)).not.toThrow();
  });

  test.each(['**', '*x', 'x*', 'x~', ' ~x'])('%j is an id like any other', (id) => {
    expect(() => checkShape(patched(put('/from/agent_id', id)), registry)).not.toThrow();
  });

  test.each(RESERVED)('A18 no book takes %s, from a program or out of a file', async (agentId) => {
    const book = await bookWith(bob);
    await expect(book.add({ agentId })).rejects.toThrow(`/peers/1/agent_id ${WORDS}`);
    expect(book.list().map((entry) => entry.agentId)).toEqual([bob.agentId]);
    const document = { format: 'a2a-sdl/peers/v1', peers: [{ agent_id: agentId }] };
    writeFileSync(book.path, JSON.stringify(document), { mode: 0o600 });
    await expect(PeerBook.open(book.path)).rejects.toThrow(`/peers/0/agent_id ${WORDS}`);
  });

  test.each(RESERVED)('A18 no embedder knows or is %s', async (agentId) => {
    const identity = await createIdentity();
    const peers = [makePeer(agentId)];
    expect(() => createRuntime({ identity, peers })).toThrow(`an id of "peers" ${WORDS}`);
    expect(() => createClient({ identity, peers })).toThrow(`an id of "peers" ${WORDS}`);
    const own = { agentId, keys: identity.keys };
    expect(() => createRuntime({ identity: own })).toThrow(`"identity.agentId" ${WORDS}`);
    const client = createClient({ identity: own });
    const call = client.connect('memory:nobody', { agentId: identity.agentId }).call('sys.ping');
    await expect(call).rejects.toThrow(`"identity.agentId" ${WORDS}`);
    expect(() => createPolicy({ agentIds: [agentId] })).toThrow(`an id of "agentIds" ${WORDS}`);
    const builder = { identity: identityOf(own), schemaFor: registry.descriptorFor };
    expect(() => createEnvelopeBuilder(builder)).toThrow(`"identity.agent_id" ${WORDS}`);
  });

  test('A18 an embedder’s directory cannot make a sender somebody else', async () => {
    const { allows } = createPolicy({ agentIds: ['me'] });
    const peers = { find: () => makePeer('*', { switches: ['label-id'] }) };
    const resolved = resolveSender(messageFrom({ from: 'label' }), {
      peers,
      nowMs: NOW,
      open: false,
      allows,
      crypto,
    });
    await expect(resolved).rejects.toMatchObject({
      code: 'SENDER_REFUSED',
      reason: 'the entry of the sender is of another agent',
    });
  });

  test.each(RESERVED)('A18 a grant by, to or for %s grants nothing', async (id) => {
    const { agentId, root } = await newIdentity();
    const content: GrantContent = {
      id: 'g',
      iss: agentId,
      sub: agentId,
      aud: agentId,
      allow: { ct: ['*'], tools: ['*'] },
      maxHops: 1,
      notAfterMs: NOW + 1_000,
    };
    for (const member of ['iss', 'sub', 'aud'] as const) {
      const issued = issueGrant({ ...content, [member]: id }, root.reveal(), crypto);
      await expect(issued).rejects.toMatchObject({
        code: 'NOT_AUTHORIZED',
        reason: expect.stringContaining(`/${member} ${WORDS}`),
      });
      const { sig: _, ...body } = await issueGrant(content, root.reveal(), crypto);
      const forged = { ...body, [member]: id };
      const signed = await signDocument('grant', forged, root.reveal(), crypto);
      const verified = verifyGrant(signed, {
        crypto,
        holder: member === 'sub' ? id : agentId,
        audience: member === 'aud' ? id : agentId,
        nowMs: NOW,
        hops: 0,
        keysOf: () => [root.publicKey],
        mayGrant: () => true,
      });
      await expect(verified).rejects.toMatchObject({
        code: 'NOT_AUTHORIZED',
        reason: expect.stringContaining(WORDS),
      });
    }
  });

  test.each(RESERVED)('A18 there is no key bundle of %s', async (id) => {
    const { bundle, root } = await newIdentity();
    const { sig: _, ...body } = bundle.document;
    const document = await signDocument('bundle', { ...body, agent_id: id }, root.reveal(), crypto);
    await expect(verifyKeyBundle(document, { crypto, nowMs: NOW })).rejects.toMatchObject({
      reason: '/agent_id must be the did:key of an Ed25519 key',
    });
  });
});
