// Owns proofs that stand alone: of the entries on one message, and of the growth of the log since an earlier head.
// SPEC.md section 10 (#audit).

import { writeJcs } from '../codec/canonical-jcs.ts';
import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonArray } from '../codec/value.ts';
import type { CryptoProvider } from '../crypto/provider.ts';
import { malformed, requireText } from '../envelope/fields.ts';
import { SdlError } from '../errors.ts';
import { requireCount, requireMembers } from '../security/identity/document-fields.ts';
import { STORE_LIMITS } from '../stores/store.ts';
import type { AuditEntry } from './entry.ts';
import { idOf, readEntry, requireHash } from './entry.ts';
import type { NodeKeys, SignedHead } from './head.ts';
import { treeOf, verifyHead } from './head.ts';
import { leafHash } from './merkle.ts';
import { MAX_PATH, verifyConsistency, verifyInclusion } from './merkle-proof.ts';

/** One entry, with the hashes that lead from it to the root of the head. */
export interface ProvenEntry extends JsonObject {
  readonly seq: number;
  readonly entry: JsonObject;
  readonly path: readonly string[];
}

/** What the log holds on one request or event. */
export interface ProofDocument extends JsonObject {
  /** The envelope's id. */
  readonly id: string;
  readonly head: SignedHead;
  /** In the order of the log, the oldest 1000 at most. A sender may have used an id more than once. */
  readonly entries: readonly ProvenEntry[];
}

/** That the log of `head` begins with the log that had `size` entries. */
export interface GrowthDocument extends JsonObject {
  readonly size: number;
  readonly head: SignedHead;
  readonly path: readonly string[];
}

/** A proof that holds. */
export interface VerifiedProof {
  readonly id: string;
  readonly head: SignedHead;
  readonly entries: readonly { readonly seq: number; readonly entry: AuditEntry }[];
}

/** No proof has more entries: one page of a store. */
export const MAX_PROVEN: number = STORE_LIMITS.page;

/** Checks a proof without the log. Throws ENVELOPE_INVALID for what is none, SIGNATURE_INVALID for one that does not hold. */
export async function verifyProof(
  value: JsonValue | undefined,
  keys: NodeKeys,
  crypto: CryptoProvider,
): Promise<VerifiedProof> {
  const document = requireMembers(value, ['id', 'head', 'entries'], '');
  const id = requireText(document['id'], 256, '/id');
  const list = document['entries'];
  if (!isJsonArray(list) || list.length === 0 || list.length > MAX_PROVEN) {
    throw malformed('/entries', `must be an array of 1 to ${MAX_PROVEN} entries`);
  }
  const head = await verifyHead(document['head'], keys, crypto, '/head');
  const tree = treeOf(head);
  const entries: { seq: number; entry: AuditEntry }[] = [];
  for (const [index, item] of list.entries()) {
    const path = `/entries/${index}`;
    const proven = requireMembers(item, ['seq', 'entry', 'path'], path);
    const seq = requireCount(proven['seq'], `${path}/seq`);
    const entry = readEntry(proven['entry'], `${path}/entry`);
    const leaf = leafHash(writeJcs(proven['entry']!), crypto.sha256);
    const hashes = readPath(proven['path'], `${path}/path`);
    if (!verifyInclusion(leaf, seq, hashes, tree, crypto.sha256)) {
      throw new SdlError('SIGNATURE_INVALID', `${path} is not in the log of the head`);
    }
    if (idOf(entry) !== id) throw malformed(`${path}/entry`, 'is on another message');
    if (seq <= (entries.at(-1)?.seq ?? -1)) throw malformed(`${path}/seq`, 'is out of order');
    entries.push({ seq, entry });
  }
  return { id, head, entries };
}

/**
 * Checks that the log only grew since a head that was kept. Throws ENVELOPE_INVALID for what is no proof,
 * SIGNATURE_INVALID for one that does not hold: then the node has rewritten its log.
 */
export async function verifyGrowth(
  value: JsonValue | undefined,
  earlier: SignedHead,
  keys: NodeKeys,
  crypto: CryptoProvider,
): Promise<SignedHead> {
  const document = requireMembers(value, ['size', 'head', 'path'], '');
  const size = requireCount(document['size'], '/size');
  const hashes = readPath(document['path'], '/path');
  const before = await verifyHead(earlier, keys, crypto);
  if (size !== before.size) throw malformed('/size', 'must be that of the earlier head');
  const head = await verifyHead(document['head'], keys, crypto, '/head');
  if (verifyConsistency(treeOf(before), treeOf(head), hashes, crypto.sha256)) return head;
  throw new SdlError(
    'SIGNATURE_INVALID',
    'the log of the head does not begin with the earlier one',
  );
}

function readPath(value: JsonValue | undefined, path: string): Uint8Array[] {
  if (!isJsonArray(value) || value.length > MAX_PATH) {
    throw malformed(path, `must be an array of at most ${MAX_PATH} hashes`);
  }
  return value.map((hash, index) => requireHash(hash, `${path}/${index}`));
}
