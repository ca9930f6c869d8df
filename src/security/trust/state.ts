// Owns which proposals may follow which, and what they make of the registry. SPEC.md section 10 (#registry).

import { SdlError } from '../../errors.ts';
import type { ContentHash } from '../../schema/content-hash.ts';
import type { RegistryContent } from './registry-document.ts';
import { EMPTY_REGISTRY, updateRegistry } from './registry-document.ts';
import type { Proposal } from './registry-proposal.ts';

/** What the next proposal must follow: a larger `seq`, and this hash as its `prev_hash`. */
export interface TrustHead {
  readonly seq: number;
  /** The id of the last applied proposal. */
  readonly hash: ContentHash;
}

/** Everything that the applied proposals add up to. Immutable: the next one makes another (W52). */
export interface TrustState {
  /** How many proposals were applied. */
  readonly length: number;
  readonly head: TrustHead;
  readonly registry: RegistryContent;
  /** Every key that was ever trusted, by kid, and the other way round: also those that were replaced. */
  readonly keyOfKid: ReadonlyMap<string, string>;
  readonly kidOfKey: ReadonlyMap<string, string>;
}

/** Before the first proposal. Its hash is the SHA-256 of zero bytes, which no proposal has. */
export const INITIAL_TRUST: TrustState = Object.freeze({
  length: 0,
  head: Object.freeze({
    seq: 0,
    hash: 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  }),
  registry: EMPTY_REGISTRY,
  keyOfKid: new Map<string, string>(),
  kidOfKey: new Map<string, string>(),
});

/** The state after a proposal that is approved; throws where it does not follow or breaks what was promised. */
export function applyProposal(state: TrustState, { id, merge, registry }: Proposal): TrustState {
  const { seq, prevHash, content } = registry;
  if (prevHash !== state.head.hash || !(seq > state.head.seq)) {
    throw new SdlError('STATE_BASE', 'the proposal does not follow the last applied one');
  }
  return {
    length: state.length + 1,
    head: Object.freeze({ seq, hash: id }),
    registry: updateRegistry(state.registry, content, merge),
    ...bindKeys(state, content),
  };
}

type Bindings = Pick<TrustState, 'keyOfKid' | 'kidOfKey'>;

/** A kid keeps its key for ever, and a key its kid: a revoked key would come back under another name (W12). */
function bindKeys(state: Bindings, content: RegistryContent): Bindings {
  const keyOfKid = new Map(state.keyOfKid);
  const kidOfKey = new Map(state.kidOfKey);
  for (const [kid, key] of Object.entries(content.trusted_signing_keys)) {
    if ((keyOfKid.get(kid) ?? key) !== key) {
      throw new SdlError('NOT_AUTHORIZED', 'a kid would be bound to another key');
    }
    if ((kidOfKey.get(key) ?? kid) !== kid) {
      throw new SdlError('NOT_AUTHORIZED', 'a key would be bound to another kid');
    }
    keyOfKid.set(kid, key);
    kidOfKey.set(key, kid);
  }
  return { keyOfKid, kidOfKey };
}
