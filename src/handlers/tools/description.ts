// Owns a tool as others are told of it: what it takes, what it gives, and a hash that changes with either.
// SPEC.md section 9 (#tool-list).

import type { JsonObject } from '../../codec/value.ts';
import type { ContentHash } from '../../schema/content-hash.ts';
import { contentHash } from '../../schema/content-hash.ts';
import type { Schema } from '../../schema/descriptor.ts';

/** A type, not an interface: it travels as JSON. */
export type ToolDescription = {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** JSON Schemas; `true` where nothing is known. */
  readonly args: Schema;
  readonly result: Schema;
  /** Of the other members. */
  readonly hash: ContentHash;
};

interface Told {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly args: Schema;
  readonly result: Schema;
}

export function describeTool({ name, title, description, args, result }: Told): ToolDescription {
  const told = {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    args,
    result,
  } satisfies JsonObject;
  return Object.freeze({ ...told, hash: contentHash(told) });
}
