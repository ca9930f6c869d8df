// Owns what may be said about sealing what is said to agents, and its defaults. SPEC.md section 20.1 (#a2a-client-sealed).

import type { KnownPeer, KnownPeers, MessageKitOptions } from '../../../../src/message/index.ts';
import type { OwnIdentity, SealedPolicy } from '../../../../src/security/index.ts';
import type { Strength } from '../../sealed/exchange.ts';
import type { Places } from './places.ts';
import { placesFor } from './places.ts';

/** How what is said to an agent, and what it says, is protected from end to end. */
export interface ClientSealing {
  /** Who seals; a function answers with the keys of now. @default nobody: then everything is plain */
  readonly identity?: OwnIdentity | (() => OwnIdentity);
  /**
   * `prefer`: sealed where the agent can be sealed to, and never plain again from then on. `require`: nothing plain is
   * said or taken. `none`: everything is plain. @default 'prefer'
   */
  readonly policy?: SealedPolicy;
  /** Whom it knows: a peer book, or a list of entries, key bundles or identities. @default nobody */
  readonly peers?: KnownPeers;
  /** Who the agent is, or its id among `peers`. @default as its verified card says */
  readonly to?: KnownPeer | string;
  /** `detached` leaves what is said readable for everybody, and signs it. @default 'enc+sig' */
  readonly mode?: Strength;
  /**
   * Keeps what was asked, by which answers are opened, and who was reached sealed. @default memory that all agents share
   * which this identity speaks to
   */
  readonly store?: NonNullable<MessageKitOptions['store']>;
}

export interface ResolvedSealing {
  /** None where nobody seals. */
  readonly identity?: () => OwnIdentity;
  readonly policy: SealedPolicy;
  /** It was said how to seal: who uses it should be told where nothing is sealed. */
  readonly isAsked: boolean;
  readonly peers: KnownPeers;
  readonly to?: KnownPeer | string;
  readonly mode: Strength;
  readonly store?: NonNullable<MessageKitOptions['store']>;
  readonly places: () => Places;
}

const POLICIES: ReadonlySet<string> = new Set(['none', 'prefer', 'require']);
const MODES: ReadonlySet<string> = new Set(['enc+sig', 'sig', 'detached']);

/** Wrong use by the programmer is a TypeError. */
export function resolveSealing(given?: ClientSealing): ResolvedSealing {
  const options = given ?? {};
  const { identity, policy = 'prefer', peers = [], to, mode = 'enc+sig', store } = options;
  if (!POLICIES.has(policy)) {
    throw new TypeError('"sealed.policy" expected "none", "prefer" or "require"');
  }
  if (!MODES.has(mode)) {
    throw new TypeError('"sealed.mode" expected "enc+sig", "sig" or "detached"');
  }
  const identityNow =
    typeof identity === 'function' || identity === undefined ? identity : () => identity;
  return {
    ...(identityNow !== undefined && { identity: identityNow }),
    policy,
    isAsked: given !== undefined && policy !== 'none',
    peers,
    ...(to !== undefined && { to }),
    mode,
    ...(store !== undefined && { store }),
    places: () => placesFor(store, identityNow?.().agentId ?? ''),
  };
}
