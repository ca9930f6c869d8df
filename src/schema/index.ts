// The surface of `a2a-sdl/schema`: descriptors, content hashes and bounded validation.

export type { ContentHash } from './content-hash.ts';
export { contentHash, isContentHash } from './content-hash.ts';
export type { EmbeddedDescriptor, Schema, SchemaDescriptor, UriDescriptor } from './descriptor.ts';
export { checkDescriptor, embed, verifyEmbedded } from './descriptor.ts';
export type { PayloadCheck } from './registry.ts';
export { SchemaRegistry } from './registry.ts';
export type { SchemaFetch, SchemaResolver } from './resolve-uri.ts';
export { createSchemaResolver } from './resolve-uri.ts';
export type { SchemaFailure, TrustedSchema } from './trusted-schema.ts';
export { compileTrusted } from './trusted-schema.ts';
