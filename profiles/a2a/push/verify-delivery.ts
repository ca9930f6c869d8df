// Owns how a receiver checks a signed notice: is it the agent's, for this address, of now, and just these bytes?
// SPEC.md section 20 (#a2a-push-signed).

import type { JsonObject } from '../../../src/codec/index.ts';
import { isJsonObject, readJson } from '../../../src/codec/index.ts';
import type { KnownPeers } from '../../../src/message/index.ts';
import { knownBundles, peerSource } from '../../../src/message/index.ts';
import type { CryptoProvider, PeerKey } from '../../../src/security/index.ts';
import {
  chooseProvider,
  decodeBase64url,
  encodeBase64url,
  verificationKeyOf,
  verifyKeyBundle,
} from '../../../src/security/index.ts';
import { SdlError, resolveLimits } from '../../../src/transport.ts';
import { DELIVERY_TYPE, SIGNATURE_HEADER } from './signature.ts';

/** A notice as it came in. */
export interface ReceivedDelivery {
  /** Names in any case; those of Node and of `fetch` both do. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As it came: not read and written again. */
  readonly body: Uint8Array;
}

export interface VerifyDeliveryOptions {
  /** Whose word counts: a peer book, or a list of entries, key bundles or identities. */
  readonly peers: KnownPeers;
  /** The address of the web hook, as it was given to the agent. */
  readonly url: string;
  /** The one agent that may tell it. @default any of `peers` */
  readonly agentId?: string | undefined;
  /** How old a notice may be; each try has a signature of its own. @default 300000 */
  readonly maxAgeMs?: number | undefined;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
  readonly crypto?: CryptoProvider | undefined;
}

export interface VerifiedDelivery {
  readonly agentId: string;
  /** The same whenever the same is told again: who has it can drop it. */
  readonly deliveryId: string;
  /** Of the protocol, by which the body is to be read. */
  readonly version: string;
  /** The task has ended: nothing follows. */
  readonly isLast: boolean;
  /** When it was sent, by the clock of the agent. */
  readonly atMs: number;
  /** The agent's word that it told this, to be kept. */
  readonly receipt: string;
}

const DEFAULT_MAX_AGE_MS = 300_000;
const LONGEST_SIGNATURE = 16_384;
const LIMITS = resolveLimits({ maxBytes: LONGEST_SIGNATURE, maxDepth: 8 });

/**
 * Throws an SdlError: MODE_REFUSED for a notice that is not signed, SENDER_REFUSED for one of nobody that is known,
 * SIGNATURE_INVALID where it does not hold or the body is another, ADDRESS_WRONG for one to another web hook,
 * TIME_INVALID for one that is old. A repeat is for the receiver to know by its `deliveryId`.
 */
export async function verifyDelivery(
  { headers, body }: ReceivedDelivery,
  options: VerifyDeliveryOptions,
): Promise<VerifiedDelivery> {
  const { now = Date.now, crypto = chooseProvider(), maxAgeMs = DEFAULT_MAX_AGE_MS } = options;
  const receipt = headerIn(headers, SIGNATURE_HEADER);
  if (receipt === undefined) throw new SdlError('MODE_REFUSED', 'the notice is not signed');
  const { header, claims, input, signature } = readSignature(receipt);
  const nowMs = now();
  const { key } = await keyOf(claims, header['kid'] as string, { ...options, crypto }, nowMs);
  if (!(await crypto.verify(signature, input, key))) {
    throw new SdlError('SIGNATURE_INVALID', 'the signature of the notice does not hold');
  }
  if (encodeBase64url(crypto.sha256(body)) !== claims.body) {
    throw new SdlError('SIGNATURE_INVALID', 'the body is not the one that was signed');
  }
  if (claims.url !== options.url) {
    throw new SdlError('ADDRESS_WRONG', 'the notice is for another web hook');
  }
  if (Math.abs(nowMs - claims.at) > maxAgeMs) {
    throw new SdlError('TIME_INVALID', 'the notice is not of now');
  }
  return {
    agentId: claims.agent_id,
    deliveryId: claims.delivery,
    version: claims.version,
    isLast: claims.last === true,
    atMs: claims.at,
    receipt,
  };
}

interface Claims {
  readonly agent_id: string;
  readonly url: string;
  readonly delivery: string;
  readonly version: string;
  readonly body: string;
  readonly at: number;
  readonly last?: boolean;
  readonly bundle?: JsonObject;
}

const TEXTS = ['agent_id', 'url', 'delivery', 'version', 'body'] as const;

interface ReadSignature {
  readonly header: JsonObject;
  readonly claims: Claims;
  readonly input: Uint8Array;
  readonly signature: Uint8Array;
}

function readSignature(compact: string): ReadSignature {
  const [head = '', payload = '', last = '', ...more] = compact.split('.');
  const header = objectIn(head);
  const claims = objectIn(payload);
  const signature = decodeBase64url(last);
  const isRead =
    compact.length <= LONGEST_SIGNATURE &&
    more.length === 0 &&
    header?.['alg'] === 'EdDSA' &&
    header['typ'] === DELIVERY_TYPE &&
    // An extension that must be understood is not.
    !Object.hasOwn(header, 'crit') &&
    claims !== undefined &&
    TEXTS.every((name) => typeof claims[name] === 'string') &&
    typeof claims['at'] === 'number' &&
    typeof header['kid'] === 'string' &&
    signature !== undefined;
  if (!isRead) throw new SdlError('SIGNATURE_INVALID', 'the signature of the notice is none');
  const input = new TextEncoder().encode(`${head}.${payload}`);
  return { header, claims: claims as unknown as Claims, input, signature };
}

function objectIn(text: string): JsonObject | undefined {
  const bytes = text.length > LONGEST_SIGNATURE ? undefined : decodeBase64url(text);
  if (bytes === undefined) return undefined;
  try {
    const value = readJson(bytes, LIMITS);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** By the entry of the agent, or by its bundle: the one that came, unless a newer one is known. */
async function keyOf(
  { agent_id: claimed, bundle }: Claims,
  kid: string,
  { peers, agentId = claimed, crypto }: VerifyDeliveryOptions & { readonly crypto: CryptoProvider },
  nowMs: number,
): Promise<PeerKey> {
  const peer = peerSource(peers, nowMs).snapshot().find(claimed);
  if (peer === undefined || agentId !== claimed) {
    throw new SdlError('SENDER_REFUSED', 'the notice is of no agent that may tell it');
  }
  const came =
    bundle === undefined
      ? undefined
      : await verifyKeyBundle(bundle, { crypto, nowMs, agentId, path: '/bundle' });
  const known = knownBundles(peers).find((one) => one.agentId === claimed);
  const newest = (known?.seq ?? -1) > (came?.seq ?? -1) ? known : came;
  return verificationKeyOf(peer, kid, newest, nowMs);
}

/** One that came twice is none. */
function headerIn(headers: ReceivedDelivery['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const wanted = name.toLowerCase();
  const found = Object.keys(headers).filter((one) => one.toLowerCase() === wanted);
  const value = found.length === 1 ? headers[found[0]!] : undefined;
  return typeof value === 'string' ? value : undefined;
}
