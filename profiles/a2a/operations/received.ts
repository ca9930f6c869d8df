// Owns what evidence is told of the request that a message of A2A came in: its bytes, the version and the binding.
// SPEC.md section 20 (#a2a-evidence).

import type { CallContext, Received } from '../../../src/door/index.ts';
import { changedCall } from '../../../src/door/index.ts';
import type { WireName } from '../wires/wire.ts';

/** A request as it came. */
export interface Carrier {
  /** As a card names it. */
  readonly binding: 'JSONRPC' | 'HTTP+JSON' | 'GRPC';
  /** Empty where it has no body. */
  readonly bytes: Uint8Array;
  /** Of the bytes. */
  readonly mediaType: string;
}

const NO_BYTES = new Uint8Array(0);

export function receivedIn(wire: WireName, { binding, bytes, mediaType }: Carrier): Received {
  return { bytes, mediaType, version: wire === 'v1' ? '1.0' : '0.3', transport: binding };
}

/** The same of one that brings a secret: its bytes must not be kept. */
export function secretCall(call: CallContext): CallContext {
  const { received } = call;
  return received === undefined
    ? call
    : changedCall(call, { received: { ...received, isSecret: true } });
}

/** The same once its message is told of: a stream that stays open must not hold what it came in. */
export function withoutBytes(call: CallContext): CallContext {
  const { received } = call;
  if (received === undefined) return call;
  return changedCall(call, { received: { ...received, bytes: NO_BYTES } });
}
