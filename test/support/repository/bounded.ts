// What suites on the bounded validator share.

import type { JsonValue } from '../../../src/codec/value.ts';
import type { SdlError } from '../../../src/errors.ts';
import type { SchemaFailure } from '../../../src/schema/bounded/failure.ts';
import { compileBounded } from '../../../src/schema/bounded/validator.ts';
import { Work } from '../../../src/schema/bounded/work.ts';
import { errorOf, parse } from '../wire/bytes.ts';

const STEPS = 100_000;

export function failureOf(schema: string, value: string): SchemaFailure | undefined {
  return compileBounded(parse(schema), new Work(STEPS)).validate(parse(value), new Work(STEPS));
}

export function isValid(schema: string, value: string): boolean {
  return failureOf(schema, value) === undefined;
}

export function refusalOf(schema: JsonValue): SdlError {
  const error = errorOf(() => compileBounded(schema, new Work(STEPS)));
  if (error === undefined) throw new Error('the schema was accepted');
  return error;
}
