// Owns what a caller may do, asked at the moment of use: nothing keeps a copy, so what is taken away counts at once.
// ARCHITECTURE.md ("The door").

import type { ShareClass } from '../tasks/share.ts';
import type { Principal, Shown } from './principal.ts';

export type { ShareClass } from '../tasks/share.ts';

/** What is asked for: a content type, or a tool. Starting a task is the content type `task.v1`. */
export type Wish = { readonly ct: string } | { readonly tool: string };

/** What one caller may do now. */
export interface Standing {
  readonly share: ShareClass;
  /** It may look after the tasks of others. */
  readonly isAdmin: boolean;
  allows(wish: Wish): boolean;
}

/** A live view: entries that were revoked, removed, expired or narrowed since the last call count. */
export interface Rights {
  /** `undefined` for somebody who may do nothing: never known, or not any more. */
  of(principal: Principal): Standing | undefined;
}

/**
 * What came along with a call and ends with its time. The scopes of a token narrow what the entry of its bearer allows;
 * a grant gives its holder what the entry does not. `*` in a list stands for every name.
 */
export interface Ceiling {
  readonly allow: { readonly ct: readonly string[]; readonly tools: readonly string[] };
  /** Milliseconds since the epoch. */
  readonly notAfterMs: number;
  /** It gives; otherwise it narrows. @default false */
  readonly isGrant?: true;
}

/** Callers of other dialects: who they are, and what they may do. Made by `a2a-sdl/profiles/auth`. */
export interface Callers extends Rights {
  /**
   * Throws UNAUTHENTICATED, in the same words whatever was wrong, LIMIT_RATE after too many failures, and UNAVAILABLE
   * while the keys of an issuer cannot be had.
   */
  authenticate(shown: Shown): Promise<Authenticated>;
  /** How callers of this face prove themselves now, for its documents and challenges. @default nothing is told of it */
  schemes?(face: string): CallerSchemes;
}

/** A way to prove who one is, as it may be told to everybody. */
export type CallerScheme =
  | { readonly scheme: 'bearer' | 'api-key' | 'basic' | 'certificate' }
  | {
      readonly scheme: 'jwt';
      readonly issuer: string;
      /** The document at its `/.well-known/openid-configuration` tells of its keys. */
      readonly hasDiscovery: boolean;
    };

export interface CallerSchemes {
  /** Each once. */
  readonly schemes: readonly CallerScheme[];
  /** Who shows nothing is let in, too. */
  readonly isOptional: boolean;
}

export interface Authenticated {
  readonly principal: Principal;
  /** @default what the entry allows */
  readonly ceiling?: Ceiling;
}
