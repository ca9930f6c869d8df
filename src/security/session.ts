// Owns sessions: what a binding is, who signed it, and which ones are live, each of one agent and key. SPEC.md section 7 (#session).

import { decodeBase64url } from '../codec/base64url.ts';
import { writeJcs } from '../codec/canonical-jcs.ts';
import { writePythonJson } from '../codec/canonical-python.ts';
import type { JsonObject, JsonValue } from '../codec/value.ts';
import { equalBytes } from '../crypto/bytes.ts';
import type { CryptoProvider } from '../crypto/provider.ts';
import { sha256 } from '../crypto/sha256.ts';
import { formatTimestamp } from '../envelope/timestamp.ts';
import { SdlError } from '../errors.ts';
import type { ContentHash } from '../schema/content-hash.ts';
import { contentHash, isContentHash } from '../schema/content-hash.ts';
import { checkInteger } from '../stores/operation.ts';
import type { EntryStore } from '../stores/store.ts';
import { AgentQuota } from './replay/agent-quota.ts';
import { signDocument, verifyDocument } from './identity/document-signature.ts';

/** The document that v1 peers hash and sign. */
export interface BindingDocument {
  readonly from_agent: string;
  readonly to_agent: string;
  readonly profile: JsonObject;
  readonly nonce: string;
  readonly expires: string;
}

/** The name of a binding: the content hash of its document, which v1 peers compute too. */
export function sessionBindingId(document: BindingDocument): ContentHash {
  return contentHash(valueOf(document));
}

/** The `binding_sig` of an answer to `session.v1`. */
export async function signSessionBinding(
  document: BindingDocument,
  secretKey: Uint8Array,
  crypto: Pick<CryptoProvider, 'sign'>,
): Promise<string> {
  return (await signDocument('session', valueOf(document), secretKey, crypto)).sig;
}

export interface VerifyBindingOptions {
  readonly publicKey: Uint8Array;
  readonly crypto: Pick<CryptoProvider, 'verify'>;
  /** The switch `v1-session`: accept a signature over the bare document too, as v1 peers make it. @default false */
  readonly v1Session?: boolean | undefined;
}

/** Does a `binding_sig` hold? Being signed makes no binding live: only {@link SessionBook.open} does. */
export async function verifySessionBinding(
  document: BindingDocument,
  bindingSig: string,
  options: VerifyBindingOptions,
): Promise<boolean> {
  const { publicKey, crypto, v1Session } = options;
  const value = valueOf(document);
  if (v1Session === true) {
    const signature = decodeBase64url(bindingSig);
    if (signature === undefined) return false;
    if (await crypto.verify(signature, writePythonJson(value), publicKey)) return true;
  }
  return verifyDocument('session', { ...value, sig: bindingSig }, publicKey, crypto);
}

export interface SessionBookOptions {
  readonly store: EntryStore;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** The longest that a session lasts, whatever was asked for. @default 86400000 */
  readonly maxTtlMs?: number;
  /** Live sessions of one agent. @default 100 */
  readonly maxPerAgent?: number;
}

export interface NewSession {
  /** Who opens it, proven by its signature. */
  readonly agentId: string;
  /** With whom: this agent. */
  readonly peerAgentId: string;
  /** Of the key that signed the request; the session is that key's alone. */
  readonly keyThumbprint: string;
  readonly nonce: string;
  readonly profile: JsonObject;
  /** Asked for. @default 10 minutes from now */
  readonly expiresMs?: number | undefined;
}

export interface SessionBinding {
  readonly id: ContentHash;
  readonly expiresMs: number;
  readonly document: BindingDocument;
}

export interface SessionBook {
  /**
   * Opens a session for at most `maxTtlMs`; opening the same once more changes nothing. For `op: "open"` alone: an
   * `ack` answers and registers nothing (W18). Throws LIMIT_RATE when the agent has as many as it may, and
   * SESSION_INVALID for an expiry that has passed or a binding that another key holds.
   */
  readonly open: (session: NewSession) => Promise<SessionBinding>;
  /** Throws SESSION_INVALID unless `sec.session.binding_id` is live and of this agent and key. */
  readonly check: (
    bindingId: JsonValue | undefined,
    agentId: string,
    keyThumbprint: string,
  ) => Promise<void>;
}

const SPACE = 'session';
const DEFAULT_TTL_MS = 600_000;

export function createSessionBook(options: SessionBookOptions): SessionBook {
  const { store, now = Date.now, maxTtlMs = 86_400_000, maxPerAgent = 100 } = options;
  checkInteger('maxTtlMs', maxTtlMs, 1);
  checkInteger('maxPerAgent', maxPerAgent, 1);
  const quota = new AgentQuota(store, SPACE, maxPerAgent);

  const check: SessionBook['check'] = async (bindingId, agentId, keyThumbprint) => {
    if (typeof bindingId !== 'string' || !isContentHash(bindingId)) {
      throw invalid('the binding id is none');
    }
    const entry = await store.get(SPACE, bindingId);
    if (entry?.expiresAt === undefined || !(entry.expiresAt > now())) {
      throw invalid('the session is not live');
    }
    if (!equalBytes(entry.value, holderOf(agentId, keyThumbprint))) {
      throw invalid('the session belongs to another key');
    }
  };

  const open: SessionBook['open'] = async (session) => {
    const { agentId, keyThumbprint } = session;
    const binding = bindingOf(session, now(), maxTtlMs);
    const { id, expiresMs: expiresAt } = binding;
    if ((await store.get(SPACE, id)) === undefined) {
      const holder = holderOf(agentId, keyThumbprint);
      const added = await quota.write(agentId, (index) =>
        store.put(SPACE, id, holder, { ifVersion: 0, expiresAt, index }),
      );
      if (added === undefined) {
        throw new SdlError('LIMIT_RATE', 'the agent has too many live sessions');
      }
      if (added.ok) return binding;
    }
    await check(id, agentId, keyThumbprint);
    return binding;
  };

  return { open, check };
}

function bindingOf(session: NewSession, nowMs: number, maxTtlMs: number): SessionBinding {
  const { agentId, peerAgentId, nonce, profile } = session;
  const wantedMs = session.expiresMs ?? nowMs + DEFAULT_TTL_MS;
  if (!(wantedMs > nowMs)) throw invalid('the session has expired before it began');
  const expiresMs = Math.min(wantedMs, nowMs + maxTtlMs);
  const expires = formatTimestamp(expiresMs);
  const document = { from_agent: agentId, to_agent: peerAgentId, profile, nonce, expires };
  return { id: sessionBindingId(document), expiresMs, document };
}

/** These five members and no others, whatever else the caller's object has. */
function valueOf(document: BindingDocument): JsonObject {
  const { expires, from_agent, nonce, profile, to_agent } = document;
  return { expires, from_agent, nonce, profile, to_agent };
}

/** What the store keeps of the agent and key: enough to compare. */
function holderOf(agentId: string, keyThumbprint: string): Uint8Array {
  return sha256(writeJcs([agentId, keyThumbprint]));
}

function invalid(reason: string): SdlError {
  return new SdlError('SESSION_INVALID', reason);
}
