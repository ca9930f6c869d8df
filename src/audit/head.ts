// Owns signed heads of the audit log: how long it is, and the root over all of it. SPEC.md section 10 (#audit, #doc-signature).

import { decodeBase64url, encodeBase64url } from '../codec/base64url.ts';
import type { JsonValue } from '../codec/value.ts';
import type { CryptoProvider } from '../crypto/provider.ts';
import { requireText, requireTimestamp } from '../envelope/fields.ts';
import { formatTimestamp } from '../envelope/timestamp.ts';
import { SdlError } from '../errors.ts';
import { requireCount, requireMembers } from '../security/identity/document-fields.ts';
import type { SignedDocument } from '../security/identity/document-signature.ts';
import { signDocument, verifyDocument } from '../security/identity/document-signature.ts';
import { requireHash } from './entry.ts';
import type { Frontier } from './merkle.ts';
import { rootOf } from './merkle.ts';
import type { TreeRoot } from './merkle-proof.ts';

/** What a log says of itself at a moment. */
export interface SignedHead extends SignedDocument {
  /** The agent whose log it is. */
  readonly node: string;
  /** The number of entries. */
  readonly size: number;
  /** The Merkle tree hash over all of them, base64url. */
  readonly root: string;
  readonly time: string;
  readonly kid: string;
}

/** The key that speaks for the node now. */
export interface AuditSigner {
  readonly kid: string;
  readonly secretKey: Uint8Array;
}

/** The keys, by kid, that are known to speak or to have spoken for a node. Whatever another node says is refused. */
export interface NodeKeys {
  readonly node: string;
  readonly publicKeys: ReadonlyMap<string, Uint8Array>;
}

/** What a node signs with. */
export interface HeadContext {
  readonly node: string;
  readonly crypto: CryptoProvider;
  readonly signer: () => AuditSigner;
  readonly now: () => number;
}

export async function signHead(tree: Frontier, context: HeadContext): Promise<SignedHead> {
  const { node, crypto, signer, now } = context;
  const { kid, secretKey } = signer();
  const root = encodeBase64url(rootOf(tree, crypto.sha256));
  const head = { node, size: tree.size, root, time: formatTimestamp(now()), kid };
  return (await signDocument('audit-head', head, secretKey, crypto)) as SignedHead;
}

const HEAD_MEMBERS = ['node', 'size', 'root', 'time', 'kid', 'sig'];

/** Reads a head at `path` of a document. Its signature is still to be checked. */
export function readHead(value: JsonValue | undefined, path: string): SignedHead {
  const head = requireMembers(value, HEAD_MEMBERS, path);
  requireText(head['node'], 512, `${path}/node`);
  requireCount(head['size'], `${path}/size`);
  requireHash(head['root'], `${path}/root`);
  requireTimestamp(head['time'], `${path}/time`);
  requireText(head['kid'], 256, `${path}/kid`);
  requireText(head['sig'], 128, `${path}/sig`);
  return head as SignedHead;
}

/** Throws ENVELOPE_INVALID for what is no head, SIGNATURE_INVALID for one that this node has not signed. */
export async function verifyHead(
  value: JsonValue | undefined,
  { node, publicKeys }: NodeKeys,
  crypto: CryptoProvider,
  path = '',
): Promise<SignedHead> {
  const head = readHead(value, path);
  assertNode(head.node, node);
  const key = publicKeys.get(head.kid);
  if (key === undefined) {
    throw new SdlError('SIGNATURE_INVALID', 'the head is signed by a key that is not known');
  }
  if (await verifyDocument('audit-head', head, key, crypto)) return head;
  throw new SdlError('SIGNATURE_INVALID', 'the signature of the head does not hold');
}

export function treeOf({ size, root }: SignedHead): TreeRoot {
  return { size, root: decodeBase64url(root)! };
}

/** A key of one node must not vouch for another. */
export function assertNode(found: string, expected: string): void {
  if (found === expected) return;
  throw new SdlError('SIGNATURE_INVALID', 'the document is of another node');
}
