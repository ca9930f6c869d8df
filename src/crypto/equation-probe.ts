// Owns the question whether a platform's verification is the cofactorless one. SPEC.md section 6 (#sec-ed25519).
// Libraries have moved between the two equations; a provider that would disagree with the others must not start.

import { hexToBytes } from '@noble/hashes/utils.js';

/** A public key with a part of order 8, and two signatures under it of the word "probe". */
const PUBLIC_KEY = '14057d7c613b6ad4ecd1dc0984aa0313aa4c2ca759b5026dc34c2787c43006e6';
/** k is a multiple of 8: both equations hold. */
const HOLDS =
  'be924512bf5c42d52e15058727b7603acee99b2789790814b2c401a22e239c7d' +
  '582e0317550ea6fa4669b7bd0d9433ff65cb6885fa2717e6683348dcf15c8108';
/** k is odd: only the equation with the cofactor holds. */
const HOLDS_TIMES_8 =
  '6beb445580dad6414292f3f14b4fd3ac3482ccc2b6d997a6240312b6c9485a13' +
  'cced1d0d3ade585f33cccbc52b2d905030ec8472cd39a5402fd32172c6dbea0f';

type Equation = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array) => boolean;

/** Throws an Error unless `equation` keeps the rule. */
export function expectCofactorless(equation: Equation): void {
  const message = new TextEncoder().encode('probe');
  const answer = (signature: string): boolean =>
    equation(hexToBytes(signature), message, hexToBytes(PUBLIC_KEY));
  if (!answer(HOLDS) || answer(HOLDS_TIMES_8)) {
    throw new Error('the Ed25519 verification of this platform is not the cofactorless one');
  }
}
