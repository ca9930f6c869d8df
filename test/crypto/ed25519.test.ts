// Ed25519: one verdict on every vector, by every provider.

import { describe, expect, test } from 'vitest';

import { fromLittleEndian, littleEndian } from '../../src/crypto/field-25519.ts';
import { L, decodePoint, isStrictEncoding } from '../../src/crypto/strict-ed25519.ts';
import { utf8 } from '../support/wire/bytes.ts';
import { fromHex } from '../support/wire/cbor-hex.ts';
import { noble, providerRows } from '../support/trust/providers.ts';
import { hasVectors, vectorJson } from '../support/repository/vectors.ts';

interface WycheproofFile {
  readonly testGroups: readonly {
    readonly publicKey: { readonly pk: string };
    readonly tests: readonly {
      readonly tcId: number;
      readonly msg: string;
      readonly sig: string;
      readonly result: string;
    }[];
  }[];
}

interface SpeccheckCase {
  readonly message: string;
  readonly pub_key: string;
  readonly signature: string;
}

interface CctvCase {
  readonly key: string;
  readonly sig: string;
  readonly msg: string;
  readonly flags: readonly string[] | null;
}

describe.each(providerRows)('#sec-ed25519 W35 $label', ({ provider }) => {
  test.skipIf(!hasVectors)('gives the verdict of all 151 Wycheproof cases', async () => {
    const { testGroups } = vectorJson<WycheproofFile>('wycheproof/ed25519_test.json');
    const cases = testGroups.flatMap(({ publicKey, tests }) =>
      tests.map((one) => ({ ...one, key: fromHex(publicKey.pk) })),
    );
    const wrong: number[] = [];
    const count = { valid: 0, invalid: 0 };
    for (const { tcId, key, msg, sig, result } of cases) {
      const isValid = await provider.verify(fromHex(sig), fromHex(msg), key);
      count[isValid ? 'valid' : 'invalid'] += 1;
      if (isValid !== (result === 'valid')) wrong.push(tcId);
    }
    expect(wrong).toEqual([]);
    expect(count).toEqual({ valid: 88, invalid: 63 });
  });

  test.skipIf(!hasVectors)(
    'accepts of the 12 speccheck cases only the one at index 3',
    async () => {
      const cases = vectorJson<SpeccheckCase[]>('ed25519-speccheck/cases.json');
      expect(cases).toHaveLength(12);
      const verdicts = await Promise.all(
        cases.map(async ({ signature, message, pub_key }) =>
          provider.verify(fromHex(signature), fromHex(message), fromHex(pub_key)),
        ),
      );
      expect(verdicts.flatMap((isValid, index) => (isValid ? [index] : []))).toEqual([3]);
      // Small order at 0 and 1, not canonical at 10 and 11.
      const keys = cases.map(({ pub_key }) => provider.isEd25519PublicKey(fromHex(pub_key)));
      expect(keys.flatMap((isKey, index) => (isKey ? [] : [index]))).toEqual([0, 1, 10, 11]);
    },
  );

  test.skipIf(!hasVectors)(
    'accepts 43 of the 914 CCTV cases, told apart by their flags',
    async () => {
      const cases = vectorJson<CctvCase[]>('cctv/ed25519vectors.json');
      expect(cases).toHaveLength(914);
      const accepted: Record<string, number> = {};
      const refused: Record<string, number> = {};
      for (const { key, sig, msg, flags } of cases) {
        const isValid = await provider.verify(fromHex(sig), utf8(msg), fromHex(key));
        const verdict = isValid ? accepted : refused;
        // The first reason in this order is enough for a refusal.
        const reason = isValid ? (flags ?? []).join() : firstReason(flags ?? []);
        verdict[reason] = (verdict[reason] ?? 0) + 1;
      }
      expect(accepted).toEqual({
        '': 1,
        low_order_component_A: 7,
        'low_order_component_R,low_order_component_A': 35,
      });
      expect(refused).toEqual({
        non_canonical_A: 226,
        non_canonical_R: 264,
        low_order_A: 212,
        low_order_R: 106,
        low_order_residue: 63,
      });
    },
  );

  test.skipIf(!hasVectors)(
    'takes as keys exactly the CCTV keys that are canonical and not of low order',
    () => {
      const cases = vectorJson<CctvCase[]>('cctv/ed25519vectors.json');
      for (const { key, flags } of cases) {
        const isWeak = (flags ?? []).some((flag) =>
          ['low_order_A', 'non_canonical_A'].includes(flag),
        );
        expect(provider.isEd25519PublicKey(fromHex(key))).toBe(!isWeak);
      }
    },
  );

  test('refuses the identity as a key, which would verify every message', async () => {
    const identity = littleEndian(1n);
    const signature = new Uint8Array([...identity, ...new Uint8Array(32)]);
    expect(provider.isEd25519PublicKey(identity)).toBe(false);
    expect(await provider.verify(signature, utf8('anything'), identity)).toBe(false);
  });

  test('refuses all eight points of small order, as keys and as R', async () => {
    const publicKey = provider.ed25519PublicKey(SECRET);
    expect(new Set(smallOrderPoints().map(String)).size).toBe(8);
    for (const point of smallOrderPoints()) {
      expect(provider.isEd25519PublicKey(point)).toBe(false);
      const signature = new Uint8Array([...point, ...new Uint8Array(32)]);
      expect(await provider.verify(signature, utf8('m'), point)).toBe(false);
      expect(await provider.verify(signature, utf8('m'), publicKey)).toBe(false);
      expect(isStrictEncoding(signature, publicKey)).toBe(false);
    }
  });

  test('refuses a y that no point has, without an exception', async () => {
    const offCurve = littleEndian(2n);
    expect(provider.isEd25519PublicKey(offCurve)).toBe(false);
    const signature = await provider.sign(utf8('m'), SECRET);
    expect(await provider.verify(signature, utf8('m'), offCurve)).toBe(false);
    const withBadR = new Uint8Array([...offCurve, ...signature.subarray(32)]);
    expect(await provider.verify(withBadR, utf8('m'), provider.ed25519PublicKey(SECRET))).toBe(
      false,
    );
  });

  test('refuses S + L for a signature that holds with S', async () => {
    const signature = await provider.sign(utf8('m'), SECRET);
    const publicKey = provider.ed25519PublicKey(SECRET);
    expect(await provider.verify(signature, utf8('m'), publicKey)).toBe(true);
    const s = fromLittleEndian(signature.subarray(32));
    for (const other of [s + L, s + 2n * L, L, L + 1n]) {
      const malleated = new Uint8Array([...signature.subarray(0, 32), ...littleEndian(other)]);
      expect(await provider.verify(malleated, utf8('m'), publicKey)).toBe(false);
    }
  });

  test('answers false to wrong lengths from the wire', async () => {
    const signature = await provider.sign(utf8('m'), SECRET);
    const publicKey = provider.ed25519PublicKey(SECRET);
    const wrong: [signature: Uint8Array, publicKey: Uint8Array][] = [
      [signature.subarray(0, 63), publicKey],
      [new Uint8Array([...signature, 0]), publicKey],
      [new Uint8Array(0), publicKey],
      [signature, publicKey.subarray(0, 31)],
      [signature, new Uint8Array([...publicKey, 0])],
      [signature, new Uint8Array(0)],
    ];
    for (const [one, other] of wrong) {
      expect(await provider.verify(one, utf8('m'), other)).toBe(false);
    }
    expect(provider.isEd25519PublicKey(publicKey)).toBe(true);
    expect(provider.isEd25519PublicKey(publicKey.subarray(1))).toBe(false);
    expect(provider.isEd25519PublicKey(new Uint8Array([...publicKey, 0]))).toBe(false);
  });

  test('refuses a secret key of a wrong length as a mistake of the program', () => {
    for (const length of [0, 31, 33, 64]) {
      const secretKey = new Uint8Array(length);
      expect(() => provider.ed25519PublicKey(secretKey)).toThrow(TypeError);
      expect(() => provider.sign(utf8('m'), secretKey)).toThrow('"secretKey" expected 32 bytes');
    }
  });

  test('signs the first example of RFC 8032, the empty message', async () => {
    const secretKey = fromHex('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60');
    const publicKey = fromHex('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a');
    const signature = fromHex(
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    );
    expect(provider.ed25519PublicKey(secretKey)).toEqual(publicKey);
    expect(await provider.sign(new Uint8Array(0), secretKey)).toEqual(signature);
    expect(await provider.verify(signature, new Uint8Array(0), publicKey)).toBe(true);
  });

  test('signs with what the key array holds now, not with what it held before', async () => {
    const secretKey = SECRET.slice();
    expect(await provider.sign(utf8('m'), secretKey)).toEqual(await expected(SECRET));
    secretKey.fill(7);
    expect(await provider.sign(utf8('m'), secretKey)).toEqual(await expected(secretKey.slice()));
    expect(provider.ed25519PublicKey(secretKey)).toEqual(noble.ed25519PublicKey(secretKey.slice()));
  });
});

const SECRET = Uint8Array.from({ length: 32 }, (_, index) => index * 5);
const REASONS = [
  'non_canonical_A',
  'non_canonical_R',
  'low_order_A',
  'low_order_R',
  'low_order_residue',
];

/** Any point times L leaves only its part of small order; enough of them give all eight. */
function smallOrderPoints(): Uint8Array[] {
  const found = new Map<string, Uint8Array>();
  for (let y = 2n; found.size < 8; y += 1n) {
    const point = decodePoint(littleEndian(y));
    if (point === undefined) continue;
    const torsion = point.multiplyUnsafe(L - 1n).add(point);
    for (const one of [torsion, torsion.negate()]) found.set(one.toHex(), one.toBytes());
  }
  return [...found.values()];
}

function firstReason(flags: readonly string[]): string {
  return REASONS.find((reason) => flags.includes(reason)) ?? 'none';
}

async function expected(secretKey: Uint8Array): Promise<Uint8Array> {
  return await noble.sign(utf8('m'), secretKey);
}
