// Owns how the details of a refusal over gRPC are read: what cannot be read of them is as if it was not there. SPEC.md
// section 20 (#a2a-client-errors).

import type { JsonObject } from '../../../../src/door/index.ts';
import type { Limits } from '../../../../src/transport.ts';
import { TYPES } from '../../errors/forms.ts';
import { RPC } from '../../grpc/status.ts';
import { readProtobuf } from '../../protobuf/read.ts';

const KNOWN: readonly string[] = ['ErrorInfo', 'BadRequest', 'RetryInfo'];

/** @param bytes of `grpc-status-details-bin`. */
export function readStatusDetails(bytes: Uint8Array, limits: Limits): readonly JsonObject[] {
  const { details = [] } = messageIn('Status', bytes, limits) ?? {};
  return (details as readonly JsonObject[]).flatMap((any) => {
    const name = KNOWN.find((known) => any['typeUrl'] === `${TYPES}.${known}`);
    // What is empty is left out, and bytes stay bytes.
    const value = (any['value'] ?? new Uint8Array()) as unknown as Uint8Array;
    const told = name === undefined ? undefined : messageIn(name, value, limits);
    return told === undefined ? [] : [{ '@type': `${TYPES}.${name}`, ...told }];
  });
}

function messageIn(message: string, bytes: Uint8Array, limits: Limits): JsonObject | undefined {
  try {
    return readProtobuf(RPC, message, bytes, limits);
  } catch {
    return undefined;
  }
}
