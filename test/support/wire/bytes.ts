// Small conversions that tests share.

import { readJson } from '../../../src/codec/json/read.ts';
import type { JsonValue } from '../../../src/codec/value.ts';
import { SdlError } from '../../../src/errors.ts';
import type { ErrorCode } from '../../../src/errors.ts';

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

export function parse(text: string): JsonValue {
  return readJson(utf8(text));
}

/** The table code that `run` throws, `undefined` when it does not throw; anything else thrown is a failure. */
export function codeOf(run: () => unknown): ErrorCode | undefined {
  return errorOf(run)?.code;
}

export function errorOf(run: () => unknown): SdlError | undefined {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof SdlError) return thrown;
    throw thrown;
  }
  return undefined;
}
