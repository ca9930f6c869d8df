// Owns keys in PEM: the fixed PKCS#8 and SPKI structures of RFC 8410, exactly, and nothing else of ASN.1.

import type { KeyAlgorithm } from '../src/security/index.ts';
import { decodeBase64url, encodeBase64url } from '../src/security/index.ts';
import { notAKey } from './error.ts';
import { KEY_BYTES } from '../src/security/index.ts';

export type KeyKind = 'secret' | 'public';

export interface PemKey {
  readonly kind: KeyKind;
  readonly alg: KeyAlgorithm;
  readonly bytes: Uint8Array;
}

const LABELS: Readonly<Record<KeyKind, string>> = { secret: 'PRIVATE KEY', public: 'PUBLIC KEY' };

/** The last byte of the object identifiers 1.3.101.112 and 1.3.101.110. */
const CURVE_BYTE: Readonly<Record<KeyAlgorithm, number>> = { ed25519: 0x70, x25519: 0x6e };

/** All of the DER in front of the 32 bytes of the key. */
function derHead(kind: KeyKind, alg: KeyAlgorithm): readonly number[] {
  const algorithm = [0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, CURVE_BYTE[alg]];
  return kind === 'secret'
    ? [0x30, 0x2e, 0x02, 0x01, 0x00, ...algorithm, 0x04, 0x22, 0x04, 0x20]
    : [0x30, 0x2a, ...algorithm, 0x03, 0x21, 0x00];
}

const FORM =
  /^-----BEGIN (PRIVATE|PUBLIC) KEY-----\r?\n([A-Za-z0-9+/=\r\n]{1,128})\r?\n-----END \1 KEY-----$/;

export function isPem(text: string): boolean {
  return text.startsWith('-----BEGIN ');
}

/** Reads one PEM block without blanks around it. */
export function readPem(text: string): PemKey {
  const [, label, body] = FORM.exec(text) ?? [];
  if (label === undefined || body === undefined) throw notAKey('this PEM text is not one key');
  const kind = label === 'PRIVATE' ? 'secret' : 'public';
  const der = decodeBase64(body.replaceAll(/[\r\n]/g, ''));
  for (const alg of ['ed25519', 'x25519'] as const) {
    const head = derHead(kind, alg);
    if (der?.length === head.length + KEY_BYTES && head.every((byte, at) => der[at] === byte)) {
      return { kind, alg, bytes: der.slice(head.length) };
    }
  }
  throw notAKey('this PEM text holds no Ed25519 or X25519 key in its standard structure');
}

export function writePem({ kind, alg, bytes }: PemKey): string {
  const body = encodeBase64(Uint8Array.of(...derHead(kind, alg), ...bytes));
  return `-----BEGIN ${LABELS[kind]}-----\n${body}\n-----END ${LABELS[kind]}-----\n`;
}

function encodeBase64(bytes: Uint8Array): string {
  const digits = encodeBase64url(bytes).replaceAll('-', '+').replaceAll('_', '/');
  return digits.padEnd(Math.ceil(digits.length / 4) * 4, '=');
}

/** Strict: the bytes only of the one text that {@link encodeBase64} writes. */
function decodeBase64(text: string): Uint8Array | undefined {
  const digits = text
    .replace(/={1,2}$/, '')
    .replaceAll('+', '-')
    .replaceAll('/', '_');
  const bytes = decodeBase64url(digits);
  return bytes !== undefined && encodeBase64(bytes) === text ? bytes : undefined;
}
