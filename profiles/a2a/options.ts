// Owns what may be said about the face, and its defaults. SPEC.md section 20 (#a2a-options).

import type { SealedPolicy } from '../../src/security/index.ts';
import { SEALED_POLICIES } from '../../src/security/index.ts';
import type { CardDetails, CardOptions } from './card/options.ts';
import type { A2aDialectOptions } from './client/dialect.ts';
import type { Profile } from './errors/kinds.ts';
import type { GrpcOptions, ResolvedGrpc } from './grpc/options.ts';
import { resolveGrpc } from './grpc/options.ts';
import type { KnownExtension, Rules } from './operations/desk.ts';
import type { HookFetch, PushSettings } from './push/open.ts';

export type { Profile } from './errors/kinds.ts';
export type { KnownExtension } from './operations/desk.ts';
export type { HookFetch } from './push/open.ts';

export interface A2aOptions extends Omit<CardDetails, 'inputModes'> {
  /** Which text of 1.0 counts where its patches differ: statuses and media types. @default '1.0.1' */
  readonly profile?: Profile;
  /** The card that a client gets which does not say its version. @default 'superset' */
  readonly card?: 'strict' | 'superset';
  /** Streams are served. @default true */
  readonly streaming?: boolean;
  /** Web hooks are told of tasks. @default true, where the agent does tasks */
  readonly pushNotifications?: boolean;
  /**
   * Web hooks may be on this machine: for tests, and for agents of one machine. Other private addresses are refused all
   * the same. @default false
   */
  readonly allowLoopbackHooks?: boolean;
  /** Each notice to a web hook carries the agent's signature, for {@link verifyDelivery}. @default false */
  readonly signHooks?: boolean;
  /** How web hooks are reached. @default within 10 seconds, by the names and certificates of the system */
  readonly hookFetch?: HookFetch;
  /** Media types of parts that are taken; a part that does not say its type always is. @default all */
  readonly inputModes?: readonly string[];
  /** May callers make up the ids of contexts? @default 'accept' */
  readonly contextIds?: 'accept' | 'refuse';
  /** Extensions of the protocol that the agent knows. @default none */
  readonly extensions?: readonly KnownExtension[];
  /**
   * Messages that are sealed from end to end. `none`: they are not known here. `prefer`: they are opened, and plain ones
   * are taken from whom nothing else is said of. `require`: plain ones are refused. @default 'prefer'
   */
  readonly sealed?: SealedPolicy;
  /** Where gRPC is spoken. Needs the package `@grpc/grpc-js`. @default it is not */
  readonly grpc?: GrpcOptions;
  /** How callers prove who they are, for the card. @default as those that the runtime knows do */
  readonly security?: NonNullable<CardOptions['security']>;
  /** What the card says to a caller instead of what it says to everybody. @default there is no extended card */
  readonly extended?: NonNullable<CardOptions['extended']>;
  /** How a client speaks to other agents of A2A. @default without secrets, to whatever their cards say */
  readonly client?: A2aDialectOptions;
}

type CardSettings = Pick<
  CardOptions,
  'form' | 'capabilities' | 'security' | 'extended' | keyof CardDetails
>;

export interface ResolvedOptions {
  readonly profile: Profile;
  readonly rules: Rules;
  readonly sealed: SealedPolicy;
  /** `undefined` where web hooks are turned off. */
  readonly push: PushSettings | undefined;
  readonly card: CardSettings;
  readonly grpc?: ResolvedGrpc;
}

export function resolveOptions(options: A2aOptions): ResolvedOptions {
  const { profile = '1.0.1', card = 'superset', contextIds = 'accept' } = options;
  const { streaming = true, inputModes, extensions = [], sealed = 'prefer' } = options;
  assertOneOf('profile', profile, ['1.0.0', '1.0.1']);
  assertOneOf('card', card, ['strict', 'superset']);
  assertOneOf('sealed', sealed, SEALED_POLICIES);
  assertOneOf('contextIds', contextIds, ['accept', 'refuse']);
  const { description, version, provider, documentationUrl, iconUrl, skills } = options;
  const { outputModes, security, extended, grpc } = options;
  const { pushNotifications = true, allowLoopbackHooks: allowLoopback = false } = options;
  const { signHooks: isSigned = false } = options;
  return {
    profile,
    sealed,
    rules: { streaming, inputModes, contextIds, extensions },
    push: pushNotifications ? { ...options.hookFetch, allowLoopback, isSigned } : undefined,
    ...(grpc !== undefined && { grpc: resolveGrpc(grpc) }),
    card: {
      form: card,
      capabilities: {
        streaming,
        // Whether there are any is known once it listens.
        pushNotifications,
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
