// Group D of the weaknesses, errors as an oracle: what a refusal tells, and that refusals for security tell all the same.
// Marks stand in everything that no answer may repeat: payloads, kids, nonces, ciphertexts, keys.

import { describe, expect, test } from 'vitest';

import { encodeBase64url } from '../../src/codec/base64url.ts';
import { writePythonJson } from '../../src/codec/canonical-python.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import type { Envelope } from '../../src/envelope/types.ts';
import type { SealedEnvelope } from '../../src/pipeline/seal-envelope.ts';
import { embed } from '../../src/schema/descriptor.ts';
import { bindTag } from '../../src/security/message/bind.ts';
import type { OwnIdentity } from '../../src/security/identity/own-identity.ts';
import { encryptPayload } from '../../src/security/message/encrypt-payload.ts';
import { EMPTY_STATE_HASH } from '../../src/state/document.ts';
import type { Inbound } from '../../src/transport.ts';
import { crypto, entryFor, newIdentity } from '../support/agents/agents.ts';
import { textOf, utf8 } from '../support/wire/bytes.ts';
import { taskPayload } from '../support/wire/envelopes.ts';
import type { Draft, Judged, Receiver, Scene, Wire } from '../support/wire/forge.ts';
import {
  changed,
  drop,
  encryptionKeyOf,
  forge,
  judge,
  newScene,
  openedBy,
  put,
  resigned,
  wireOf,
} from '../support/wire/forge.ts';

const MARK = 'MARK-7d1f';
/** Every value that can hold text holds the mark, and so does a member name. */
const marked: JsonObject = {
  ...taskPayload,
  goal: MARK,
  inputs: { [MARK]: MARK },
  acceptance: [MARK],
  [MARK]: { [MARK]: MARK },
};

/** A message with marks in it, as an honest sender seals it. */
function sealed(
  { bob, alice }: Scene,
  draft: Draft = {},
  sender: OwnIdentity = alice,
): Promise<SealedEnvelope> {
  return forge(sender, bob, {
    payload: marked,
    mode: 'enc+sig',
    ...draft,
    replay: { nonce: `${MARK}-nonce`, ...draft.replay },
    members: { id: 'request', ...draft.members },
  });
}

const tampered =
  (...operations: JsonObject[]) =>
  async (scene: Scene): Promise<JsonObject> =>
    resigned(scene.alice, (await sealed(scene)).envelope, ...operations);

const unsignedChange =
  (...operations: JsonObject[]) =>
  async (scene: Scene): Promise<JsonObject> =>
    changed((await sealed(scene)).envelope, ...operations);

const clear = (draft: Draft) => (scene: Scene) => sealed(scene, { mode: 'sig', ...draft });

/** With this as the plaintext, sealed and bound as it should be, or with the tag of another key. */
const withPlaintext =
  (plaintext: Uint8Array, isBound = true) =>
  async (scene: Scene): Promise<JsonObject> => {
    const { envelope } = await sealed(scene);
    const { enc, contentKey } = encryptPayload(plaintext, [encryptionKeyOf(scene.bob)], crypto);
    const shown = changed(
      envelope,
      put('/sec/enc', enc as unknown as JsonObject),
    ) as unknown as Envelope;
    const tag = bindTag(shown, isBound ? contentKey : new Uint8Array(32), crypto);
    return resigned(scene.alice, shown, put('/sec/x/bind', tag));
  };

type Make = (scene: Scene) => Promise<Wire>;
/** What is wrong, and a message of which only that is. */
type Case = readonly [code: string, name: string, make: Make, parts?: Partial<Inbound>];

const casesOf = (code: string, makers: Readonly<Record<string, Make>>): Case[] =>
  Object.entries(makers).map(([name, make]) => [code, name, make]);

const filled = (length: number, fill = 7): string =>
  encodeBase64url(new Uint8Array(length).fill(fill));
const withEnc = (member: string, value: string): Make => tampered(put(`/sec/enc/${member}`, value));
const withEntry = (member: string, value: string): Make => withEnc(`recipients/0/${member}`, value);
const forbidden = { tool: MARK, call_id: MARK, args: marked, expect: {} };

/** Refused once the signature holds: whoever sent them gets a sealed answer. */
const AFTER_VERIFY: readonly Case[] = [
  ...casesOf('DECRYPT_FAILED', {
    'a recipient that is nobody': withEntry('kid', `${MARK}-kid`),
    'an ephemeral key that is no base64url': withEntry('eph', `${MARK}!`),
    'an ephemeral key of small order': withEntry('eph', filled(32, 0)),
    'another ephemeral key': withEntry('eph', filled(32, 9)),
    'a wrap nonce of the wrong length': withEntry('wn', filled(11)),
    'another wrap nonce': withEntry('wn', filled(12)),
    'another wrapped key': withEntry('ek', filled(48)),
    'a nonce of the wrong length': withEnc('nonce', filled(13)),
    'another nonce': withEnc('nonce', filled(12)),
    'another ciphertext': withEnc('ciphertext', filled(64)),
    'a ciphertext shorter than its tag': withEnc('ciphertext', 'AA'),
    'a plaintext that is no JSON': withPlaintext(utf8(`{"goal":"${MARK}`)),
    'a plaintext that is no text': withPlaintext(new Uint8Array([0xff, 0xfe])),
  }),
  ...casesOf('BINDING_INVALID', {
    'no tag': tampered(drop('/sec/x')),
    'another tag': withPlaintext(writePythonJson(marked), false),
  }),
  ...casesOf('NOT_AUTHORIZED', {
    'a tool that it may not call': (scene) =>
      sealed(scene, { ct: 'toolcall.v1', payload: forbidden }),
  }),
];

const foreign = { transport: 'test', address: 'a', certificate: 'c0'.repeat(32) };

/** Refused while nothing is proven. */
const BEFORE_VERIFY: readonly Case[] = [
  ...casesOf('SENDER_REFUSED', {
    'a sender of whom nothing is known': async (scene) => sealed(scene, {}, await newIdentity()),
    'a signer of nobody': tampered(put('/sec/kid', `${MARK}-kid`)),
    'a bundle that is none': tampered(put('/cap/a2a_sdl/bundle', { seq: 2, [MARK]: MARK })),
  }),
  ['SENDER_REFUSED', 'a foreign certificate', sealed, { peer: foreign }],
  ...casesOf('SIGNATURE_INVALID', {
    'a signature that is no base64url': unsignedChange(put('/sec/sig/value', `${MARK}!`)),
    'another signature': unsignedChange(put('/sec/sig/value', filled(64))),
    'another header': unsignedChange(put('/trace/span_id', 'other')),
  }),
  ...casesOf('MODE_REFUSED', {
    'an unknown mode': tampered(put('/sec/mode', MARK)),
    'an unknown algorithm': withEnc('alg', MARK),
    'an unknown form': unsignedChange(put('/sec/sig/canon', MARK)),
    'no signature': (scene) => sealed(scene, { mode: 'enc' }),
    'no security': (scene) => sealed(scene, { mode: 'none' }),
  }),
];

const inSchema = (schema: JsonObject): Make => clear({ members: { schema: embed(schema) } });
const inState = (base: string, operation: JsonObject): Make =>
  clear({ ct: 'state.v1', payload: { base, patch: [operation] } });
const rewritten =
  (change: (text: string) => string): Make =>
  async (scene) =>
    utf8(change(textOf((await sealed(scene, { mode: 'sig' })).bytes)));
const nobody = { agent_id: MARK, name: MARK, instance: MARK, role: MARK };
const hashless = { ...embed({ title: MARK }), id: EMPTY_STATE_HASH };

/** Refused with a reason: what was wrong, and never with which words. */
const WITH_REASON: readonly Case[] = [
  ...casesOf('PAYLOAD_INVALID', {
    'a member of the wrong type': clear({ payload: { ...marked, inputs: MARK } }),
    'the same when it was encrypted': (scene) =>
      sealed(scene, { payload: { ...marked, deliverables: [{ type: MARK, description: MARK }] } }),
    'a task id that is none': clear({ payload: { ...marked, context: { task: { id: [MARK] } } } }),
    'a misfit to the schema of the sender': inSchema({ properties: { [MARK]: { const: MARK } } }),
  }),
  ...casesOf('SCHEMA_UNSUPPORTED', {
    'a reference': inSchema({ $ref: `http://${MARK}/` }),
    'a pattern': inSchema({ properties: { goal: { pattern: `(?=${MARK})` } } }),
  }),
  ...casesOf('ENCODING_INVALID', {
    'a member twice': rewritten((text) => text.replace(`"${MARK}":`, `"${MARK}":1,"${MARK}":`)),
    'text that ends': rewritten((text) => text.slice(0, -1)),
  }),
  ['SCHEMA_HASH', 'another hash', clear({ members: { schema: hashless } })],
  ['CT_UNSUPPORTED', 'an unknown content type', clear({ ct: `${MARK}.v1` })],
  ['VERSION_UNSUPPORTED', 'another version', tampered(put('/v', 2))],
  ['ADDRESS_WRONG', 'a receiver that it is not', clear({ members: { to: nobody } })],
  ['ENVELOPE_INVALID', 'a date that is none', clear({ members: { ts: MARK } })],
  ['TIME_INVALID', 'an end that has passed', clear({ replay: { exp: '2026-11-16T00:28:28Z' } })],
  ['SESSION_INVALID', 'an unknown session', clear({ session: { binding_id: MARK } })],
  ['STATE_BASE', 'another state', inState(MARK, { op: 'remove', path: `/${MARK}` })],
  ['STATE_PATCH', 'a patch', inState(EMPTY_STATE_HASH, { op: 'remove', path: `/${MARK}` })],
  [
    'NUMBER_INEXACT',
    'a number',
    rewritten((text) => text.replace('_s":30', `_s":${2n ** 53n + 1n}`)),
  ],
  ['LIMIT_DEPTH', 'nesting', rewritten((text) => text.replace('{', `{"x":${'['.repeat(99)}`))],
];

const ALL = [...AFTER_VERIFY, ...BEFORE_VERIFY, ...WITH_REASON];

interface Refused {
  readonly scene: Scene;
  readonly judged: Judged;
  readonly request: string;
  /** What the answer says, in clear. */
  readonly opened: JsonValue;
}

async function refuse([, , make, parts]: Case): Promise<Refused> {
  const scene = await newScene();
  const { bob, alice } = scene;
  const certificates = parts && { certificates: ['a1'.repeat(32)] };
  bob.book.add(entryFor(alice, { tools: ['sys.ping'], ...certificates }));
  const { bytes } = wireOf(await make(scene));
  const judged = await judge(bob, bytes, parts);
  return { scene, judged, request: textOf(bytes), opened: openedBy(alice, judged.reply) };
}

/** What stands in the request and may not come back: ciphertexts, tags, nonces, and the keys of the receiver. */
function secretsOf(request: string, { identity }: Receiver): string[] {
  const members = /"(?:value|nonce|ciphertext|eph|wn|ek|bind)":"([^"]{8,})"/g;
  const sent = [...request.matchAll(members)].map(([, text]) => text!);
  const keys = [identity.root, ...identity.keys.map(({ key }) => key)].map((key) => key.reveal());
  return [
    MARK,
    ...sent,
    ...keys.flatMap((key) => [encodeBase64url(key), Buffer.from(key).toString('hex')]),
  ];
}

const ANEW: ReadonlySet<string> = new Set(
  'id ts root_id span_id parent_span_id agent_id kid key sig value nonce ciphertext eph wn ek req bind'.split(
    ' ',
  ),
);

describe('W47 errors #errors-opaque #errors-no-data #sec-undecryptable', () => {
  const rows = ALL.map((one) => [one[0], one[1], one] as const);

  test.each(rows)('W47 %s for %s: the answer repeats nothing', async (code, _name, one) => {
    const { scene, judged, request, opened } = await refuse(one);
    expect(judged.code).toBe(code);
    expect(judged.reply).toMatchObject({ ct: 'error.v1' });
    const whole = JSON.stringify([judged.reply, opened]);
    for (const secret of secretsOf(request, scene.bob)) expect(whole).not.toContain(secret);
    expect(scene.bob.runs).toEqual([]);
  });

  test('W47 whatever check of security failed, the answer is the same', async () => {
    const answers = new Set<string>();
    for (const refused of [...AFTER_VERIFY, ...BEFORE_VERIFY]) {
      const { judged, opened } = await refuse(refused);
      const { type, ct, schema, re } = judged.reply as Record<string, JsonValue>;
      answers.add(
        textOf(writePythonJson({ type: type!, ct: ct!, schema: schema!, re: re!, opened })),
      );
      expect(judged.replies[0]!.status).toBe(200);
    }
    expect([...answers]).toHaveLength(1);
    expect(JSON.parse([...answers][0]!)).toMatchObject({
      re: 'request',
      opened: { code: 'SECURITY_UNSUPPORTED', details: {}, retryable: false },
    });
  });

  test('W47 which step of the decryption failed shows in no member of the answer, nor in its length', async () => {
    const answers = new Set<string>();
    for (const refused of AFTER_VERIFY) {
      const { judged, opened } = await refuse(refused);
      // Of what is new in every answer the length counts.
      const told = JSON.stringify([judged.reply, opened], (name, value: unknown) =>
        ANEW.has(name) && typeof value === 'string' ? value.length : value,
      );
      answers.add(told);
    }
    expect([...answers]).toHaveLength(1);
  });

  test('W47 a lifted ciphertext is refused like any other, whatever limit its plaintext breaks', async () => {
    const { bob, alice, mallory } = await newScene();
    const nested = Array.from({ length: 70 }).reduce<JsonValue>((inner) => [inner], MARK);
    const captured = await forge(alice, bob, { mode: 'enc+sig', payload: nested });
    const own = await forge(mallory, bob, { mode: 'enc+sig' });
    const { enc, x } = captured.envelope.sec as unknown as Record<string, JsonObject>;
    const lifted = await resigned(mallory, own.envelope, put('/sec/enc', enc!), put('/sec/x', x!));
    const { reply } = await judge(bob, lifted);
    expect(openedBy(mallory, reply)).toMatchObject({ code: 'SECURITY_UNSUPPORTED', details: {} });
  });

  test('W47 what a handler throws stays here', async () => {
    const failing = (): never => {
      throw new Error(MARK);
    };
    const scene = await newScene({
      onTask: failing,
      tools: [{ name: 'fails', args: {}, run: failing }],
    });
    const { bob, alice } = scene;
    const call = { tool: 'fails', call_id: 'c', args: {}, expect: {} };
    for (const draft of [{ payload: taskPayload }, { ct: 'toolcall.v1', payload: call }]) {
      const { reply } = await judge(bob, await forge(alice, bob, draft));
      expect(JSON.stringify(reply)).not.toContain(MARK);
    }
  });
});
