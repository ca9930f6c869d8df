// Owns the agent document: what an agent publishes of itself, signed by its root key. SPEC.md section 10 (#agent-document).

import type { JsonValue } from '../../codec/value.ts';
import type { CryptoProvider } from '../../crypto/provider.ts';
import { isText, malformed, requireText } from '../../envelope/fields.ts';
import { formatTimestamp } from '../../envelope/timestamp.ts';
import { SdlError } from '../../errors.ts';
import type { Limits } from '../../limits.ts';
import { didKeyFromPublicKey } from './did-key.ts';
import { requireCount, requireMembers, requireMoment } from './document-fields.ts';
import type { SignedDocument } from './document-signature.ts';
import { signDocument, verifyDocument } from './document-signature.ts';
import type { KeyBundle } from './key-bundle-shape.ts';
import { readKeyBundle } from './key-bundle-shape.ts';
import { verifyKeyBundle } from './key-bundle.ts';

/** What an agent tells others that it refuses. */
export type AnnouncedLimits = Pick<Limits, 'maxBytes' | 'maxDepth' | 'maxArrayLength' | 'maxHops'>;

export interface AgentDocumentContent {
  /** What people call it; proves nothing. */
  readonly name: string;
  readonly bundle: KeyBundle;
  /** Where it listens, the best first. */
  readonly endpoints: readonly string[];
  readonly contentTypes: readonly string[];
  readonly tools: readonly string[];
  readonly limits: AnnouncedLimits;
  /** The additions that it understands. */
  readonly x: readonly string[];
  readonly expMs: number;
}

/** An agent document, read. */
export interface AgentDocument extends AgentDocumentContent {
  readonly agentId: string;
  /** As it was signed, to publish. */
  readonly document: SignedDocument;
}

export interface VerifyAgentDocumentOptions {
  readonly crypto: CryptoProvider;
  readonly nowMs: number;
  /** How far the clocks of two agents may differ. @default 120000 */
  readonly skewMs?: number;
  /** The agent that it has to be of. @default any */
  readonly agentId?: string;
  /** The highest `seq` seen in a bundle of this agent; a lower one is refused. */
  readonly lastSeq?: number;
}

const DEFAULT_SKEW_MS = 120_000;
const ENDPOINT_SCHEMES = ['http:', 'https:', 'ws:', 'wss:', 'ipc:'];

// Closed, as every signed document: a member that an old reader skipped could have been a restriction.
const MEMBERS = [
  'agent_id',
  'name',
  'bundle',
  'endpoints',
  'content_types',
  'tools',
  'limits',
  'x',
  'exp',
  'sig',
];
const LIMIT_MEMBERS = ['max_bytes', 'max_depth', 'max_array_len', 'max_hops'];

/** Signs a document with the agent's root key. Throws what a verifier of this document would throw. */
export async function signAgentDocument(
  content: AgentDocumentContent,
  rootSecret: Uint8Array,
  crypto: CryptoProvider,
): Promise<AgentDocument> {
  const agentId = didKeyFromPublicKey(crypto.ed25519PublicKey(rootSecret));
  if (content.bundle.agentId !== agentId) {
    throw new TypeError('"bundle" expected a key bundle of the agent whose root key signs');
  }
  const { limits } = content;
  const unsigned = {
    agent_id: agentId,
    name: content.name,
    bundle: content.bundle.document,
    endpoints: content.endpoints,
    content_types: content.contentTypes,
    tools: content.tools,
    limits: {
      max_bytes: limits.maxBytes,
      max_depth: limits.maxDepth,
      max_array_len: limits.maxArrayLength,
      max_hops: limits.maxHops,
    },
    x: content.x,
    exp: formatTimestamp(content.expMs),
  };
  return readAgentDocument(await signDocument('agent', unsigned, rootSecret, crypto));
}

/** A document that its agent's root key signed, that has not expired, with a bundle that holds. */
export async function verifyAgentDocument(
  value: JsonValue,
  options: VerifyAgentDocumentOptions,
): Promise<AgentDocument> {
  const { crypto, nowMs, skewMs = DEFAULT_SKEW_MS, agentId, lastSeq } = options;
  const read = readAgentDocument(value);
  if (agentId !== undefined && read.agentId !== agentId) {
    throw new SdlError('SENDER_REFUSED', 'the agent document is of another agent');
  }
  // Asked so that a time that is not a number refuses the document.
  if (!(read.expMs >= nowMs - skewMs)) {
    throw new SdlError('TIME_INVALID', 'the agent document has expired');
  }
  if (!(await verifyDocument('agent', read.document, read.bundle.rootKey, crypto))) {
    throw new SdlError('SIGNATURE_INVALID', 'the agent document is not signed by its root key');
  }
  const bundle = await verifyKeyBundle(read.bundle.document, {
    crypto,
    nowMs,
    skewMs,
    path: '/bundle',
    ...(lastSeq !== undefined && { lastSeq }),
  });
  return { ...read, bundle };
}

/** Nothing of it is verified yet. */
function readAgentDocument(value: JsonValue): AgentDocument {
  const document = requireMembers(value, MEMBERS, '');
  const agentId = requireText(document['agent_id'], 512, '/agent_id');
  const bundle = readKeyBundle(document['bundle'] ?? null, '/bundle');
  if (bundle.agentId !== agentId) {
    throw malformed('/bundle/agent_id', 'must be the agent of the document');
  }
  requireText(document['sig'], 128, '/sig');
  return {
    agentId,
    name: requireText(document['name'], 512, '/name'),
    bundle,
    endpoints: readList(document['endpoints'], 32, '/endpoints', readEndpoint),
    contentTypes: readList(document['content_types'], 1_024, '/content_types', readName(128)),
    tools: readList(document['tools'], 1_024, '/tools', readName(256)),
    limits: readLimits(document['limits']),
    x: readList(document['x'], 64, '/x', readName(64)),
    expMs: requireMoment(document['exp'], '/exp'),
    document: document as SignedDocument,
  };
}

function readLimits(value: JsonValue | undefined): AnnouncedLimits {
  const limits = requireMembers(value, LIMIT_MEMBERS, '/limits');
  const count = (name: string): number => requireCount(limits[name], `/limits/${name}`);
  return Object.freeze({
    maxBytes: count('max_bytes'),
    maxDepth: count('max_depth'),
    maxArrayLength: count('max_array_len'),
    maxHops: count('max_hops'),
  });
}

function readList(
  value: JsonValue | undefined,
  maxLength: number,
  path: string,
  read: (item: JsonValue, path: string) => string,
): readonly string[] {
  if (!Array.isArray(value) || value.length > maxLength) {
    throw malformed(path, `must be an array of at most ${maxLength} items`);
  }
  const items = value.map((item: JsonValue, index) => read(item, `${path}/${index}`));
  if (new Set(items).size < items.length) throw malformed(path, 'must name nothing twice');
  return Object.freeze(items);
}

function readName(maxLength: number): (item: JsonValue, path: string) => string {
  return (item, path) => requireText(item, maxLength, path);
}

function readEndpoint(item: JsonValue, path: string): string {
  const url = isText(item, 2_048) && URL.canParse(item) ? new URL(item) : undefined;
  if (url === undefined || !ENDPOINT_SCHEMES.includes(url.protocol)) {
    throw malformed(path, `must be a URL that starts with ${ENDPOINT_SCHEMES.join(', ')}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw malformed(path, 'must hold no user and no password');
  }
  return item as string;
}
