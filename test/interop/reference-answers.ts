// Our client, mostly the command line, against the reference's servers: transports, modes, signing forms, encodings and
// content types.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import { homeAt } from '../../cli/home/home.ts';
import { peersOf } from '../../cli/home/identities.ts';
import { KeyDirectory } from '../../keys/index.ts';
import type { JsonObject, Runtime } from '../../src/index.ts';
import { createRuntime } from '../../src/index.ts';
import type { BindingDocument } from '../../src/security/index.ts';
import { chooseProvider, decodeBase64url, verifySessionBinding } from '../../src/security/index.ts';
import { http } from '../../transports/http/index.ts';
import { ipc } from '../../transports/ipc/index.ts';
import { ws } from '../../transports/ws/index.ts';
import { afterSuite } from './cleanup.ts';
import type { LabelPeer, Mode } from './label-peer.ts';
import { SERVER_SWITCHES, addPeer, newLabelPeer } from './label-peer.ts';
import type { OurIdentity } from './our-agent.ts';
import { OurHome } from './our-agent.ts';
import { AWKWARD_ARGS, TASK } from './reference-client.ts';
import type { Encoding, ReferenceForm, TransportName } from './reference-peer.ts';
import { ReferencePeer, jsonText, serveReference } from './reference-peer.ts';
import { freePort } from '../support/wire/free-port.ts';

const TRANSPORTS: readonly TransportName[] = ['http', 'ws', 'ipc'];
const FORMS: readonly ReferenceForm[] = ['json', 'cbor'];
const MODES: readonly Mode[] = ['none', 'sig', 'enc+sig'];
const CANON = { json: 'python', cbor: 'cbor' } as const;

/** Which encodings a server of an installation can read. */
const ENCODINGS: Readonly<Record<ReferenceForm, readonly Encoding[]>> = {
  json: ['json'],
  cbor: ['json', 'cbor'],
};

const provider = chooseProvider('auto');

export function referenceAnswers(python: string): void {
  const references = new Map<ReferenceForm, ReferencePeer>();
  const cliPeers = new Map<ReferenceForm, LabelPeer>();
  const addresses = new Map<string, string>();
  const atEnd = afterSuite();
  let home: OurHome;
  let operator: OurIdentity;
  let runtime: Runtime;

  const keyOf = (...parts: string[]): string => parts.join(' ');
  const addressOf = (...parts: string[]): string => addresses.get(keyOf(...parts))!;

  /** One agent of the reference, served over every transport, and its entry in our book. */
  async function serve(form: ReferenceForm, encoding: Encoding, mode: Mode): Promise<void> {
    const reference = references.get(form)!;
    const peer = await newLabelPeer(reference, `answers-${mode}-${form}-${encoding}`);
    const policy = {
      mode,
      trusted: { [operator.sign.kid]: operator.sign.public },
      kids: { [operator.agentId]: operator.sign.kid },
      decrypt: { [peer.enc.kid]: peer.enc.secret },
    };
    for (const transport of TRANSPORTS) {
      const asked = { transport, encoding, ...(mode !== 'none' && { policy }) };
      const { address } = await reference.ask<{ address: string }>('serve', asked);
      addresses.set(keyOf(transport, mode, form, encoding), address);
    }
    await addPeer(home, peer, {
      switches: SERVER_SWITCHES[mode],
      urls: TRANSPORTS.map((transport) => addressOf(transport, mode, form, encoding)),
      canon: CANON[form],
    });
  }

  /** The reference's own `serve --secure-required`, with its audit log, which leaves a receipt in each answer. */
  async function serveSecure(form: ReferenceForm): Promise<void> {
    const peer = await newLabelPeer(references.get(form)!, `answers-cli-${form}`);
    const file = async (name: string, value: JsonObject | string): Promise<string> => {
      const path = join(home.path, `${form}-${name}`);
      await writeFile(path, typeof value === 'string' ? value : jsonText(value));
      return path;
    };
    const trusted = await file('trusted.json', { [operator.sign.kid]: operator.sign.public });
    const kids = await file('kids.json', { [operator.agentId]: operator.sign.kid });
    const decrypt = await file('decrypt.json', { [peer.enc.kid]: peer.enc.secret });
    const sessionKey = await file('session.key', peer.sign.secret);
    const port = await freePort();
    const how = { hasCbor: form === 'cbor' };
    const server = await serveReference(python, how, {
      'deployment-mode': 'dev',
      port: String(port),
      'secure-required': true,
      'trusted-signing-keys-file': trusted,
      'agent-kid-map-file': kids,
      'decrypt-keys-file': decrypt,
      'session-binding-signing-key-file': sessionKey,
      'allow-tool': 'sys.ping',
      'audit-log-file': join(home.path, `${form}-audit.log`),
    });
    atEnd(() => server.stop());
    cliPeers.set(form, peer);
    await addPeer(home, peer, {
      switches: [...SERVER_SWITCHES['enc+sig'], 'v1-session'],
      urls: [`http://127.0.0.1:${port}/a2a`],
      canon: CANON[form],
    });
  }

  beforeAll(async () => {
    home = await OurHome.create();
    atEnd(() => home.remove());
    operator = await home.identity('operator');
    for (const form of FORMS) {
      const reference = new ReferencePeer(python, { hasCbor: form === 'cbor' });
      atEnd(() => reference.stop());
      references.set(form, reference);
      await serveSecure(form);
      for (const encoding of ENCODINGS[form]) {
        for (const mode of MODES) await serve(form, encoding, mode);
      }
    }
    const paths = homeAt(home.path);
    runtime = createRuntime({
      identity: await new KeyDirectory(paths.keys, { crypto: provider }).load('operator'),
      peers: await peersOf(paths, 'operator'),
      transports: [http(), ws(), ipc()],
      audit: false,
    });
    atEnd(() => runtime.close({ graceMs: 0 }));
  });

  describe.each(FORMS)('an installation that signs over %s', (form) => {
    describe.each(ENCODINGS[form])('messages in %s', (encoding) => {
      describe.each(TRANSPORTS)('over %s', (transport) => {
        test('our command line sends a sealed task', async () => {
          const address = addressOf(transport, 'enc+sig', form, encoding);
          const answer = await home.succeed('send', address, 'say hello', '--encoding', encoding);
          const from = `did:key:answers-enc+sig-${form}-${encoding}`;
          expect(answer).toMatchObject({ from, proven: false, task: { status: 'accepted' } });
        });

        test('our command line sends a signed task', async () => {
          const address = addressOf(transport, 'sig', form, encoding);
          const words = ['send', address, 'say hello', '--sign-only', '--encoding', encoding];
          const from = `did:key:answers-sig-${form}-${encoding}`;
          expect(await home.succeed(...words)).toMatchObject({ ok: true, from });
        });

        test('our runtime sends an unsigned task', async () => {
          const address = addressOf(transport, 'none', form, encoding);
          const how = { mode: 'none', encoding, timeoutMs: 10_000 } as const;
          const content = { ct: 'task.v1', payload: TASK };
          const received = await runtime.connect(address).request(content, how).result();
          const goal = { op: 'add', path: '/goal', value: TASK.goal };
          expect(received).toMatchObject({
            isProven: false,
            payload: { patch: expect.arrayContaining([goal]) },
          });
        });

        test('answers to requests on one connection find their requests', async () => {
          const agent = runtime.connect(addressOf(transport, 'enc+sig', form, encoding));
          const values = [1, 2, 3, 4];
          const results = await Promise.all(
            values.map((value) => agent.call('sys.ping', { value }, { encoding })),
          );
          expect(results).toMatchObject(values.map((value) => ({ echo: { value } })));
        });
      });
    });

    test('is one indeed', async () => {
      expect(await references.get(form)!.ask('about')).toEqual({ cbor: form === 'cbor' });
    });

    describe('serve --secure-required', () => {
      const peer = `did:key:answers-cli-${form}`;

      const sendPayload = async (ct: string, payload: JsonObject): Promise<JsonObject> => {
        const words = ['send', peer, '--ct', ct, '--payload', '-'];
        const ran = await home.feed(jsonText(payload), ...words);
        return (ran.code === 0 ? ran.json() : ran.error()) as JsonObject;
      };

      test('takes a task, also from a client that would take a stream', async () => {
        const answer = await home.succeed('send', peer, 'say hello', '--stream');
        expect(answer).toMatchObject({ ok: true, task: { status: 'accepted' } });
      });

      test('echoes numbers and names as we wrote them', async () => {
        const { code, stdout, stderr } = await home.run('call', peer, 'sys.ping', AWKWARD_ARGS);
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        expect(stdout).toContain(`"echo":${AWKWARD_ARGS}`);
      });

      test('tells of a tool that it does not allow', async () => {
        const { code, error } = await home.run('call', peer, 'math.add', '{"values":[1]}');
        expect(code).toBe(1);
        expect(error()).toMatchObject({ code: 'TOOL_FAILED' });
      });

      test('negotiates', async () => {
        const offer = { need: {}, have: {}, ask: [], supported_ct: ['task.v1'] };
        const answer = await sendPayload('negotiation.v1', offer);
        expect(answer).toMatchObject({
          ct: 'negotiation.v1',
          payload: { supported_ct: expect.arrayContaining(['task.v1']) },
        });
      });

      test('shows its trust registry', async () => {
        const answer = await sendPayload('trustsync.v1', { op: 'discover' });
        const trusted = { [operator.sign.kid]: operator.sign.public };
        expect(answer).toMatchObject({
          ct: 'trustsync.v1',
          payload: { status: 'snapshot', snapshot: { trusted_signing_keys: trusted } },
        });
      });

      test('opens a session, whose signature holds in the form of v1 and in no other', async () => {
        const opening = { profile: { ct: ['task.v1'] }, nonce: 'nonce-of-ours' };
        const answer = await sendPayload('session.v1', { op: 'open', ...opening });
        const { expires, binding_sig: signature } = answer['payload'] as Record<string, string>;
        const document: BindingDocument = {
          from_agent: operator.agentId,
          to_agent: peer,
          ...opening,
          expires: expires!,
        };
        const publicKey = decodeBase64url(cliPeers.get(form)!.sign.public)!;
        const holds = (v1Session: boolean): Promise<boolean> =>
          verifySessionBinding(document, signature!, { publicKey, crypto: provider, v1Session });
        expect([await holds(true), await holds(false)]).toEqual([true, false]);
      });

      test.each([
        ['state.v1', { base: `sha256:${'0'.repeat(64)}`, patch: [] }],
        ['artifact.v1', { items: [], refs: [] }],
        ['toolresult.v1', { call_id: 'c', ok: true, result: {}, logs: [], metrics: {} }],
        ['error.v1', { code: 'INTERNAL', message: 'no', details: {}, retryable: false }],
      ])('says that it has nobody for %s', async (ct, payload) => {
        expect(await sendPayload(ct, payload)).toMatchObject({ code: 'UNSUPPORTED_CT' });
      });

      test('refuses what is only signed', async () => {
        const { code, error } = await home.run('send', peer, 'say hello', '--sign-only');
        expect(code).toBe(1);
        expect(error()).toMatchObject({ code: 'SECURITY_UNSUPPORTED' });
      });

      test('cannot verify the other form', async () => {
        const other = form === 'json' ? 'cbor' : 'python';
        await home.succeed('peers', 'set', peer, '--canon', other);
        const { error } = await home.run('send', peer, 'say hello');
        await home.succeed('peers', 'set', peer, '--canon', CANON[form]);
        expect(error()).toMatchObject({ code: 'SECURITY_UNSUPPORTED' });
        expect(await home.succeed('send', peer, 'say hello')).toMatchObject({ ok: true });
      });

      test('is not believed without the switches that its entry has', async () => {
        const without = async (name: string): Promise<JsonObject> => {
          const kept = SERVER_SWITCHES['enc+sig'].filter((one) => one !== name);
          const words = kept.flatMap((one) => ['--compat', one]);
          await home.succeed('peers', 'set', peer, ...words);
          const { error } = await home.run('send', peer, 'say hello');
          return error();
        };
        expect(await without('label-id')).toMatchObject({ code: 'SENDER_REFUSED' });
        expect(await without('unsigned-replies')).toMatchObject({ code: 'MODE_REFUSED' });
        expect(await without('plain-replies')).toMatchObject({ code: 'MODE_REFUSED' });
      });
    });
  });
}
