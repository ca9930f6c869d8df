// Owns `sha256:<hex>`, the name of a schema or a state document. SPEC.md section 4.6 (#content-hash).

import { writePythonJson } from '../codec/canonical-python.ts';
import type { JsonValue } from '../codec/value.ts';
import { sha256, toHex } from '../crypto/sha256.ts';

export type ContentHash = `sha256:${string}`;

const PATTERN = /^sha256:[0-9a-f]{64}$/;

export function isContentHash(text: string): text is ContentHash {
  return PATTERN.test(text);
}

/** The hash over the Python-JSON form, which v1 peers compute too. */
export function contentHash(value: JsonValue): ContentHash {
  return `sha256:${toHex(sha256(writePythonJson(value)))}`;
}
