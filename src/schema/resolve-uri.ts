// Owns how a `kind: "uri"` descriptor becomes an embedded one: fetched by the caller's means, proven by its hash. SPEC.md section 5.1 (#schema-uri).

import { LRUCache } from 'lru-cache';

import { readJson } from '../codec/json/read.ts';
import { isJsonObject } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import type { ContentHash } from './content-hash.ts';
import type { EmbeddedDescriptor, SchemaDescriptor, UriDescriptor } from './descriptor.ts';
import { verifyEmbedded } from './descriptor.ts';

/** Delivers the bytes behind an address. `a2a-sdl/transports/fetch` has one that cannot be turned inwards. */
export type SchemaFetch = (uri: string, signal?: AbortSignal) => Promise<Uint8Array>;

export type SchemaResolver = (
  descriptor: SchemaDescriptor,
  signal?: AbortSignal,
) => Promise<EmbeddedDescriptor>;

const MAX_REMEMBERED = 256;
const MAX_REMEMBERED_BYTES = 16_777_216;

/** What was fetched and proven once is remembered by its hash. */
export function createSchemaResolver(
  fetchSchema: SchemaFetch,
  limits: Limits = DEFAULT_LIMITS,
): SchemaResolver {
  const proven = new LRUCache<ContentHash, EmbeddedDescriptor>({
    max: MAX_REMEMBERED,
    maxSize: MAX_REMEMBERED_BYTES,
  });
  const inFlight = new Map<ContentHash, Promise<EmbeddedDescriptor>>();
  return async (descriptor, signal) => {
    if (descriptor.kind === 'embedded') {
      verifyEmbedded(descriptor);
      return descriptor;
    }
    const { id } = descriptor;
    const known = proven.get(id) ?? inFlight.get(id);
    if (known !== undefined) return known;
    const fetched = fetchProven(descriptor, signal).finally(() => inFlight.delete(id));
    inFlight.set(id, fetched);
    return fetched;
  };

  async function fetchProven(
    { id, uri }: UriDescriptor,
    signal: AbortSignal | undefined,
  ): Promise<EmbeddedDescriptor> {
    const bytes = await fetchSchema(uri, signal);
    const embedded = readJson(bytes, limits);
    if (typeof embedded !== 'boolean' && !isJsonObject(embedded)) {
      throw new SdlError('SCHEMA_URI', 'what was fetched is not a schema');
    }
    const resolved: EmbeddedDescriptor = { kind: 'embedded', id, embedded };
    verifyEmbedded(resolved);
    proven.set(id, resolved, { size: Math.max(1, bytes.length) });
    return resolved;
  }
}
