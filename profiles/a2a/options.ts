// Owns what may be said about the face, and its defaults. SPEC.md section 20 (#a2a-options).

import type { CardDetails, CardOptions } from './card/options.ts';
import type { Profile } from './errors/kinds.ts';
import type { KnownExtension, Rules } from './operations/desk.ts';

export type { Profile } from './errors/kinds.ts';
export type { KnownExtension } from './operations/desk.ts';

export interface A2aOptions extends Omit<CardDetails, 'inputModes'> {
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
  /** How callers prove who they are, for the card. @default it says nothing of that */
  readonly security?: NonNullable<CardOptions['security']>;
  /** What the card says to a caller instead of what it says to everybody. @default there is no extended card */
  readonly extended?: NonNullable<CardOptions['extended']>;
}

type CardSettings = Pick<
  CardOptions,
  'form' | 'capabilities' | 'security' | 'extended' | keyof CardDetails
>;

export interface ResolvedOptions {
  readonly profile: Profile;
  readonly rules: Rules;
  readonly card: CardSettings;
}

export function resolveOptions(options: A2aOptions): ResolvedOptions {
  const { profile = '1.0.1', card = 'superset', contextIds = 'accept' } = options;
  const { streaming = true, inputModes, extensions = [] } = options;
  assertOneOf('profile', profile, ['1.0.0', '1.0.1']);
  assertOneOf('card', card, ['strict', 'superset']);
  assertOneOf('contextIds', contextIds, ['accept', 'refuse']);
  const { description, version, provider, documentationUrl, iconUrl, skills } = options;
  const { outputModes, security, extended } = options;
  return {
    profile,
    rules: { streaming, inputModes, contextIds, extensions },
    card: {
      form: card,
      capabilities: {
        streaming,
        pushNotifications: false,
        extendedAgentCard: extended !== undefined,
        extensions,
      },
      ...(description !== undefined && { description }),
      ...(version !== undefined && { version }),
      ...(provider !== undefined && { provider }),
      ...(documentationUrl !== undefined && { documentationUrl }),
      ...(iconUrl !== undefined && { iconUrl }),
      ...(skills !== undefined && { skills }),
      ...(inputModes !== undefined && { inputModes }),
      ...(outputModes !== undefined && { outputModes }),
      ...(security !== undefined && { security }),
      ...(extended !== undefined && { extended }),
    },
  };
}

function assertOneOf(name: string, value: string, known: readonly string[]): void {
  if (known.includes(value)) return;
  throw new TypeError(`"${name}" expected ${known.join(' or ')}`);
}
