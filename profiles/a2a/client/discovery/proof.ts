// Owns how a card is proven: by keys that were pinned, else by those that its own origin publishes. A key set at another
// origin is never fetched. SPEC.md section 20 (#a2a-client-card).

import type { JsonObject, JsonValue } from '../../../../src/codec/index.ts';
import { isJsonArray, isJsonObject, readJson } from '../../../../src/codec/index.ts';
import { SdlError } from '../../../../src/door/index.ts';
import { decodeBase64url } from '../../../../src/security/index.ts';
import type { Limits } from '../../../../src/transport.ts';
import { jsonOf } from '../bindings/answer-body.ts';
import type { CardAlgorithm, CardKey } from '../../card/keys.ts';
import { MOST_KEYS, cardKeysIn } from '../../card/keys.ts';
import { verifyCard } from '../../card/verify.ts';
import type { HttpPort } from '../bindings/http-port.ts';
import type { FetchedCard } from './fetch-card.ts';

/** What the operator has agreed to, of one agent. */
export interface CardPin {
  /** Its card must be signed by one of them. @default it need not be signed */
  readonly keys?: readonly CardKey[];
  /** Where its interfaces may be, beside the origin of its card. @default anywhere */
  readonly origins?: readonly string[];
}

export type CardProof =
  | {
      readonly kind: 'signed';
      readonly by: 'pinned key' | 'key of its own origin';
      readonly key: CardKey;
      readonly alg: CardAlgorithm;
      readonly form: 'spec' | 'sdk';
    }
  /** It has no signature, or none that could be judged: `reason` says why. */
  | { readonly kind: 'unsigned' | 'unjudged'; readonly reason: string };

export interface ProvenCard extends FetchedCard {
  readonly proof: CardProof;
}

export interface ProveOptions {
  readonly pin: CardPin | undefined;
  readonly port: HttpPort;
  readonly limits: Limits;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** `undefined` where no keys were pinned. Throws SIGNATURE_INVALID for a card that none of them signed. */
export async function pinnedCard(
  card: FetchedCard,
  pin: CardPin | undefined,
): Promise<ProvenCard | undefined> {
  const { keys = [] } = pin ?? {};
  if (keys.length === 0) return undefined;
  const proven = await verifiedBy(card, keys, 'pinned key');
  if (proven !== undefined) return proven;
  throw new SdlError(
    'SIGNATURE_INVALID',
    `the card at ${card.url} is not signed by a key that was pinned for it: somebody may have changed it, or the agent has new keys`,
  );
}

/** The card as far as its signature covers it. Throws SIGNATURE_INVALID for one that is not what was agreed to. */
export async function proveCard(card: FetchedCard, options: ProveOptions): Promise<ProvenCard> {
  const pinned = await pinnedCard(card, options.pin);
  if (pinned !== undefined) return pinned;
  const places = keyPlaces(card.document);
  if (places === undefined) return { ...card, proof: unsigned };
  const { origin } = new URL(card.url);
  const own = places.find((url) => URL.canParse(url) && new URL(url).origin === origin);
  if (own === undefined) {
    const reason = 'its keys are at another host, or nowhere';
    return { ...card, proof: { kind: 'unjudged', reason } };
  }
  const keys = await fetchKeys(own, options);
  if (keys === undefined) {
    return { ...card, proof: { kind: 'unjudged', reason: 'its origin does not publish its keys' } };
  }
  const proven = await verifiedBy(card, keys, 'key of its own origin');
  if (proven !== undefined) return proven;
  throw new SdlError(
    'SIGNATURE_INVALID',
    `no signature of the card at ${card.url} holds under the keys that its origin publishes`,
  );
}

const unsigned: CardProof = { kind: 'unsigned', reason: 'it has no signature' };

async function verifiedBy(
  card: FetchedCard,
  keys: readonly CardKey[],
  by: 'pinned key' | 'key of its own origin',
): Promise<ProvenCard | undefined> {
  // One after the other: which of them it is, is what a pin keeps.
  for (const key of keys) {
    const verdict = await verifyCard(card.document, { keys: [key] });
    if (verdict.kind !== 'verified') continue;
    const { alg, form, card: document } = verdict;
    return { url: card.url, document, proof: { kind: 'signed', by, key, alg, form } };
  }
  return undefined;
}

/** The addresses of keys in the signatures; `undefined` where there is no signature. */
function keyPlaces({ signatures }: JsonObject): readonly string[] | undefined {
  if (signatures === undefined || !isJsonArray(signatures) || signatures.length === 0) {
    return undefined;
  }
  return signatures
    .slice(0, MOST_KEYS)
    .map((entry) => headOf(entry)?.['jku'])
    .filter((jku) => typeof jku === 'string');
}

function headOf(entry: JsonValue): JsonObject | undefined {
  const text = isJsonObject(entry) ? entry['protected'] : undefined;
  const bytes = typeof text === 'string' ? decodeBase64url(text) : undefined;
  if (bytes === undefined) return undefined;
  try {
    const head = readJson(bytes);
    return isJsonObject(head) ? head : undefined;
  } catch {
    return undefined;
  }
}

/** `undefined` where there are none. */
async function fetchKeys(
  url: string,
  { port, limits, timeoutMs, signal }: ProveOptions,
): Promise<readonly CardKey[] | undefined> {
  const headers = { accept: 'application/json' };
  const answer = await port.open({
    method: 'GET',
    url,
    headers,
    timeoutMs,
    signal,
    isProven: false,
  });
  if (answer.status !== 200) {
    answer.close();
    return undefined;
  }
  const body = await jsonOf(answer, limits);
  const keys = body !== undefined && isJsonObject(body) ? body['keys'] : undefined;
  return keys === undefined ? undefined : cardKeysIn(keys);
}
