// Compiled in an empty project that has installed the packed tarball without its optional packages: are the types whole?
// It imports every entry; a test compares the list with package.json.

import { SdlError, createIdentity, createRuntime } from 'a2a-sdl';
import type { ErrorCode, Runtime } from 'a2a-sdl';
import * as audit from 'a2a-sdl/audit';
import * as codec from 'a2a-sdl/codec';
import * as door from 'a2a-sdl/door';
import * as envelope from 'a2a-sdl/envelope';
import * as keys from 'a2a-sdl/keys';
import * as assay from 'a2a-sdl/profiles/assay';
import * as a2a from 'a2a-sdl/profiles/a2a';
import * as sealed from 'a2a-sdl/profiles/a2a/sealed';
import * as auth from 'a2a-sdl/profiles/auth';
import * as steerqa from 'a2a-sdl/profiles/steerqa';
import * as swp from 'a2a-sdl/profiles/swp';
import * as schema from 'a2a-sdl/schema';
import * as security from 'a2a-sdl/security';
import * as state from 'a2a-sdl/state';
import * as stores from 'a2a-sdl/stores';
import * as postgres from 'a2a-sdl/stores/postgres';
import * as redis from 'a2a-sdl/stores/redis';
import * as sqlite from 'a2a-sdl/stores/sqlite';
import * as transport from 'a2a-sdl/transport';
import * as fetch from 'a2a-sdl/transports/fetch';
import * as http from 'a2a-sdl/transports/http';
import * as ipc from 'a2a-sdl/transports/ipc';
import * as memory from 'a2a-sdl/transports/memory';
import * as ws from 'a2a-sdl/transports/ws';

const core: readonly object[] = [
  a2a,
  audit,
  auth,
  codec,
  door,
  envelope,
  keys,
  schema,
  security,
  state,
];
const ways: readonly object[] = [transport, fetch, http, ipc, memory, ws];
export const entries: readonly object[] = [
  ...core,
  ...ways,
  assay,
  sealed,
  steerqa,
  swp,
  stores,
  postgres,
  redis,
  sqlite,
];

export const options: fetch.SchemaFetchOptions = { maxBytes: 1_000 };
export const agent: Runtime = createRuntime({
  identity: await createIdentity(),
  store: stores.createMemoryStore(),
  transports: [http.http(), ws.ws(), ipc.ipc()],
});

export function codeOf(bytes: Uint8Array): ErrorCode | undefined {
  try {
    codec.readJson(bytes);
    return undefined;
  } catch (thrown) {
    return thrown instanceof SdlError ? thrown.code : undefined;
  }
}
