// Owns what the receiver knows of a peer: whose keys, for what, until when. SPEC.md section 6 (#sec-kid-bound).

import type { SecurityMode, SigningForm } from '../../envelope/types.ts';
import type { CompatSwitch } from '../policy/switches.ts';
import type { SealedPolicy } from './sealed-latch.ts';

/** A public key that is bound to one agent. Times are milliseconds since the epoch. */
export interface PeerKey {
  readonly kid: string;
  readonly key: Uint8Array;
  readonly notBefore?: number;
  readonly notAfter?: number;
}

/** One entry of the peer book, or a stranger that proved its own did:key. Immutable. */
export interface Peer {
  readonly agentId: string;
  readonly signingKeys: readonly PeerKey[];
  readonly encryptionKeys: readonly PeerKey[];
  readonly endpoints: readonly string[];
  /** Content types that it may send. @default all */
  readonly contentTypes?: readonly string[];
  /** Tools that it may call. @default all */
  readonly tools?: readonly string[];
  readonly notBefore?: number;
  readonly notAfter?: number;
  readonly revoked: boolean;
  /** The form in which it signs, if it is known. */
  readonly canon?: SigningForm;
  /** The weakest mode that is accepted from it. @default the policy's */
  readonly minMode?: SecurityMode;
  /** Must what it says in other dialects be sealed? @default 'prefer' */
  readonly sealed?: SealedPolicy;
  readonly switches: ReadonlySet<CompatSwitch>;
  /** What the trust registry leaves of a signing key, those of its bundle too. @default all of it */
  readonly signingKeyRule?: (key: PeerKey) => PeerKey | undefined;
  /** What the trust registry leaves of the root key that signs the bundles of a did:key agent. @default all of it */
  readonly rootKeyRule?: (key: PeerKey) => PeerKey | undefined;
  /** Its grants are accepted as roots. */
  readonly mayGrant: boolean;
  /** SHA-256 of the client certificates that may speak for it, as 64 lower-case hex digits. @default any connection */
  readonly certificates?: readonly string[];
}

/** A snapshot: it answers the same for as long as a message is judged (W52). */
export interface PeerDirectory {
  find(agentId: string): Peer | undefined;
  /** The peer whose entry lists this client certificate. @default none lists any */
  findByCertificate?(fingerprint: string): Peer | undefined;
  /** What the trust registry leaves of an agent that has no entry here. @default all of it */
  restrict?(stranger: Peer): Peer;
}
