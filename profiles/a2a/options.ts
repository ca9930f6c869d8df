// Owns what may be said about the face, and its defaults. SPEC.md section 20 (#a2a-options).

import type { Profile } from './errors/kinds.ts';
import type { KnownExtension, Rules } from './operations/desk.ts';

export type { Profile } from './errors/kinds.ts';
export type { KnownExtension } from './operations/desk.ts';

export interface A2aOptions {
  /** Which text of 1.0 counts where its patches differ: statuses and media types. @default '1.0.1' */
  readonly profile?: Profile;
  /** The card that a client gets which does not say its version. @default 'superset' */
  readonly card?: 'strict' | 'superset';
  /** Streams are served. @default true */
  readonly streaming?: boolean;
  /** Media types of parts that are taken; a part that does not say its type always is. @default all */
  readonly inputModes?: readonly string[];
  /** May callers make up the ids of contexts? @default 'accept' */
  readonly contextIds?: 'accept' | 'refuse';
  /** Extensions of the protocol that the agent knows. @default none */
  readonly extensions?: readonly KnownExtension[];
}

export interface ResolvedOptions {
  readonly profile: Profile;
  readonly rules: Rules;
}

export function resolveOptions(options: A2aOptions): ResolvedOptions {
  const { profile = '1.0.1', card = 'superset', contextIds = 'accept' } = options;
  const { streaming = true, inputModes, extensions = [] } = options;
  assertOneOf('profile', profile, ['1.0.0', '1.0.1']);
  assertOneOf('card', card, ['strict', 'superset']);
  assertOneOf('contextIds', contextIds, ['accept', 'refuse']);
  return { profile, rules: { streaming, inputModes, contextIds, extensions } };
}

function assertOneOf(name: string, value: string, known: readonly string[]): void {
  if (known.includes(value)) return;
  throw new TypeError(`"${name}" expected ${known.join(' or ')}`);
}
