// Owns signatures of documents other than envelopes; the purpose is signed too. SPEC.md section 10 (#doc-signature).

import { decodeBase64url, encodeBase64url } from '../../codec/base64url.ts';
import { writeJcs } from '../../codec/canonical-jcs.ts';
import { encodeUtf8 } from '../../codec/utf8.ts';
import type { JsonObject } from '../../codec/value.ts';
import type { CryptoProvider } from '../../crypto/provider.ts';

/** What signed documents are for. No document passes for one of another purpose. */
export const DOCUMENT_PURPOSES = [
  'bundle',
  'agent',
  'grant',
  'registry',
  'registry-record',
  'session',
  'audit-head',
  'receipt',
] as const;
export type DocumentPurpose = (typeof DOCUMENT_PURPOSES)[number];

/** A document with its signature. */
export interface SignedDocument extends JsonObject {
  readonly sig: string;
}

/** The document with its `sig` over everything else in it. A `sig` that it has already is replaced. */
export async function signDocument(
  purpose: DocumentPurpose,
  document: JsonObject,
  secretKey: Uint8Array,
  crypto: Pick<CryptoProvider, 'sign'>,
): Promise<SignedDocument> {
  const signature = await crypto.sign(documentSigningInput(purpose, document), secretKey);
  return { ...document, sig: encodeBase64url(signature) };
}

/**
 * Does `sig` hold for this purpose and key? Throws only where the document has no JCS form.
 * JCS writes `1.0` and `1` alike: a reader of the document must accept one spelling of a number only.
 */
export async function verifyDocument(
  purpose: DocumentPurpose,
  document: JsonObject,
  publicKey: Uint8Array,
  crypto: Pick<CryptoProvider, 'verify'>,
): Promise<boolean> {
  const sig = Object.hasOwn(document, 'sig') ? document['sig'] : undefined;
  const signature = typeof sig === 'string' ? decodeBase64url(sig) : undefined;
  if (signature === undefined) return false;
  return crypto.verify(signature, documentSigningInput(purpose, document), publicKey);
}

/** The bytes under a document's signature. An envelope's begin with a bracket or a CBOR map, never like this. */
export function documentSigningInput(purpose: DocumentPurpose, document: JsonObject): Uint8Array {
  if (!DOCUMENT_PURPOSES.includes(purpose)) throw new TypeError('"purpose" is not a purpose');
  const { sig: _, ...unsigned } = document;
  const head = encodeUtf8(`a2a-sdl/${purpose}/v1\n`);
  const body = writeJcs(unsigned);
  const input = new Uint8Array(head.length + body.length);
  input.set(head);
  input.set(body, head.length);
  return input;
}
