// Owns what the receiver knows of a peer: whose keys, for what, until when. SPEC.md section 6 (#sec-kid-bound).

import type { SecurityMode, SigningForm } from '../envelope/types.ts';
import type { CompatSwitch } from './switches.ts';

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
  readonly switches: ReadonlySet<CompatSwitch>;
  /** Its grants are accepted as roots. */
  readonly mayGrant: boolean;
}

/** A snapshot: it answers the same for as long as a message is judged (W52). */
export interface PeerDirectory {
  find(agentId: string): Peer | undefined;
}
