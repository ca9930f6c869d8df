// Owns who asks: one name for a caller of any face. ARCHITECTURE.md ("The door").

export { FOREIGN_MARK } from '../envelope/agent-id.ts';

/** Somebody who has proven who it is, in whatever dialect. Immutable. */
export interface Principal {
  /**
   * Owns the tasks that it starts. For peers of the SDL wire their agent id; every other id begins with `~`, which no
   * agent id may.
   */
  readonly id: string;
  /** Never chosen by the caller. `''` where there are none. */
  readonly tenant: string;
  /** How it was proven: `sdl`, `bearer`, `api-key`, `basic`, `jwt`, `certificate`, `local` or `none`. */
  readonly scheme: string;
  /** The entry of the operator's configuration that let it in. @default none: it is a peer, or proved nothing */
  readonly caller?: string;
  /** From then on what it showed proves nothing any more. Milliseconds since the epoch. @default never */
  readonly expiresAt?: number;
}

/** What a caller shows a face to prove who it is. Nothing of it has been checked. */
export interface Shown {
  /** The name of the face that was spoken to. */
  readonly face: string;
  /** What failed attempts are counted by: a network address, or `local`. */
  readonly address: string;
  /** The value of the `Authorization` header, or what says the same in another dialect. */
  readonly authorization?: string;
  readonly apiKey?: string;
  /** The SHA-256 of a client certificate that the transport has verified, in lower-case hexadecimal digits. */
  readonly certificate?: string;
  /** It came through a Unix socket that only the operator can open. */
  readonly isLocalOwner?: boolean;
}
