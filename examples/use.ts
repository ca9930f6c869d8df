// The code of the README, between two ends of a pretended wire. A test keeps the two equal.

import assert from 'node:assert/strict';

import {
  SchemaRegistry,
  SdlError,
  checkShape,
  createEnvelopeBuilder,
  decodeMessage,
  encodeMessage,
} from 'a2a-sdl';
import type { Identity } from 'a2a-sdl';

const peer: Identity = { agent_id: 'did:key:it', name: 'forecaster', instance: '1', role: 'tool' };
const wire: Uint8Array[] = [];
const socket = { send: (bytes: Uint8Array): number => wire.push(bytes) };

// #region sender
const registry = new SchemaRegistry(); // the nine built-in content types
registry.register('weather.v1', { type: 'object', required: ['city'] }); // and one of your own

const builder = createEnvelopeBuilder({
  identity: { agent_id: 'did:key:me', name: 'planner', instance: 'pod-1', role: 'planner' },
  schemaFor: (ct) => registry.descriptorFor(ct),
});
const request = builder.request(peer, { ct: 'weather.v1', payload: { city: 'Oslo' } });
socket.send(encodeMessage(request, 'json')); // or 'cbor'; the socket is yours
// #endregion

// #region receiver
function receive(bytes: Uint8Array): string {
  try {
    const value = decodeMessage(bytes, 'json');
    const { id, ct, payload, schema: descriptor } = checkShape(value, registry);
    const check = { ct, payload, descriptor };
    registry.checkOwn(check); // your schema: always
    registry.checkSenders(check); // theirs: as well
    return `${ct} ${id}`;
  } catch (error) {
    if (error instanceof SdlError) return error.code; // e.g. PAYLOAD_INVALID, with error.details
    throw error;
  }
}
// #endregion

assert.equal(receive(wire[0]!), `weather.v1 ${request.id}`);
const nowhere = builder.request(peer, { ct: 'weather.v1', payload: {} });
assert.equal(receive(encodeMessage(nowhere, 'json')), 'PAYLOAD_INVALID');
console.log('the code of the README works');
