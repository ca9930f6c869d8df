// Owns schemas that are trusted like code: those of tools and of configuration. Their bound only stops accidents.
// SPEC.md section 5.2 (#schema-work).

import { readJson } from '../codec/json/read.ts';
import { writeJson } from '../codec/json/write.ts';
import type { JsonValue } from '../codec/value.ts';
import type { SchemaFailure } from './bounded/failure.ts';
import { compileBounded } from './bounded/validator.ts';
import { Work } from './bounded/work.ts';
import type { Schema } from './descriptor.ts';

export type { SchemaFailure };

const COMPILE_WORK = 10_000_000;
const VALIDATE_WORK = 25_000_000;

export interface TrustedSchema {
  readonly schema: Schema;
  /** The first failure, or `undefined` for a value that fits. */
  readonly validate: (value: JsonValue) => SchemaFailure | undefined;
}

/** Throws SCHEMA_UNSUPPORTED for what is no schema. */
export function compileTrusted(given: Schema): TrustedSchema {
  // A copy: what the caller does to its own object later must not change what is checked.
  const schema = readJson(writeJson(given)) as Schema;
  const compiled = compileBounded(schema, new Work(COMPILE_WORK));
  return { schema, validate: (value) => compiled.validate(value, new Work(VALIDATE_WORK)) };
}
