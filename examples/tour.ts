// A tour of the core, from a request to its refusal. It asserts what it shows, and fails if the package does not keep it.

import assert from 'node:assert/strict';

import { SdlError } from 'a2a-sdl';
import { explainForms, readJson } from 'a2a-sdl/codec';
import {
  checkShape,
  createEnvelopeBuilder,
  decodeMessage,
  encodeMessage,
  salvageReplyTo,
} from 'a2a-sdl/envelope';
import { SchemaRegistry } from 'a2a-sdl/schema';
import type { Envelope, Identity } from 'a2a-sdl/envelope';
import type { EmbeddedDescriptor } from 'a2a-sdl/schema';

const planner: Identity = {
  agent_id: 'did:key:planner',
  name: 'planner',
  instance: '1',
  role: 'planner',
};
const executor: Identity = {
  agent_id: 'did:key:executor',
  name: 'executor',
  instance: '1',
  role: 'executor',
};

const registry = new SchemaRegistry();
const schemaFor = (ct: string): EmbeddedDescriptor => registry.descriptorFor(ct);
const sender = createEnvelopeBuilder({ identity: planner, schemaFor });
const receiver = createEnvelopeBuilder({ identity: executor, schemaFor });

const task = {
  kind: 'task.v1',
  goal: 'Summarise the report',
  inputs: { words: 120 },
  constraints: { time_budget_s: 30, compute_budget: 'low', safety: {} },
  deliverables: [{ type: 'text', description: 'summary' }],
  acceptance: ['At most 120 words'],
  context: {},
};

/** What a receiver does with bytes from the wire: every check that needs no key. */
function receive(bytes: Uint8Array): Envelope {
  const value = decodeMessage(bytes, 'json');
  try {
    const envelope = checkShape(value, registry);
    const { ct, payload, schema } = envelope;
    const check = { ct, payload, descriptor: schema };
    registry.checkOwn(check);
    registry.checkSenders(check);
    return envelope;
  } catch (thrown) {
    if (!(thrown instanceof SdlError)) throw thrown;
    console.log(`   local log:  ${thrown.message}`);
    const replyTo = salvageReplyTo(value);
    assert(replyTo, 'answers and events are not answered');
    return receiver.error(replyTo, thrown);
  }
}

console.log('1. A request is built, written, read back and checked.');
const request = sender.request(executor, { ct: 'task.v1', payload: task });
const bytes = encodeMessage(request, 'json');
assert.equal(receive(bytes).id, request.id);
console.log(
  `   ${request.ct} ${request.id}, ${bytes.length} bytes, schema ${request.schema.id.slice(0, 23)}…`,
);

console.log('2. A payload that does not fit is refused; the peer learns where, not what.');
const broken = sender.request(executor, { ct: 'task.v1', payload: { ...task, goal: '' } });
const refusal = receive(encodeMessage(broken, 'json'));
assert.equal(refusal.ct, 'error.v1');
assert.equal(refusal.re, broken.id);
console.log(`   on the wire: ${JSON.stringify(refusal.payload)}`);

console.log('3. A member that occurs twice is refused before anybody can choose one.');
assert.throws(() => readJson(new TextEncoder().encode('{"pay":1,"pay":1000}')), {
  code: 'ENCODING_INVALID',
});

console.log('4. Numbers survive, and the forms that lose something say so.');
const amount = readJson(new TextEncoder().encode('{"amount":1.0,"serial":9007199254740993}'));
const differences = explainForms(amount, 'jcs', 'python');
assert.equal(differences.length, 2);
for (const { reason } of differences) console.log(`   ${reason}`);

console.log('All of it held.');
