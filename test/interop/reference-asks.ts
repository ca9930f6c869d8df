// The reference's client against our daemon: transports, modes, signing forms, encodings and content types.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import type { JsonObject } from '../../src/index.ts';
import { parse } from '../support/wire/bytes.ts';
import { afterSuite } from './cleanup.ts';
import type { AddedPeer, LabelPeer, Mode } from './label-peer.ts';
import { CLIENT_SWITCHES, addPeer, newLabelPeer } from './label-peer.ts';
import { OurHome, serveDaemon } from './our-agent.ts';
import { AWKWARD_ARGS, ReferenceClient, TASK, stateOf } from './reference-client.ts';
import type { Encoding, Flags, Judged, ReferenceForm, TransportName } from './reference-peer.ts';
import { ReferencePeer, jsonText, runReference } from './reference-peer.ts';

const TRANSPORTS: readonly TransportName[] = ['http', 'ws', 'ipc'];
const ENCODINGS: readonly Encoding[] = ['json', 'cbor'];
const FORMS: readonly ReferenceForm[] = ['json', 'cbor'];

const APPROVER = 'did:key:approver';

/** Peers that are asked as for one rule alone. */
const SPECIAL_PEERS: readonly (AddedPeer & { readonly name: string })[] = [
  { name: 'without-switches', switches: [] },
  { name: 'only-signed', switches: ['label-id'] },
  { name: 'unbound', switches: ['label-id'] },
  { name: 'governor', switches: ['label-id', 'unbound-enc', 'v1-trustsync'] },
  { name: 'without-key', switches: ['label-id', 'unbound-enc'], hasEncKey: false },
  {
    name: 'plain',
    switches: ['label-id', 'unbound-enc', 'plain-replies'],
    hasEncKey: false,
  },
  { name: 'without-nonce', switches: ['label-id', 'no-replay'] },
];

export function referenceAsks(python: string): void {
  const peers = new Map<string, LabelPeer>();
  const atEnd = afterSuite();
  let client: ReferenceClient;

  const peerOf = (mode: Mode, form: ReferenceForm): LabelPeer => peers.get(`${mode}-${form}`)!;

  beforeAll(async () => {
    const reference = new ReferencePeer(python, { hasCbor: true });
    atEnd(() => reference.stop());
    const home = await OurHome.create();
    atEnd(() => home.remove());
    for (const mode of ['none', 'sig', 'enc+sig'] as const) {
      for (const form of FORMS) {
        const peer = await newLabelPeer(reference, `asks-${mode}-${form}`);
        peers.set(`${mode}-${form}`, peer);
        await addPeer(home, peer, { switches: CLIENT_SWITCHES[mode] });
      }
    }
    for (const { name, ...entry } of SPECIAL_PEERS) {
      const peer = await newLabelPeer(reference, `asks-${name}`);
      peers.set(name, peer);
      await addPeer(home, peer, entry);
    }
    const config = join(home.path, 'config.json');
    await writeFile(
      config,
      JSON.stringify({ approvers: { [APPROVER]: peers.get('governor')!.sign.public } }),
    );
    const daemon = await serveDaemon(home, '--config', config);
    atEnd(() => daemon.stop());
    client = new ReferenceClient(reference, home, await home.identity('agent'), daemon);
  });

  describe.each(TRANSPORTS)('over %s', (transport) => {
    test.each(ENCODINGS)('an unsigned task in %s is answered, signed', async (encoding) => {
      const peer = peerOf('none', encoding);
      const question = { transport, encoding, form: 'json' } as const;
      const judged = await client.ask(peer, 'none', question);
      expect(judged).toMatchObject({ ct: 'state.v1', mode: 'sig', verified: true });
      expect(stateOf(judged)['status']).toBe('completed');
    });

    describe.each(FORMS)('signed over %s', (form) => {
      test.each(ENCODINGS)('a signed task in %s gets an answer signed alike', async (encoding) => {
        const peer = peerOf('sig', form);
        const judged = await client.ask(peer, 'sig', { transport, encoding, form });
        expect(judged).toMatchObject({ ct: 'state.v1', mode: 'sig', verified: true });
        expect(judged).toMatchObject({ re: judged.sent_id, from: client.agent.agentId });
        expect(stateOf(judged)['status']).toBe('completed');
      });

      test.each(ENCODINGS)('a sealed task in %s gets a sealed answer', async (encoding) => {
        const peer = peerOf('enc+sig', form);
        const judged = await client.ask(peer, 'enc+sig', { transport, encoding, form });
        expect(judged).toMatchObject({ ct: 'state.v1', mode: 'enc+sig', verified: true });
        expect(judged).toMatchObject({ re: judged.sent_id, from: client.agent.agentId });
        expect(stateOf(judged)['status']).toBe('completed');
      });
    });
  });

  describe.each(FORMS)('content types, signed over %s', (form) => {
    const ask = (ct: string, payload: JsonObject | string): Promise<Judged> =>
      client.ask(peerOf('enc+sig', form), 'enc+sig', { form, ct, payload });

    test('numbers and names come back as the reference wrote them', async () => {
      const payload = `{"tool":"sys.ping","call_id":"c1","args":${AWKWARD_ARGS},"expect":{}}`;
      const judged = await ask('toolcall.v1', payload);
      expect(judged).toMatchObject({ ct: 'toolresult.v1', verified: true });
      expect(judged.payload).toContain(`"echo":${AWKWARD_ARGS}`);
    });

    test('a sum is the float that the reference would give', async () => {
      const args = { values: [1, 2] };
      const payload = { tool: 'math.add', call_id: 'c2', args, expect: {} };
      const judged = await ask('toolcall.v1', payload);
      expect(judged).toMatchObject({ ct: 'toolresult.v1', verified: true });
      expect(judged.payload).toContain('"sum":3.0');
    });

    test('a negotiation tells what our agent knows', async () => {
      const judged = await ask('negotiation.v1', { need: {}, have: {}, ask: [], supported_ct: [] });
      expect(judged).toMatchObject({ ct: 'negotiation.v1', verified: true });
      expect(parse(judged.payload)).toMatchObject({
        supported_ct: expect.arrayContaining(['session.v1', 'task.v1', 'trustsync.v1']),
      });
    });

    test('a session that the reference opens is named as the reference names it', async () => {
      const profile = { ct: ['task.v1'], mode: 'enc+sig' };
      const judged = await ask('session.v1', { op: 'open', profile, nonce: `nonce-${form}` });
      expect(judged).toMatchObject({ ct: 'session.v1', verified: true });
      const answer = parse(judged.payload) as Record<string, string>;
      const { binding_id: session = '', expires = '' } = answer;
      const document = {
        from_agent: peerOf('enc+sig', form).agentId,
        to_agent: client.agent.agentId,
        profile,
        nonce: `nonce-${form}`,
        expires,
      };
      const named = await client.reference.ask('binding_id', { document: jsonText(document) });
      expect(named).toEqual({ binding_id: session });

      const inSession = { form, session };
      const held = await client.ask(peerOf('enc+sig', form), 'enc+sig', inSession);
      expect(held.ct).toBe('state.v1');
      const stolen = await client.ask(peerOf('sig', form), 'sig', inSession);
      expect(stolen.ct).toBe('error.v1');
      expect(parse(stolen.payload)).toMatchObject({ details: { reason: 'SESSION_INVALID' } });
    });

    test('a state that the reference sends is applied', async () => {
      const base = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
      const patch = [{ op: 'add', path: '/status', value: 'ready' }];
      const judged = await ask('state.v1', { base, patch });
      expect(judged).toMatchObject({ ct: 'state.v1', verified: true });
      expect((parse(judged.payload) as JsonObject)['base']).not.toBe(base);
    });

    test.each([
      ['artifact.v1', { items: [], refs: [] }],
      ['toolresult.v1', { call_id: 'c3', ok: true, result: {}, logs: [], metrics: {} }],
      ['error.v1', { code: 'INTERNAL', message: 'no', details: {}, retryable: false }],
    ])('what %s brings is received', async (ct, payload) => {
      const judged = await ask(ct, payload);
      expect(judged).toMatchObject({ ct: 'state.v1', verified: true });
      expect(stateOf(judged)['status']).toBe('received');
    });
  });

  describe('the trust registry', () => {
    test('a change that an approver of the reference signed is applied, and shown', async () => {
      const governor = peers.get('governor')!;
      const registry = {
        trusted_signing_keys: { 'did:key:new#sig1': peerOf('sig', 'json').sign.public },
        required_kid_by_agent: { 'did:key:new': 'did:key:new#sig1' },
        seq: 1,
        prev_hash: 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        aud: client.agent.agentId,
        exp: new Date(Date.now() + 600_000).toISOString(),
      };
      const { payload } = await client.reference.ask<{ payload: string }>('proposal', {
        registry: jsonText(registry),
        approver: APPROVER,
        secret: governor.sign.secret,
      });
      const proposed = await client.ask(governor, 'enc+sig', { ct: 'trustsync.v1', payload });
      expect(parse(proposed.payload)).toMatchObject({ status: 'accepted' });

      const asked = { ct: 'trustsync.v1', payload: { op: 'discover' } };
      const found = await client.ask(governor, 'enc+sig', asked);
      expect(found).toMatchObject({ ct: 'trustsync.v1', verified: true });
      expect(parse(found.payload)).toMatchObject({
        status: 'snapshot',
        snapshot: { required_kid_by_agent: { 'did:key:new': 'did:key:new#sig1' } },
      });
    });

    test('without the switch v1-trustsync such a signature counts for nothing', async () => {
      const { payload } = await client.reference.ask<{ payload: string }>('proposal', {
        registry: jsonText({ revoked_kids: ['did:key:new#sig1'] }),
        approver: APPROVER,
        secret: peers.get('governor')!.sign.secret,
      });
      const question = { ct: 'trustsync.v1', payload };
      const judged = await client.ask(peerOf('enc+sig', 'cbor'), 'enc+sig', question);
      expect(parse(judged.payload)).toMatchObject({ status: 'rejected' });
    });
  });

  describe('each switch is needed', () => {
    test.each([
      ['label-id', 'without-switches', 'sig', 'SENDER_REFUSED'],
      ['unsigned-requests', 'only-signed', 'none', 'MODE_REFUSED'],
      ['unbound-enc', 'unbound', 'enc+sig', 'BINDING_INVALID'],
      ['plain-replies', 'without-key', 'enc+sig', 'MODE_REFUSED'],
    ] as const)('without %s the reference is refused', async (_switch, name, mode, verdict) => {
      const judged = await client.ask(peers.get(name)!, mode);
      expect(judged.ct).toBe('error.v1');
      expect(parse(judged.payload)).toMatchObject({ code: 'SECURITY_UNSUPPORTED', details: {} });
      expect(client.daemon.messages.at(-1)).toMatchObject({ verdict });
    });
  });

  describe("the reference's own command line", () => {
    const send = (peer: LabelPeer, flags: Flags = {}): Promise<string> =>
      runReference(python, 'send', {
        url: client.daemon.addresses.http,
        ct: 'task.v1',
        'payload-json': jsonText(TASK),
        'from-agent': peer.agentId,
        'to-agent': client.agent.agentId,
        'sign-key': peer.sign.secret,
        'sign-kid': peer.sign.kid,
        ...flags,
      });

    test('its secure message is answered, in clear to a peer without a known key', async () => {
      const { kid, public: key } = client.agent.enc;
      const sealed = { secure: true, 'encrypt-kid': kid, 'encrypt-pub': key } as const;
      const answer = await send(peers.get('plain')!, sealed);
      expect(parse(answer)).toMatchObject({ ct: 'state.v1', sec: { mode: 'sig' } });
    });

    test('without --secure it sends no nonce, which only no-replay lets pass', async () => {
      const refused = await send(peers.get('only-signed')!);
      expect(parse(refused)).toMatchObject({
        payload: { code: 'BAD_REQUEST', details: { reason: 'ENVELOPE_INVALID' } },
      });
      const answer = await send(peers.get('without-nonce')!);
      expect(parse(answer)).toMatchObject({ ct: 'state.v1', sec: { mode: 'sig' } });
    });
  });
}
