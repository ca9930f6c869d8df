// Owns evidence: a head, a proof or a receipt together with the key bundle that lists the key under it, so that who
// has it needs nothing else to check it. SPEC.md section 10 (#evidence).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import type { CryptoProvider } from '../crypto/provider.ts';
import { malformed, requireText } from '../envelope/fields.ts';
import { SdlError } from '../errors.ts';
import { publicKeyFromDidKey } from '../security/identity/did-key.ts';
import { requireMembers, requireMoment } from '../security/identity/document-fields.ts';
import type { KeyBundle } from '../security/identity/key-bundle-shape.ts';
import { verifyStoredBundle } from '../security/identity/key-bundle.ts';
import { thumbprint } from '../security/identity/thumbprint.ts';
import type { NodeKeys, SignedHead } from './head.ts';
import { verifyHead } from './head.ts';
import type { ProofDocument, VerifiedProof } from './proof.ts';
import { verifyProof } from './proof.ts';
import type { Receipt } from './receipt.ts';
import { signerOfReceipt } from './receipt.ts';

/** What somebody holds of a log. Nothing of it is checked yet but where its parts are. */
export interface Evidence {
  readonly kind: EvidenceKind;
  /** The proof, the receipt or the head itself. */
  readonly document: JsonObject;
  /** The agent that it claims to be of. */
  readonly node: string;
  /** When it claims to have been signed. */
  readonly timeMs: number;
  /** Where it is a bundle of the node, who adds it need not be trusted. */
  readonly bundle?: JsonValue;
}

export type EvidenceKind = 'proof' | 'receipt' | 'head';

/** Evidence that holds, and the key that it holds by. */
export type VerifiedEvidence = { readonly kid: string } & (
  | { readonly kind: 'proof'; readonly proof: VerifiedProof }
  | { readonly kind: 'receipt'; readonly receipt: Receipt }
  | { readonly kind: 'head'; readonly head: SignedHead }
);

export type EvidenceParts =
  { readonly proof: ProofDocument } | { readonly receipt: Receipt } | { readonly head: SignedHead };

/** The document to hand on. The bundle goes along if it lists the key; the root key is the id itself. */
export function writeEvidence(
  parts: EvidenceParts,
  kid: string,
  bundle: KeyBundle | undefined,
): JsonObject {
  const isListed = bundle?.keys.some((key) => key.use === 'sig' && key.kid === kid) === true;
  return isListed ? { ...parts, bundle: bundle.document } : { ...parts };
}

/** Tells what a document is by its members, the bare ones of earlier versions too; `undefined` for none of them. */
export function readEvidence(value: JsonValue): Evidence | undefined {
  if (!isJsonObject(value)) return undefined;
  const has = (name: string): boolean => Object.hasOwn(value, name);
  if (has('entries')) return evidenceOf('proof', value, value['head']);
  if (has('verdict')) return evidenceOf('receipt', value, value);
  if (has('root')) return evidenceOf('head', value, value);
  const kind = KINDS.find(has);
  if (kind === undefined) return undefined;
  const { [kind]: document, bundle } = requireMembers(value, [kind, 'bundle'], '');
  const evidence = evidenceOf(
    kind,
    document,
    kind === 'proof' ? member(document, 'head') : document,
  );
  return has('bundle') ? { ...evidence, bundle: bundle! } : evidence;
}

/**
 * Checks evidence without the log. Throws ENVELOPE_INVALID for what is none, SIGNATURE_INVALID for what the node has not
 * signed, SENDER_REFUSED where the bundle is not the node's, or it or the key had ended at the time that the evidence names.
 * @param keys that are known to speak for the node. @default those that the evidence proves by itself
 */
export async function verifyEvidence(
  evidence: Evidence,
  crypto: CryptoProvider,
  keys?: NodeKeys,
): Promise<VerifiedEvidence> {
  const bundle = await bundleOf(evidence, crypto);
  const verified = await verify(evidence, keys ?? keysOf(evidence, bundle), crypto);
  const listed = bundle?.keys.find(({ kid }) => kid === verified.kid);
  if (listed !== undefined && !(evidence.timeMs <= listed.notAfterMs)) {
    throw refusal(`the key under the ${evidence.kind} had ended by then`);
  }
  return verified;
}

/** The keys that the evidence itself proves to be the node's: that of its id, and those of the bundle. */
export async function keysOfEvidence(
  evidence: Evidence,
  crypto: CryptoProvider,
): Promise<NodeKeys> {
  return keysOf(evidence, await bundleOf(evidence, crypto));
}

const KINDS: readonly EvidenceKind[] = ['proof', 'receipt', 'head'];

function evidenceOf(
  kind: EvidenceKind,
  document: JsonValue | undefined,
  signed: JsonValue | undefined,
): Evidence {
  if (!isJsonObject(document)) throw malformed(`/${kind}`, 'must be an object');
  const node = requireText(member(signed, 'node'), 512, '/node');
  // A receipt has the time of its head.
  const time = kind === 'receipt' ? member(member(signed, 'head'), 'time') : member(signed, 'time');
  return { kind, document, node, timeMs: requireMoment(time, '/time') };
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

/**
 * One that had not ended at the time that the evidence names: since then the node may have changed its keys many times.
 * A bundle that came later counts too: a key outlives the bundle that brought it.
 */
async function bundleOf(
  { bundle: value, node, timeMs }: Evidence,
  crypto: CryptoProvider,
): Promise<KeyBundle | undefined> {
  if (value === undefined) return undefined;
  const bundle = await verifyStoredBundle(value, crypto);
  if (bundle.agentId !== node) throw refusal('the key bundle is of another agent');
  if (!(timeMs <= bundle.notAfterMs)) throw refusal('the key bundle had ended by then');
  return bundle;
}

function refusal(reason: string): SdlError {
  return new SdlError('SENDER_REFUSED', reason);
}

function keysOf({ node }: Evidence, bundle: KeyBundle | undefined): NodeKeys {
  const rootKey = publicKeyFromDidKey(node);
  const listed = bundle?.keys.filter(({ use }) => use === 'sig') ?? [];
  return {
    node,
    publicKeys: new Map([
      ...listed.map(({ kid, publicKey }): [string, Uint8Array] => [kid, publicKey]),
      // Last: no other key can take its thumbprint for a kid.
      ...(rootKey === undefined ? [] : [[thumbprint('ed25519', rootKey), rootKey] as const]),
    ]),
  };
}

async function verify(
  { kind, document }: Evidence,
  keys: NodeKeys,
  crypto: CryptoProvider,
): Promise<VerifiedEvidence> {
  if (kind === 'receipt') {
    return { kind, ...(await signerOfReceipt(document, keys, crypto)) };
  }
  if (kind === 'head') {
    const head = await verifyHead(document, keys, crypto);
    return { kind, head, kid: head.kid };
  }
  const proof = await verifyProof(document, keys, crypto);
  return { kind, proof, kid: proof.head.kid };
}
