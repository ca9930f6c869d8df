// What the tests of `state.v1` share: values from JSON text, exact text of values, refusals as data.

import { expect } from 'vitest';
import { writePythonJson } from '../../../src/codec/canonical-python.ts';
import { readJson } from '../../../src/codec/json/read.ts';
import { encodeUtf8 } from '../../../src/codec/utf8.ts';
import type { JsonValue } from '../../../src/codec/value.ts';
import { SdlError } from '../../../src/errors.ts';
import { applyPatch } from '../../../src/state/apply-patch.ts';

export function json(source: string): JsonValue {
  return readJson(encodeUtf8(source));
}

/** The exact text, so that `1` and `1.0` differ and the order of members does not count. */
export function text(value: JsonValue): string {
  return new TextDecoder().decode(writePythonJson(value));
}

export function frozen<T extends JsonValue>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const child of Object.values(value) as JsonValue[]) frozen(child);
  return Object.freeze(value);
}

export function refusal(action: () => unknown): SdlError {
  try {
    action();
  } catch (error) {
    if (error instanceof SdlError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

export function refusedPatch(document: JsonValue, patch: JsonValue): string {
  const before = text(document);
  const error = refusal(() => applyPatch(document, patch));
  expect(error.code).toBe('STATE_PATCH');
  expect(text(document)).toBe(before);
  return error.message;
}
