// Runs in an empty project that has installed the packed tarball: is the package whole?

import assert from 'node:assert/strict';

import { ERRORS } from 'a2a-sdl';
import { readJson, writeJcs } from 'a2a-sdl/codec';
import { createEnvelopeBuilder } from 'a2a-sdl/envelope';
import { SchemaRegistry } from 'a2a-sdl/schema';
import { createSchemaFetch } from 'a2a-sdl/transports/fetch';
import { chooseProvider } from 'a2a-sdl/security';
import { KeyDirectory } from 'a2a-sdl/keys';
import { createMemoryStore } from 'a2a-sdl/stores';
import { openSqliteStore } from 'a2a-sdl/stores/sqlite';
import hashes from 'a2a-sdl/schemas/hashes.json' with { type: 'json' };

const registry = new SchemaRegistry();
assert.equal(registry.descriptorFor('task.v1').id, hashes['task.v1']);
assert.equal(typeof createSchemaFetch(), 'function');
assert.equal(typeof createEnvelopeBuilder, 'function');
assert.equal(ERRORS.INTERNAL.http, 500);
assert.equal(chooseProvider('noble').randomBytes(4).length, 4);
assert.equal(typeof KeyDirectory, 'function');
for (const store of [createMemoryStore(), await openSqliteStore({ path: ':memory:' })]) {
  assert.equal(await store.add('space', 'key', { value: new Uint8Array(1) }), true);
  await store.close();
}
const value = readJson(new TextEncoder().encode('{"b":1,"a":[1.0]}'));
assert.equal(new TextDecoder().decode(writeJcs(value)), '{"a":[1],"b":1}');
await assert.rejects(import('a2a-sdl/src/errors.js'), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' });
console.log('the packed package works');
