// The providers against each other on random input: what one signs, seals or agrees, all read alike.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { CryptoProvider } from '../../src/crypto/provider.ts';
import { providers } from '../support/trust/providers.ts';

const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length });
const message = fc.uint8Array({ maxLength: 300 });
/** Which bit to change; `undefined` leaves the input whole. */
const flip = fc.option(fc.nat(), { nil: undefined });

function flipped(input: Uint8Array, bit: number | undefined): Uint8Array {
  const output = input.slice();
  if (bit !== undefined && input.length > 0) {
    output[(bit >> 3) % input.length]! ^= 1 << (bit & 7);
  }
  return output;
}

/** The one answer that all providers give. */
async function answerOfAll<T>(ask: (provider: CryptoProvider) => T | Promise<T>): Promise<T> {
  const [first, ...others] = await Promise.all(providers.map(ask));
  for (const other of others) expect(other).toEqual(first);
  return first!;
}

describe('all providers', () => {
  test('#sec-ed25519 sign alike, and verify alike what was changed in one bit', async () => {
    await fc.assert(
      fc.asyncProperty(
        bytes(32),
        message,
        flip,
        flip,
        flip,
        async (secretKey, text, inSignature, inText, inKey) => {
          const publicKey = await answerOfAll((one) => one.ed25519PublicKey(secretKey));
          const signature = await answerOfAll((one) => one.sign(text, secretKey));
          const changedText = flipped(text, inText);
          const isValid = await answerOfAll((one) =>
            one.verify(flipped(signature, inSignature), changedText, flipped(publicKey, inKey)),
          );
          const isWhole =
            inSignature === undefined &&
            inKey === undefined &&
            (inText === undefined || text.length === 0);
          expect(isValid).toBe(isWhole);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('#sec-ed25519 give one verdict on bytes that are no signature and no key', async () => {
    await fc.assert(
      fc.asyncProperty(bytes(64), message, bytes(32), async (signature, text, publicKey) => {
        expect(await answerOfAll((one) => one.verify(signature, text, publicKey))).toBe(false);
        await answerOfAll((one) => one.isEd25519PublicKey(publicKey));
      }),
      { numRuns: 100 },
    );
  });

  test('#sec-x25519 agree on the same secret with any public key', async () => {
    await fc.assert(
      fc.asyncProperty(bytes(32), bytes(32), async (secretKey, publicKey) => {
        const shared = await answerOfAll((one) => one.agree(secretKey, publicKey));
        if (publicKey[31]! >= 0x80) expect(shared).toBeUndefined();
        const own = await answerOfAll((one) => one.x25519PublicKey(secretKey));
        const theirs = providers[0]!.x25519PublicKey(publicKey);
        const there = await answerOfAll((one) => one.agree(secretKey, theirs));
        expect(await answerOfAll((one) => one.agree(publicKey, own))).toEqual(there);
        expect(there).toHaveLength(32);
      }),
      { numRuns: 50 },
    );
  });

  test('seal alike, and open alike what was changed in one bit', async () => {
    await fc.assert(
      fc.asyncProperty(bytes(32), bytes(12), message, flip, async (key, nonce, text, inSealed) => {
        const sealed = await answerOfAll((one) => one.seal(key, nonce, text));
        const opened = await answerOfAll((one) => one.open(key, nonce, flipped(sealed, inSealed)));
        expect(opened).toEqual(inSealed === undefined ? text : undefined);
      }),
    );
  });

  test('hash, authenticate and derive alike', async () => {
    await fc.assert(
      fc.asyncProperty(message, message, message, fc.nat(200), async (key, salt, info, length) => {
        await answerOfAll((one) => one.sha256(key));
        await answerOfAll((one) => one.hmacSha256(key, info));
        expect(await answerOfAll((one) => one.hkdfSha256(key, salt, info, length))).toHaveLength(
          length,
        );
      }),
    );
  });
});
