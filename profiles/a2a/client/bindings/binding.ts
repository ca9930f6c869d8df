// Owns what every binding can do for a client: ask for one answer, or for a stream of them. SPEC.md section 20
// (#a2a-client-wires).

import type { JsonValue } from '../../../../src/door/index.ts';
import type { Limits } from '../../../../src/transport.ts';
import type { OperationName } from '../../operations/inputs.ts';
import type { Shape } from '../../wires/shape.ts';
import type { Asked } from '../asking/asked.ts';
import type { GrpcPort } from './grpc-port.ts';
import type { HttpPort } from './http-port.ts';

export interface AskOptions {
  readonly signal: AbortSignal;
  /** Until the answer, or the first event, is there. */
  readonly timeoutMs: number;
  /** Extensions of the protocol that are asked for. @default none */
  readonly extensions?: readonly string[];
}

export interface StreamOptions extends AskOptions {
  /** Of the last event that was seen. */
  readonly lastEventId?: string;
}

/** One frame, in the form of the wire. */
export interface ToldFrame {
  /** Of the event, where the agent numbers them. */
  readonly id?: string;
  readonly value: JsonValue;
}

/** One address of an agent. Both throw an A2aRemoteError for a refusal and a TransportError for no answer. */
export interface ClientBinding {
  ask<Name extends OperationName>(
    operation: Name,
    asked: Asked[Name],
    options: AskOptions,
  ): Promise<JsonValue | undefined>;
  stream<Name extends 'stream' | 'subscribe'>(
    operation: Name,
    asked: Asked[Name],
    options: StreamOptions,
  ): AsyncGenerator<ToldFrame>;
}

/** What a stream may cost: an agent must not be able to fill the memory or to never end. */
export interface StreamCaps {
  /** Without anything that came. @default 120000 */
  readonly idleMs: number;
  /** @default 100000 */
  readonly maxEvents: number;
  /** Of all events together. @default 67108864 */
  readonly maxStreamBytes: number;
}

/** What every binding is made with. */
interface BindingOptions {
  readonly url: string;
  readonly tenant?: string;
  readonly shape: Shape;
  readonly limits: Limits;
  readonly caps: StreamCaps;
  /** The header of an API key that was given without one. */
  readonly apiKey?: string;
}

export interface HttpBindingOptions extends BindingOptions {
  readonly port: HttpPort;
}

export interface GrpcBindingOptions extends BindingOptions {
  readonly port: GrpcPort;
}

/** Which version is spoken, in every request. */
export function versionHeaders({ name }: Shape): Readonly<Record<string, string>> {
  return { 'a2a-version': name === 'v1' ? '1.0' : '0.3' };
}

/** 0.3 has another name for the header; agents between the two may know either. */
export function extensionHeaders(
  { name }: Shape,
  extensions: readonly string[] = [],
): Readonly<Record<string, string>> {
  if (extensions.length === 0) return {};
  const list = extensions.join(', ');
  return { 'a2a-extensions': list, ...(name !== 'v1' && { 'x-a2a-extensions': list }) };
}
