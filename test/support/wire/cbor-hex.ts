// Conversions that the CBOR suites share.

import { writePythonJson } from '../../../src/codec/canonical-python.ts';
import type { JsonValue } from '../../../src/codec/value.ts';
import { textOf } from './bytes.ts';

export function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

export function pythonText(value: JsonValue): string {
  return textOf(writePythonJson(value));
}
