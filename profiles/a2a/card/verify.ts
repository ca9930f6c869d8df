// Owns whether a card is signed by a key that its reader trusts, and what of it is. SPEC.md section 21
// (#a2a-card-verify).

import type { JsonObject, JsonValue } from '../../../src/codec/index.ts';
import { isJsonArray, isJsonObject, readJson } from '../../../src/codec/index.ts';
import type { CryptoProvider } from '../../../src/security/index.ts';
import { chooseProvider, decodeBase64url, encodeBase64url } from '../../../src/security/index.ts';
import { resolveLimits } from '../../../src/transport.ts';
import type { CardView } from './canonical.ts';
import {
  currentSdkView,
  currentView,
  legacySdkView,
  legacyView,
  schemelessSdkView,
  wholeView,
} from './canonical.ts';
import type { CardAlgorithm, CardKey } from './keys.ts';
import { CARD_ALGORITHMS, verifyWith } from './keys.ts';

export interface VerifyCardOptions {
  /** Those that the reader trusts for this agent, however it came by them. Their names are hints. */
  readonly keys: readonly CardKey[];
  /** Fewer than EdDSA and ES256; never more. @default both */
  readonly algorithms?: readonly CardAlgorithm[];
  /** @default chooseProvider() */
  readonly crypto?: Pick<CryptoProvider, 'verify'>;
}

/** `unsigned`: there is no signature at all. `refused`: none of them holds under a trusted key and algorithm. */
export type CardVerdict =
  | { readonly kind: 'unsigned' | 'refused' }
  | {
      readonly kind: 'verified';
      /** Only what the signature covers. What else was in the card is not in here, and is nobody's word. */
      readonly card: JsonObject;
      readonly kid: string;
      readonly alg: CardAlgorithm;
      /** `sdk`: by the form of the SDKs, which leaves out empty values. */
      readonly form: CardView['form'];
    };

const MOST_SIGNATURES = 16;
const LONGEST_HEADER = 4_096;
const HEADER_LIMITS = resolveLimits({ maxBytes: LONGEST_HEADER, maxDepth: 8 });

/** The widest first: who can verify the whole of a card gets the whole. */
const VIEWS = [
  wholeView,
  currentView,
  currentSdkView,
  legacyView,
  legacySdkView,
  schemelessSdkView,
] as const;

/** One signature that holds is enough. `card` is a JSON value that was read within limits. Never throws for what is in it. */
export async function verifyCard(
  card: JsonValue,
  options: VerifyCardOptions,
): Promise<CardVerdict> {
  const { keys, algorithms = CARD_ALGORITHMS, crypto = chooseProvider() } = options;
  for (const name of algorithms) {
    if (!CARD_ALGORITHMS.includes(name)) throw new TypeError(`"algorithms" may not have "${name}"`);
  }
  if (!isJsonObject(card)) return { kind: 'unsigned' };
  const signatures = signaturesOf(card);
  if (signatures.length === 0) return { kind: 'unsigned' };

  const found = signatures.flatMap(readSignature).filter(({ alg }) => algorithms.includes(alg));
  for (const view of VIEWS) {
    const seen = seenBy(view, card);
    if (seen === undefined) continue;
    const payload = encodeBase64url(seen.payload);
    for (const { head, alg, kid, signature } of found) {
      const input = new TextEncoder().encode(`${head}.${payload}`);
      for (const key of keys.filter((one) => one.kid === kid)) {
        if (await verifyWith(key, alg, signature, input, crypto)) {
          return { kind: 'verified', card: seen.card, kid, alg, form: seen.form };
        }
      }
    }
  }
  return { kind: 'refused' };
}

function signaturesOf(card: JsonObject): readonly JsonValue[] {
  const signatures = Object.hasOwn(card, 'signatures') ? card['signatures'] : undefined;
  if (signatures === undefined || !isJsonArray(signatures)) return [];
  return signatures.slice(0, MOST_SIGNATURES);
}

/** What has no canonical form was not signed in it. */
function seenBy(view: (card: JsonObject) => CardView, card: JsonObject): CardView | undefined {
  try {
    return view(card);
  } catch {
    return undefined;
  }
}

interface ReadSignature {
  /** The protected header as it was sent. */
  readonly head: string;
  readonly alg: CardAlgorithm;
  readonly kid: string;
  readonly signature: Uint8Array;
}

/** Nothing of an unprotected header counts. */
function readSignature(entry: JsonValue): ReadSignature[] {
  if (!isJsonObject(entry)) return [];
  const { protected: head, signature: text } = entry;
  if (typeof head !== 'string' || typeof text !== 'string') return [];
  const header = readHeader(head);
  const signature = decodeBase64url(text);
  if (header === undefined || signature === undefined) return [];
  const { alg, kid } = header;
  // An extension that must be understood is not: it may mean other bytes under the signature.
  if (Object.hasOwn(header, 'crit') || typeof kid !== 'string' || !isAlgorithm(alg)) return [];
  return [{ head, alg, kid, signature }];
}

function isAlgorithm(alg: JsonValue | undefined): alg is CardAlgorithm {
  return CARD_ALGORITHMS.some((name) => name === alg);
}

function readHeader(head: string): JsonObject | undefined {
  if (head.length > LONGEST_HEADER) return undefined;
  const bytes = decodeBase64url(head);
  if (bytes === undefined) return undefined;
  try {
    const header = readJson(bytes, HEADER_LIMITS);
    return isJsonObject(header) ? header : undefined;
  } catch {
    return undefined;
  }
}
