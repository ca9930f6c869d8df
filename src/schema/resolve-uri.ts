// Owns how a `kind: "uri"` descriptor becomes an embedded one: fetched by the caller's means, proven by its hash. SPEC.md section 5.1 (#schema-uri).

import { LRUCache } from 'lru-cache';

import { readJson } from '../codec/json-read.ts';
import { isJsonObject } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import type { ContentHash } from './content-hash.ts';
import type { EmbeddedDescriptor, SchemaDescriptor } from './descriptor.ts';
import { verifyEmbedded } from './descriptor.ts';

/** Delivers the bytes behind an address. `a2a-sdl/transports/schema-fetch` has one that cannot be turned inwards. */
export type SchemaFetch = (uri: string, signal?: AbortSignal) => Promise<Uint8Array>;

export type SchemaResolver = (
  descriptor: SchemaDescriptor,
  signal?: AbortSignal,
) => Promise<EmbeddedDescriptor>;

const MAX_REMEMBERED = 256;

/** What was fetched and proven once is remembered by its hash. */
export function createSchemaResolver(
  fetchSchema: SchemaFetch,
  limits: Limits = DEFAULT_LIMITS,
): SchemaResolver {
  const proven = new LRUCache<ContentHash, EmbeddedDescriptor>({ max: MAX_REMEMBERED });
  return async (descriptor, signal) => {
    if (descriptor.kind === 'embedded') {
      verifyEmbedded(descriptor);
      return descriptor;
    }
    const { id, uri } = descriptor;
    const known = proven.get(id);
    if (known !== undefined) return known;
    const embedded = readJson(await fetchSchema(uri, signal), limits);
    if (typeof embedded !== 'boolean' && !isJsonObject(embedded)) {
      throw new SdlError('SCHEMA_URI', 'what was fetched is not a schema');
    }
    const resolved: EmbeddedDescriptor = { kind: 'embedded', id, embedded };
    verifyEmbedded(resolved);
    proven.set(id, resolved);
    return resolved;
  };
}
