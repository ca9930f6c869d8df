// Runs in an empty project that has installed the packed tarball: is the package whole?

import assert from 'node:assert/strict';

import { ERRORS, createIdentity, createRuntime } from 'a2a-sdl';
import { readJson, writeJcs } from 'a2a-sdl/codec';
import { createMessage } from 'a2a-sdl/door';
import { createEnvelopeBuilder } from 'a2a-sdl/envelope';
import { KeyDirectory } from 'a2a-sdl/keys';
import { createCallers } from 'a2a-sdl/profiles/auth';
import { createEvaluation } from 'a2a-sdl/profiles/steerqa';
import { SchemaRegistry } from 'a2a-sdl/schema';
import hashes from 'a2a-sdl/schemas/hashes.json' with { type: 'json' };
import { chooseProvider } from 'a2a-sdl/security';
import { createMemoryStore } from 'a2a-sdl/stores';
import { openSqliteStore } from 'a2a-sdl/stores/sqlite';
import { createSchemaFetch } from 'a2a-sdl/transports/fetch';
import { http } from 'a2a-sdl/transports/http';

const registry = new SchemaRegistry();
assert.equal(registry.descriptorFor('task.v1').id, hashes['task.v1']);
assert.equal(typeof createSchemaFetch(), 'function');
assert.equal(typeof createEnvelopeBuilder, 'function');
assert.equal(ERRORS.INTERNAL.http, 500);
assert.equal(chooseProvider('noble').randomBytes(4).length, 4);
assert.equal(typeof KeyDirectory, 'function');
assert.equal(createMessage({ id: 'm', role: 'user', parts: [{ text: 'hi' }] }).text, 'hi');
const { principal } = await createCallers({ entries: [] }).authenticate({
  face: 'x',
  address: 'local',
  isLocalOwner: true,
});
assert.equal(principal.id, '~local:operator');
assert.equal(createEvaluation().emit('FINAL').sequence_id, 1);
const hasDriver = !process.argv.includes('--without-optional');
for (const store of [
  createMemoryStore(),
  ...(hasDriver ? [await openSqliteStore({ path: ':memory:' })] : []),
]) {
  assert.equal(await store.add('space', 'key', { value: new Uint8Array(1) }), true);
  await store.close();
}
const value = readJson(new TextEncoder().encode('{"b":1,"a":[1.0]}'));
assert.equal(new TextDecoder().decode(writeJcs(value)), '{"a":[1],"b":1}');
const runtime = createRuntime({ identity: await createIdentity() });
const [listener] = await runtime.listen(http({ port: 0 }));
assert.match(listener.urls[0], /^http:\/\/127\.0\.0\.1:\d+\/a2a$/);
await runtime.close();
await assert.rejects(import('a2a-sdl/src/errors.js'), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' });
console.log('the packed package works');
