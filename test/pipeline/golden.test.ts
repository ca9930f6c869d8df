// The envelopes of the Python reference through the whole pipeline, with the clock at the time when they were made and
// only the switches that each kind needs.

import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../src/codec/value.ts';
import { writePythonJson } from '../../src/codec/canonical-python.ts';
import { decodeMessage } from '../../src/envelope/decode.ts';
import { encodeMessage } from '../../src/envelope/encode.ts';
import type { Envelope } from '../../src/envelope/types.ts';
import { originOf } from '../../src/handlers/task/origin.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import type { Outcome } from '../../src/pipeline/receive.ts';
import type { OwnIdentity } from '../../src/security/identity/own-identity.ts';
import type { CompatSwitch } from '../../src/security/policy/switches.ts';
import { Book, NOW, crypto, inboundOf, repliesOf } from '../support/agents/agents.ts';
import { textOf } from '../support/wire/bytes.ts';
import { goldenBytes, goldenCases, goldenKey, goldenValue } from '../support/wire/golden.ts';
import type { GoldenCase } from '../support/wire/golden.ts';
import { makePeer } from '../support/trust/peers.ts';
import { hasVectors } from '../support/repository/vectors.ts';

/** What v1 peers cannot do, by the kind of the case. Every one is needed: see the test that takes each away. */
const SWITCHES: Readonly<Record<string, readonly CompatSwitch[]>> = {
  none: ['label-id', 'unsigned-requests'],
  sig: ['label-id', 'long-exp'],
  'enc+sig': ['label-id', 'long-exp', 'unbound-enc', 'plain-replies'],
};

const SENDER = 'did:key:sender';

interface Judged {
  readonly outcome: Outcome;
  readonly payload: JsonValue | undefined;
  readonly reply: JsonObject;
}

function kindOf(name: string): string {
  const [head = ''] = name.split('/');
  if (head === 'bad') return 'enc+sig';
  return head.replace(/-(json|cbor|cbor-wire)$/, '');
}

/** One message into a fresh receiver that knows the sender of the vectors. */
async function judge(
  bytes: Uint8Array,
  encoding: 'json' | 'cbor',
  switches: readonly CompatSwitch[],
  aliases: readonly string[] = [],
): Promise<Judged> {
  const book = new Book();
  book.add(
    makePeer(SENDER, {
      switches,
      ...(switches.includes('unsigned-requests') && { minMode: 'none' }),
      signingKeys: [{ kid: 'sig-1', key: goldenKey('sig-1', 'ed25519_public_b64url') }],
    }),
  );
  const outcomes: Outcome[] = [];
  const payloads: JsonValue[] = [];
  const runtime = createRuntime({
    identity: receiver(),
    peers: book,
    policy: { aliases },
    now: () => NOW,
    timeouts: { joinMs: 0 },
    onTask: (task) => {
      payloads.push(originOf(task).payload!);
      return Promise.resolve(undefined);
    },
    on: { outcome: (outcome) => outcomes.push(outcome) },
  });
  const [reply] = await repliesOf(runtime, inboundOf(bytes, encoding));
  await runtime.close();
  const value = decodeMessage(reply!.bytes, reply!.encoding) as JsonObject;
  return { outcome: outcomes[0]!, payload: payloads[0], reply: value };
}

/** The receiver of the vectors: a label for an id, keys of TEST ONLY bytes. */
function receiver(): OwnIdentity {
  const secretOf = (
    name: string,
    member: string,
    publicMember: string,
  ): OwnIdentity['keys'][0]['key'] => {
    const secret = goldenKey(name, member);
    return { publicKey: goldenKey(name, publicMember), reveal: () => secret };
  };
  const notAfterMs = NOW + 1_000_000;
  return {
    agentId: 'did:key:receiver',
    keys: [
      {
        kid: 'sig-2',
        use: 'sig',
        notAfterMs,
        key: ownSigningKey(),
      },
      {
        kid: 'enc-1',
        use: 'enc',
        notAfterMs,
        key: secretOf('enc-1', 'x25519_private_b64url', 'x25519_public_b64url'),
      },
    ],
  };
}

function ownSigningKey(): OwnIdentity['keys'][0]['key'] {
  const secret = new Uint8Array(32).fill(7);
  return { publicKey: crypto.ed25519PublicKey(secret), reveal: () => secret };
}

const good = goldenCases.filter(({ name }) => !name.startsWith('bad/'));
const bad = goldenCases.filter(({ name }) => name.startsWith('bad/'));
const byName = (one: GoldenCase): [string, GoldenCase] => [one.name, one];

describe.skipIf(!hasVectors)('#v1-sends the golden envelopes in the pipeline', () => {
  test('there are 84', () => expect([good.length, bad.length]).toEqual([72, 12]));

  test.each(good.map(byName))(
    '%s reaches the handler with its exact payload',
    async (_name, one) => {
      const judged = await judge(goldenBytes(one), one.wire.encoding, SWITCHES[kindOf(one.name)]!);
      expect(judged.outcome.error).toBeUndefined();
      expect(judged.outcome.isProven).toBe(kindOf(one.name) !== 'none');
      const expected =
        one.payload_canonical ?? textOf(writePythonJson(goldenValue(one)['payload']!));
      expect(textOf(writePythonJson(judged.payload!))).toBe(expected);
      expect(judged.reply['ct']).toBe('state.v1');
    },
  );

  test.each(bad.map(byName))('%s is refused, and the wire learns no reason', async (_name, one) => {
    // Under the name that it was changed to, so that not the address but the signature decides.
    const { agent_id: addressed } = goldenValue(one)['to'] as { agent_id: string };
    const { outcome, reply, payload } = await judge(
      goldenBytes(one),
      one.wire.encoding,
      SWITCHES['enc+sig']!,
      [addressed],
    );
    expect(outcome.error?.row.wire).toBe('SECURITY_UNSUPPORTED');
    expect(payload).toBeUndefined();
    expect(reply['payload']).toMatchObject({ code: 'SECURITY_UNSUPPORTED', details: {} });
  });

  test.each(
    Object.entries(SWITCHES).flatMap(([kind, switches]) =>
      switches.map((taken): [string, CompatSwitch] => [kind, taken]),
    ),
  )('mode %s needs the switch %s', async (kind, taken) => {
    const one = good.find(({ name }) => kindOf(name) === kind)!;
    const left = SWITCHES[kind]!.filter((name) => name !== taken);
    const { outcome } = await judge(goldenBytes(one), one.wire.encoding, left);
    expect(outcome.error).toBeDefined();
  });

  test.each(good.filter(({ name }) => !name.startsWith('none')).map(byName))(
    '%s is as good on the CBOR wire',
    async (_name, one) => {
      const envelope = goldenValue(one) as unknown as Envelope;
      const bytes = encodeMessage(envelope, 'cbor');
      const { outcome, payload } = await judge(bytes, 'cbor', SWITCHES[kindOf(one.name)]!);
      expect(outcome.error).toBeUndefined();
      const expected =
        one.payload_canonical ?? textOf(writePythonJson(goldenValue(one)['payload']!));
      expect(textOf(writePythonJson(payload!))).toBe(expected);
    },
  );
});
