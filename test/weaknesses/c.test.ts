// Group C of the weaknesses: canonical forms and parsing, through the pipeline.
// Each test is the attack; without its fix it succeeds.

import { describe, expect, test } from 'vitest';

import { decodeBase64url, encodeBase64url } from '../../src/codec/base64url.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { LosslessNumber } from '../../src/codec/value.ts';
import { checkShape } from '../../src/envelope/shape.ts';
import type { Envelope, SigningForm } from '../../src/envelope/types.ts';
import { embed } from '../../src/schema/descriptor.ts';
import { signDocument } from '../../src/security/identity/document-signature.ts';
import type { OwnIdentity } from '../../src/security/identity/own-identity.ts';
import { signingKeyOf } from '../../src/security/identity/own-identity.ts';
import { signEnvelope } from '../../src/security/message/sign.ts';
import { signingInput } from '../../src/security/message/signing-input.ts';
import { NOW, crypto, entryFor } from '../support/agents/agents.ts';
import { parse, textOf, utf8 } from '../support/wire/bytes.ts';
import { registry, taskPayload } from '../support/wire/envelopes.ts';
import type { Draft } from '../support/wire/forge.ts';
import { changed, drop, forge, judge, newScene, put, resigned } from '../support/wire/forge.ts';

const FORMS: readonly SigningForm[] = ['jcs', 'python', 'cbor'];

const withInputs = (inputs: JsonValue, more: Draft = {}): Draft => ({
  ...more,
  payload: { ...taskPayload, inputs },
});

/** Signed in one form, whatever the message says of it. */
async function signedIn(
  form: SigningForm,
  sender: OwnIdentity,
  message: JsonObject,
): Promise<JsonObject> {
  const blank = changed(message, put('/sec/sig/value', ''));
  return (await signEnvelope(blank, form, signingKeyOf(sender, NOW).key.reveal(), crypto)).envelope;
}

/** The message as text, with one piece of it replaced. */
function rewritten(
  { bytes }: { readonly bytes: Uint8Array },
  piece: string,
  by: string,
): Uint8Array {
  const text = textOf(bytes);
  expect(text.split(piece)).toHaveLength(2);
  return utf8(text.replace(piece, () => by));
}

describe('W26 W28 the form that is signed #sec-canon #python-json', () => {
  const pairs = FORMS.flatMap((form) =>
    FORMS.filter((other) => other !== form).map((other) => [form, other] as const),
  );

  test.each(pairs)(
    'W26 a signature over %s that is announced as %s is refused',
    async (form, announced) => {
      const { bob, alice } = await newScene();
      const { envelope } = await forge(alice, bob, withInputs({ n: new LosslessNumber('1.0') }));
      const message = changed(envelope, put('/sec/sig/canon', announced));
      expect((await judge(bob, await signedIn(form, alice, message))).code).toBe(
        'SIGNATURE_INVALID',
      );
      expect(bob.runs).toEqual([]);
    },
  );

  test.each(['python', 'cbor'] as const)(
    'W26 a peer of either installation, here %s, is understood without saying so and gets its own form back',
    async (form) => {
      const { bob, alice } = await newScene();
      const { envelope } = await forge(alice, bob, withInputs({ n: new LosslessNumber('1.0') }));
      const asV1 = changed(envelope, drop('/sec/sig/canon'), drop('/cap/a2a_sdl/x'));
      const { code, reply } = await judge(bob, await signedIn(form, alice, asV1));
      expect(code).toBeUndefined();
      expect(reply).toMatchObject({ sec: { sig: { canon: form } } });
    },
  );

  test('W28 a signature over members in UTF-16 order is none over Python-JSON', async () => {
    const { bob, alice } = await newScene();
    const draft = withInputs({ '\u{1F600}': 1, '\uFF5E': 2 }, { form: 'python' });
    const { envelope } = await forge(alice, bob, draft);
    // The two forms of this message differ in the order of two members and in nothing else.
    const inOtherOrder = await signedIn('jcs', alice, envelope as unknown as JsonObject);
    expect((await judge(bob, inOtherOrder)).code).toBe('SIGNATURE_INVALID');
    expect((await judge(bob, envelope)).code).toBeUndefined();
    expect(bob.runs).toHaveLength(1);
  });
});

describe('W27 numbers under a signature #values-numbers #jcs-exact #jcs-merge', () => {
  test.each([
    ['"one":1', '"one":1.0'],
    ['"one":1', '"one":10e-1'],
    ['"none":0', '"none":-0'],
    ['"none":0', '"none":-0.0'],
    ['"hundred":100', '"hundred":1E2'],
    ['"half":0.5', '"half":0.50'],
    ['"time_budget_s":30', '"time_budget_s":30.0'],
  ])('W27 %s written as %s under a JCS signature has no effect', async (piece, by) => {
    const { bob, alice } = await newScene();
    const draft = withInputs({ one: 1, none: 0, hundred: 100, half: 0.5 });
    const message = await forge(alice, bob, draft);
    expect((await judge(bob, rewritten(message, piece, by))).code).toBeUndefined();
    expect(bob.runs.map(spellings)).toEqual([spellings(draft.payload as JsonObject)]);
  });

  /** The numbers of a payload by the letter: this writer keeps the spelling of each. */
  function spellings(payload: JsonObject): Record<string, string> {
    const { time_budget_s } = payload['constraints'] as JsonObject;
    const numbers = { ...(payload['inputs'] as JsonObject), time_budget_s: time_budget_s! };
    return Object.fromEntries(
      Object.entries(numbers).map(([name, value]) => [name, textOf(writeJson(value))]),
    );
  }

  test.each(['python', 'cbor'] as const)(
    'W27 1 written as 1.0 breaks a signature over %s',
    async (form) => {
      const { bob, alice } = await newScene();
      const message = await forge(alice, bob, withInputs({ one: 1 }, { form }));
      expect((await judge(bob, rewritten(message, '"one":1', '"one":1.0'))).code).toBe(
        'SIGNATURE_INVALID',
      );
      expect(bob.runs).toEqual([]);
    },
  );

  test.each(['9007199254740993', '9007199254740992', '9007199254740992.0', '-9007199254740993'])(
    'W27 %s, which a double rounds, is refused under a JCS signature over the rounded number',
    async (number) => {
      const { bob, alice } = await newScene();
      const { envelope } = await forge(alice, bob, withInputs({ amount: 7_777_777 }));
      // RFC 8785 by the letter: the text of the nearest double, whoever the reader is.
      const input = textOf(signingInput(envelope as unknown as JsonObject, 'jcs'));
      const rounded = input.replace('7777777', String(Number(number)));
      const signature = await crypto.sign(utf8(rounded), signingKeyOf(alice, NOW).key.reveal());
      const message = changed(
        envelope,
        put('/sec/sig/value', encodeBase64url(signature)),
        put('/payload/inputs/amount', new LosslessNumber(number)),
      );
      expect((await judge(bob, message)).code).toBe('NUMBER_INEXACT');
      expect(bob.runs).toEqual([]);
    },
  );
});

describe('W29 W30 W33 what JSON leaves open #json-duplicate #values-names #json-surrogate', () => {
  test.each([
    ['"goal":"Return short status"', '"goal":"first","goal":"Return short status"'],
    ['"goal":"Return short status"', '"goal":"Return short status","go\\u0061l":"last"'],
    ['"ct":"task.v1"', '"ct":"toolcall.v1","ct":"task.v1"'],
    ['"mode":"sig"', '"mode":"none","mode":"sig"'],
  ])('W29 %s doubled to %s is refused', async (piece, by) => {
    const { bob, alice } = await newScene();
    const doubled = rewritten(await forge(alice, bob), piece, by);
    const { outcome, code } = await judge(bob, doubled);
    expect([outcome.stage, code]).toEqual(['decode', 'ENCODING_INVALID']);
    expect(bob.runs).toEqual([]);
  });

  test.each(
    FORMS.flatMap((form) =>
      ['"a":1', '"mode":"sig"', '"modalities":["text"]', '"type":"req"'].map(
        (beside) => [form, beside] as const,
      ),
    ),
  )(
    'W30 __proto__ put into a message that is signed over %s, beside %s, breaks the signature',
    async (form, beside) => {
      const { bob, alice } = await newScene();
      const message = await forge(alice, bob, withInputs({ a: 1 }, { form }));
      const polluted = rewritten(message, beside, `"__proto__":{"isAdmin":true},${beside}`);
      expect((await judge(bob, polluted)).code).toBe('SIGNATURE_INVALID');
      expect(bob.runs).toEqual([]);
    },
  );

  test('W30 a signed __proto__ reaches the handler as data and nothing else', async () => {
    const { bob, alice } = await newScene();
    const inputs = parse('{"__proto__":{"isAdmin":true}}');
    expect((await judge(bob, await forge(alice, bob, withInputs(inputs)))).code).toBeUndefined();
    const got = bob.runs[0]!['inputs'] as JsonObject;
    expect(Object.keys(got)).toEqual(['__proto__']);
    expect([got['isAdmin'], ({} as JsonObject)['isAdmin']]).toEqual([undefined, undefined]);
  });

  test.each(['\\ud800', '\\udc00x', '\\ud800\\ud800'])(
    'W33 the lone surrogate %s is refused and answered',
    async (text) => {
      const { bob, alice } = await newScene();
      const message = await forge(alice, bob);
      const broken = rewritten(message, `"to":{"agent_id":"`, `"to":{"agent_id":"${text}`);
      const { code, reply } = await judge(bob, broken);
      expect(code).toBe('ENCODING_INVALID');
      expect(() => checkShape(reply!, { contentTypes: registry.contentTypes })).not.toThrow();
    },
  );

  test.each<[string, JsonValue]>([
    ['an id that is no text', { agent_id: 5, name: 'n', instance: 'i', role: 'r' }],
    ['a name without characters', { agent_id: 'a', name: '', instance: 'i', role: 'r' }],
    ['nothing', null],
    ['a list', []],
  ])('W33 a sender with %s gets a valid error, to nobody', async (_name, from) => {
    const { bob, alice } = await newScene();
    const { envelope } = await forge(alice, bob);
    const { code, reply } = await judge(bob, changed(envelope, put('/from', from)));
    expect(code).toBe('ENVELOPE_INVALID');
    expect(reply).toMatchObject({ ct: 'error.v1', to: { agent_id: 'unknown' } });
    expect(() => checkShape(reply!, { contentTypes: registry.contentTypes })).not.toThrow();
  });
});

describe('W31 base64url #sec-base64url', () => {
  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

  test('W31 a signature in any other spelling of the same bytes is refused', async () => {
    const { bob, alice } = await newScene();
    const { envelope } = await forge(alice, bob);
    const { value } = envelope.sec!.sig!;
    const at = ALPHABET.indexOf(value.at(-1)!);
    // 64 bytes leave four bits of the last character unused.
    const sameBytes = Array.from(
      { length: 15 },
      (_, bits) => value.slice(0, -1) + ALPHABET[at + bits + 1]!,
    );
    const others = [
      ...sameBytes,
      `${value}==`,
      `${value}\n`,
      ` ${value}`,
      `${value.slice(0, 9)}!${value.slice(9)}`,
    ];
    for (const other of [...others, Buffer.from(decodeBase64url(value)!).toString('base64')]) {
      const { code } = await judge(bob, changed(envelope, put('/sec/sig/value', other)));
      expect([other, code]).toEqual([other, 'SIGNATURE_INVALID']);
    }
    expect((await judge(bob, envelope)).code).toBeUndefined();
    expect(bob.runs).toHaveLength(1);
  });
});

describe('W32 W36 types and hops #version #trace #trace-forward', () => {
  test.each<[string, JsonValue]>([
    ['/v', true],
    ['/v', new LosslessNumber('1.0')],
    ['/v', '1'],
    ['/trace/hops', true],
    ['/trace/hops', new LosslessNumber('1.0')],
    ['/trace/hops', new LosslessNumber('-0')],
    ['/trace/hops', '1'],
  ])('W32 %s as %j is refused under a good signature', async (path, value) => {
    const { bob, alice } = await newScene();
    const { envelope } = await forge(alice, bob, { form: 'python' });
    const { outcome, code } = await judge(bob, await resigned(alice, envelope, put(path, value)));
    expect([outcome.stage, code]).toEqual(['shape', 'ENVELOPE_INVALID']);
    expect(bob.runs).toEqual([]);
  });

  test('W36 a relay that counts the hops, up or down, breaks the signature', async () => {
    const { bob, alice } = await newScene();
    const trace = { root_id: 'r', span_id: 's', hops: 1 };
    const { envelope } = await forge(alice, bob, { members: { trace } });
    for (const hops of [0, 2]) {
      expect((await judge(bob, changed(envelope, put('/trace/hops', hops)))).code).toBe(
        'SIGNATURE_INVALID',
      );
    }
    expect((await judge(bob, envelope)).code).toBeUndefined();
  });

  test('W36 a message that has come too far is refused, so that loops end', async () => {
    const { bob, alice } = await newScene();
    const trace = { root_id: 'r', span_id: 's', hops: 9 };
    const { outcome, code } = await judge(bob, await forge(alice, bob, { members: { trace } }));
    expect([outcome.stage, code]).toEqual(['shape', 'LIMIT_HOPS']);
    expect(bob.runs).toEqual([]);
  });
});

describe('W34 one verdict #schema-dialect #schema-numbers', () => {
  const inputsMust = (schema: JsonObject): Partial<Envelope> => ({
    schema: embed({
      properties: { inputs: { properties: { n: schema } } },
      $defs: { short: { maxLength: 1 } },
    }),
  });

  test.each<JsonObject>([
    { pattern: '^b+$' },
    { $ref: '#/$defs/short' },
    { allOf: [{ type: 'string' }, { maxLength: 1 }] },
    { not: { type: 'string' } },
    { if: true, then: false },
    { const: 'other' },
  ])('W34 the schema %j of the sender is enforced', async (schema) => {
    const { bob, alice } = await newScene();
    const { outcome, code } = await judge(
      bob,
      await forge(alice, bob, withInputs({ n: 'aaa' }, { members: inputsMust(schema) })),
    );
    expect([outcome.stage, code]).toEqual(['sender_schema', 'PAYLOAD_INVALID']);
    expect(bob.runs).toEqual([]);
  });

  test('W34 1.0 is an integer for every schema, also for that of the sender', async () => {
    const { bob, alice } = await newScene();
    const draft = withInputs(
      { n: new LosslessNumber('1.0') },
      { form: 'python', members: inputsMust({ type: 'integer' }) },
    );
    expect((await judge(bob, await forge(alice, bob, draft))).code).toBeUndefined();
    const half = withInputs({ n: 1.5 }, { members: inputsMust({ type: 'integer' }) });
    expect((await judge(bob, await forge(alice, bob, half))).code).toBe('PAYLOAD_INVALID');
  });
});

describe('W35 weak keys #sec-ed25519', () => {
  /** The neutral element: with it R = neutral, S = 0 satisfies the bare equation for every message. */
  const NEUTRAL = new Uint8Array(32);
  NEUTRAL[0] = 1;

  test('W35 the signature that a key of small order has for everything does not hold', async () => {
    const { bob, alice } = await newScene();
    bob.book.add(entryFor(alice, { signingKeys: [{ kid: 'weak', key: NEUTRAL }] }));
    const { envelope } = await forge(alice, bob);
    const always = new Uint8Array(64);
    always.set(NEUTRAL);
    const message = changed(
      envelope,
      put('/sec/kid', 'weak'),
      put('/sec/sig/value', encodeBase64url(always)),
    );
    expect((await judge(bob, message)).code).toBe('SIGNATURE_INVALID');
    expect(bob.runs).toEqual([]);
  });

  test('W35 a bundle with such a key is refused, though the root key signed it', async () => {
    const { bob, alice } = await newScene();
    const [signing, encrypting] = alice.bundle.document['keys'] as JsonObject[];
    const keys = [{ ...signing!, kid: 'weak', key: encodeBase64url(NEUTRAL) }, encrypting!];
    const weak = await signDocument(
      'bundle',
      { ...alice.bundle.document, keys },
      alice.root.reveal(),
      crypto,
    );
    const { envelope } = await forge({ ...alice, keys: [] }, bob);
    const message = await resigned(
      { ...alice, keys: [] },
      envelope,
      put('/cap/a2a_sdl/bundle', weak),
    );
    expect((await judge(bob, message)).code).toBe('SENDER_REFUSED');
    expect(bob.runs).toEqual([]);
  });
});
