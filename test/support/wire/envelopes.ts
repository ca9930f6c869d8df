// Envelopes that tests start from.

import { createEnvelopeBuilder } from '../../../src/envelope/build.ts';
import type { EnvelopeBuilder } from '../../../src/envelope/build.ts';
import type { Envelope, Identity } from '../../../src/envelope/types.ts';
import { SchemaRegistry } from '../../../src/schema/registry.ts';
import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { readJson } from '../../../src/codec/json/read.ts';
import { encodeMessage } from '../../../src/envelope/encode.ts';
import { applyPatch } from '../../../src/state/apply-patch.ts';

export const registry: SchemaRegistry = new SchemaRegistry();

export const alice: Identity = {
  agent_id: 'did:key:alice',
  name: 'planner',
  instance: 'a-1',
  role: 'planner',
};
export const bob: Identity = {
  agent_id: 'did:key:bob',
  name: 'executor',
  instance: 'b-1',
  role: 'executor',
};

export const EPOCH_MS: number = Date.UTC(2026, 0, 1);

/** A builder whose clock stands still and whose randomness counts, so that what it makes is the same every time. */
export function builderFor(identity: Identity): EnvelopeBuilder {
  let counter = 0;
  return createEnvelopeBuilder({
    identity,
    schemaFor: (ct) => registry.descriptorFor(ct),
    now: () => EPOCH_MS,
    randomBytes: (length) => new Uint8Array(length).fill((counter += 1)),
  });
}

export const taskPayload: JsonObject = {
  kind: 'task.v1',
  goal: 'Return short status',
  inputs: {},
  constraints: { time_budget_s: 30, compute_budget: 'low', safety: {} },
  deliverables: [{ type: 'text', description: 'status' }],
  acceptance: ['Single line'],
  context: {},
};

export function taskRequest(): Envelope {
  return builderFor(alice).request(bob, { ct: 'task.v1', payload: taskPayload });
}

/** An envelope as a reader would yield it. */
export function wireCopy(envelope: Envelope): JsonObject {
  return readJson(encodeMessage(envelope, 'json')) as JsonObject;
}

export const request: JsonObject = wireCopy(taskRequest());

export const SIG: JsonObject = { alg: 'ed25519', value: 'AA' };
export const RECIPIENT: JsonObject = { kid: 'k', eph: 'AA', wn: 'AA', ek: 'AA' };
export const ENC: JsonObject = {
  alg: 'x25519-chacha20poly1305',
  nonce: 'AA',
  ciphertext: 'AA',
  recipients: [RECIPIENT],
};

/** The request after these operations. */
export function patched(...operations: JsonObject[]): JsonValue {
  return applyPatch(request, operations);
}
export const put = (path: string, value: JsonValue): JsonObject => ({ op: 'add', path, value });
