// Owns the names of the extension, and what a card says of it. SPEC.md section 22 (#sealed-card).

import type { JsonObject, JsonValue } from '../../../src/codec/index.ts';
import { isJsonArray, isJsonObject } from '../../../src/codec/index.ts';
import type { CryptoProvider, KeyBundle } from '../../../src/security/index.ts';
import { chooseProvider, verifyKeyBundle } from '../../../src/security/index.ts';
import type { CardExtension } from '../card/options.ts';
import type { CardVerdict } from '../card/verify.ts';
import { SealedError } from './error.ts';

export const SEALED_EXTENSION = 'https://w3id.org/a2a-sdl/ext/envelope/v1';

/** How a request may come: the modes of its envelope. */
export type SealedMode = 'sig' | 'enc+sig';

const MODES: readonly SealedMode[] = ['sig', 'enc+sig'];

export interface SealedCardOptions {
  /** The agent's own, verified or made by it. */
  readonly bundle: KeyBundle;
  /** The weakest mode that is taken. @default 'sig' */
  readonly minimum?: SealedMode;
  /** How far ahead a request may expire. @default 3600 */
  readonly replayWindowSec?: number;
  /** Of one envelope. @default 1048576 */
  readonly maxBytes?: number;
  /** Plain messages are refused. @default false */
  readonly required?: boolean;
}

/** What an agent that opens sealed messages puts into its card. Nothing in it is empty. */
export function sealedCardExtension(options: SealedCardOptions): CardExtension {
  const { bundle, minimum = 'sig', replayWindowSec = 3_600, maxBytes = 1_048_576 } = options;
  return {
    uri: SEALED_EXTENSION,
    description: 'Messages sealed from end to end: signed, encrypted, bound to what they answer.',
    ...(options.required === true && { required: true }),
    params: {
      v: 1,
      agentId: bundle.agentId,
      accept: minimum === 'sig' ? [...MODES] : [minimum],
      minimum,
      bundle: bundle.document,
      replayWindowSec,
      maxBytes,
    },
  };
}

/** An agent that opens sealed messages, as its card says. */
export interface SealedPeer {
  readonly bundle: KeyBundle;
  readonly accept: readonly SealedMode[];
  readonly isRequired: boolean;
  readonly maxBytes?: number;
}

/**
 * Whom a verified card speaks of; `undefined` where it does not have the extension. The bundle in it is verified by the
 * key that its agent's id is. Throws NOT_PROTECTED for a card that is not verified: then anybody may have put keys there.
 */
export async function sealedPeerOf(
  verdict: CardVerdict,
  options: { readonly crypto?: CryptoProvider; readonly nowMs?: number } = {},
): Promise<SealedPeer | undefined> {
  const { crypto = chooseProvider(), nowMs = Date.now() } = options;
  if (verdict.kind !== 'verified') {
    throw new SealedError('NOT_PROTECTED', `the card is ${verdict.kind}: its keys prove nothing`);
  }
  const extension = extensionIn(verdict.card);
  const params = extension?.['params'];
  if (extension === undefined || !isJsonObject(params) || params['v'] !== 1) return undefined;
  const { agentId, accept, bundle, maxBytes } = params;
  if (typeof agentId !== 'string') return undefined;
  const modes = isJsonArray(accept ?? null) ? (accept as readonly JsonValue[]) : [];
  return {
    bundle: await verifyKeyBundle(bundle ?? null, {
      crypto,
      nowMs,
      agentId,
      path: '/params/bundle',
    }),
    accept: MODES.filter((mode) => modes.includes(mode)),
    isRequired: extension['required'] === true,
    ...(typeof maxBytes === 'number' && { maxBytes }),
  };
}

function extensionIn(card: JsonObject): JsonObject | undefined {
  const capabilities = card['capabilities'];
  const list = isJsonObject(capabilities) ? capabilities['extensions'] : undefined;
  if (!isJsonArray(list)) return undefined;
  return list.filter(isJsonObject).find(({ uri }) => uri === SEALED_EXTENSION);
}
