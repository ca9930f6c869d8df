// Owns the schema descriptor of an envelope and what its members must be. SPEC.md section 5.1 (#descriptor).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import type { ContentHash } from './content-hash.ts';
import { contentHash, isContentHash } from './content-hash.ts';

/** A JSON Schema: an object, or `true` and `false`. */
export type Schema = JsonObject | boolean;

export interface EmbeddedDescriptor {
  readonly kind: 'embedded';
  readonly id: ContentHash;
  readonly embedded: Schema;
}

export interface UriDescriptor {
  readonly kind: 'uri';
  readonly id: ContentHash;
  readonly uri: string;
}

export type SchemaDescriptor = EmbeddedDescriptor | UriDescriptor;

const MAX_URI_LENGTH = 2_048;

export function embed(schema: Schema): EmbeddedDescriptor {
  return { kind: 'embedded', id: contentHash(schema), embedded: schema };
}

/** Checks the members only; hashing waits until the sender is proven. */
export function checkDescriptor(value: JsonValue | undefined): SchemaDescriptor {
  if (!isJsonObject(value)) throw malformed('/schema', 'must be an object');
  const { kind, id, embedded, uri } = value;
  if (kind !== 'embedded' && kind !== 'uri') {
    throw malformed('/schema/kind', 'must be "embedded" or "uri"');
  }
  if (typeof id !== 'string' || !isContentHash(id)) {
    throw malformed('/schema/id', 'must be "sha256:" and 64 lower-case hexadecimal digits');
  }
  if (kind === 'embedded') {
    if (typeof embedded !== 'boolean' && !isJsonObject(embedded)) {
      throw malformed('/schema/embedded', 'must be a schema: an object or a boolean');
    }
  } else if (typeof uri !== 'string' || uri === '' || uri.length > MAX_URI_LENGTH) {
    throw malformed('/schema/uri', `must be text of 1 to ${MAX_URI_LENGTH} characters`);
  }
  return value as unknown as SchemaDescriptor;
}

/** Throws SCHEMA_URI for a schema by address, which nobody has resolved. */
export function requireEmbedded(descriptor: SchemaDescriptor): EmbeddedDescriptor {
  if (descriptor.kind === 'embedded') return descriptor;
  throw new SdlError('SCHEMA_URI', 'schemas by address are not accepted here', {
    details: { path: '/schema/kind' },
  });
}

/** Throws SCHEMA_HASH unless the embedded schema is the one that `id` names. */
export function verifyEmbedded(descriptor: EmbeddedDescriptor): void {
  if (contentHash(descriptor.embedded) !== descriptor.id) {
    throw new SdlError('SCHEMA_HASH', 'the embedded schema does not hash to its id', {
      details: { path: '/schema/id' },
    });
  }
}

function malformed(path: string, what: string): SdlError {
  return new SdlError('SCHEMA_DESCRIPTOR', `${path} ${what}`, { details: { path } });
}
