// Owns what a message, an artifact and a status of A2A say, in whatever shape they come. SPEC.md section 22
// (#sealed-content).

import type { JsonObject, JsonValue } from '../../../../src/codec/index.ts';

/**
 * `wire`: JSON of 1.0. `sdk`: objects of the official SDK 1.x, whose parts have `content`. `kind`: 0.3, whose objects
 * name themselves. What is read may also be JSON of the protobuf messages of 0.3.
 */
export type Family = 'wire' | 'sdk' | 'kind';

/** Exactly one of the first four. */
export interface NeutralPart {
  readonly text?: string;
  /** Base64 with padding. */
  readonly raw?: string;
  readonly url?: string;
  readonly data?: JsonValue;
  readonly filename?: string;
  readonly mediaType?: string;
  readonly metadata?: JsonObject;
}

export type Role = 'user' | 'agent';

/** What an envelope holds of a message. */
export interface NeutralMessage {
  readonly messageId: string;
  readonly role: Role;
  readonly parts: readonly NeutralPart[];
  readonly referenceTaskIds?: readonly string[];
  readonly extensions?: readonly string[];
  readonly metadata?: JsonObject;
}

export interface NeutralArtifact {
  readonly artifactId: string;
  readonly parts: readonly NeutralPart[];
  readonly name?: string;
  readonly description?: string;
  readonly extensions?: readonly string[];
  readonly metadata?: JsonObject;
}

/** What servers put beside a message, and gateways may change. */
export interface Places {
  readonly contextId?: string;
  readonly taskId?: string;
}

/** An object of somebody else's making: nothing of it is known. */
export type Bag = Readonly<Record<string, unknown>>;

export function bagOf(value: unknown): Bag | undefined {
  const isBag = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isBag ? (value as Bag) : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** The SDKs write what is not there as an empty text. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** `undefined` where there is none. */
export function textsOf(value: unknown): readonly string[] | undefined {
  const texts = listOf(value).filter((one) => typeof one === 'string');
  return texts.length > 0 ? texts : undefined;
}
