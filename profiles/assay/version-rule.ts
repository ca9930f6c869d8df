// Owns which versions of the packet are read. SPEC.md section 17 (#assay-version).

import { ConvertError } from './error.ts';

const UNSIGNED = /^\+?\d+$/;
const LARGEST = 2n ** 64n - 1n;
/** More digits may still be a small number with zeros before it. */
const MANY_DIGITS = 20;

/** From 0.2 on, below 1. What stands behind the second part does not count. */
export function assertVersion(version: string): void {
  const [major, minor] = version.split('.', 2).map(unsigned);
  if (major === 0n && minor !== undefined && minor >= 2n) return;
  throw new ConvertError(
    'unsupported_protocol_version',
    'the version of the packet is not supported: it is from 0.2 on and below 1.0',
  );
}

/** An unsigned integer of 64 bits; a plus sign and zeros before it are allowed. */
function unsigned(text: string): bigint | undefined {
  if (!UNSIGNED.test(text)) return undefined;
  const digits = text.replace(/^\+?0*(?=\d)/, '');
  if (digits.length > MANY_DIGITS) return undefined;
  const value = BigInt(digits);
  return value <= LARGEST ? value : undefined;
}
