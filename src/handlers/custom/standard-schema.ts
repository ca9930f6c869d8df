// Owns validators that bring their own types: any object with the Standard Schema interface, version 1.
// SPEC.md section 5.2 (#schema-own, #schema-errors).

import { readJson } from '../../codec/json/read.ts';
import type { Path } from '../../codec/pointer.ts';
import { quoteForLog, toPointer } from '../../codec/pointer.ts';
import { encodeUtf8 } from '../../codec/utf8.ts';
import type { JsonObject, JsonValue } from '../../codec/value.ts';
import { SdlError } from '../../errors.ts';
import { toPlainValue } from './plain-value.ts';

/** What zod, valibot, arktype and others offer; see standardschema.dev. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema, which not every library has. */
    readonly jsonSchema?:
      { readonly input: (options: { readonly target: 'draft-2020-12' }) => object } | undefined;
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type StandardOutput<S extends StandardSchema> = NonNullable<
  S['~standard']['types']
>['output'];

/** Some libraries make validators that are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const { '~standard': standard } = value as Partial<StandardSchema>;
  return standard?.version === 1 && typeof standard.validate === 'function';
}

/** What the validator takes as a JSON Schema, where its library can write one. */
export function jsonSchemaOf(schema: StandardSchema): JsonObject | undefined {
  try {
    const written = schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' });
    // Keeps only what is JSON of the object that the library made.
    return written && (readJson(encodeUtf8(JSON.stringify(written))) as JsonObject);
  } catch {
    // Not everything that a validator takes has one: a date, a transformation.
    return undefined;
  }
}

/**
 * The validator's output for a payload, which it is given as plain values (see {@link toPlainValue}).
 * Throws PAYLOAD_INVALID. The words of a validator may quote the payload, so nobody gets them. `toldPath` turns the
 * place of the failure into the path that the sender gets.
 */
export async function parseWith<S extends StandardSchema>(
  schema: S,
  value: JsonValue,
  toldPath?: (path: Readonly<Path>) => string,
): Promise<StandardOutput<S>> {
  const result = await schema['~standard'].validate(toPlainValue(value));
  if (result.issues === undefined) return result.value;
  const path = (result.issues[0]?.path ?? []).map(tokenOf);
  throw new SdlError(
    'PAYLOAD_INVALID',
    `the payload does not fit its validator at ${quoteForLog(toPointer(path))} (issues: ${result.issues.length})`,
    toldPath && { details: { path: toldPath(path) } },
  );
}

function tokenOf(segment: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof segment === 'object' ? segment.key : segment;
  return typeof key === 'symbol' ? String(key) : key;
}
