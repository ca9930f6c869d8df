// Owns what a face says of its agent in a card, before it has a form. SPEC.md section 21 (#a2a-card).

import type { AgentFacts, Authenticated } from '../../../src/transport.ts';
import type { JsonObject } from '../../../src/codec/index.ts';
import type { HttpCall } from '../../../transports/http/index.ts';
import type { CardRequirement, CardSecurity } from './security.ts';

/** `strict`: exactly the members of 1.0. `superset`: those, and beside them the members that 0.3 and its draft read. */
export type CardForm = 'strict' | 'superset';

/** One way to the agent. The first of a version is the preferred one. */
export interface CardInterface {
  /** Of `GRPC` the host and port, or `http://HOST:PORT`, with TLS `https://HOST:PORT`. */
  readonly url: string;
  readonly binding: 'JSONRPC' | 'HTTP+JSON' | 'GRPC';
  readonly protocolVersion: '1.0' | '0.3';
  /** What a client sends as `tenant`. 0.3 has none: an interface with one is not among its members. @default none */
  readonly tenant?: string;
}

export interface CardProvider {
  readonly organization: string;
  readonly url: string;
}

/** Nothing of it may be empty but what is left out. */
export interface CardSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly examples?: readonly string[];
  /** @default those of the agent */
  readonly inputModes?: readonly string[];
  /** @default those of the agent */
  readonly outputModes?: readonly string[];
  /** @default those of the agent */
  readonly requirements?: readonly CardRequirement[];
}

export interface CardExtension {
  readonly uri: string;
  readonly description?: string;
  /** @default false */
  readonly required?: boolean;
  /** Nothing in it may be empty: the SDKs leave out what is, and would verify another card than was signed. */
  readonly params?: JsonObject;
}

export interface CardCapabilities {
  readonly streaming: boolean;
  readonly pushNotifications: boolean;
  readonly extendedAgentCard: boolean;
  readonly extensions?: readonly CardExtension[];
}

/** What the runtime does not know of itself. An empty text or list counts as left out. */
export interface CardDetails {
  /** @default a sentence with the name of the agent */
  readonly description?: string;
  /** Of the agent, not of a protocol. @default '1.0.0' */
  readonly version?: string;
  readonly provider?: CardProvider;
  readonly documentationUrl?: string;
  readonly iconUrl?: string;
  /** @default one skill: tasks in plain words */
  readonly skills?: readonly CardSkill[];
  /** Media types. @default text/plain and application/json */
  readonly inputModes?: readonly string[];
  /** Media types. @default text/plain and application/json */
  readonly outputModes?: readonly string[];
}

/**
 * What the card says to this caller instead of what it says to everybody; `forbidden` for who may not see it, nothing
 * where there is no such card.
 */
type ExtendedDetails = (caller: Authenticated) => ExtendedAnswer | Promise<ExtendedAnswer>;
type ExtendedAnswer = CardDetails | 'forbidden' | undefined;

/** A value, or where to ask for it each time. */
export type Live<T> = T | (() => T);

export interface CardOptions extends CardDetails {
  /** For who names no version. */
  readonly form: CardForm;
  readonly interfaces: Live<readonly CardInterface[]>;
  readonly capabilities: CardCapabilities;
  /** Extensions beside those of the capabilities. @default none */
  readonly extensions?: Live<readonly CardExtension[]>;
  /** How callers prove who they are. @default nobody has to */
  readonly security?: Live<CardSecurity | undefined>;
  /** @default there is no extended card */
  readonly extended?: ExtendedDetails;
  /** The address of `/.well-known/jwks.json` for others. */
  readonly jwksUrl: string;
  /** Answers a request for a card of a version that is not supported, in the form of its wire. */
  readonly refuseVersion: (call: HttpCall, version: string) => Promise<void>;
  /** How long a cache may keep a card. @default 300 */
  readonly maxAgeSeconds?: number;
  /** @default Date.now */
  readonly now?: () => number;
}

/** All that a card is composed of. */
export interface CardFacts {
  readonly about: Pick<AgentFacts, 'agentId' | 'name'>;
  readonly details: CardDetails;
  readonly interfaces: readonly CardInterface[];
  readonly capabilities: CardCapabilities;
  readonly security: CardSecurity | undefined;
}
