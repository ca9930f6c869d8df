// Owns the validator for schemas that a sender chose: draft 2020-12 in full, its work bounded, nothing fetched. SPEC.md section 5.2 (#schema-work).

import type { JsonValue } from '../../codec/value.ts';
import { SchemaCompiler } from './compile.ts';
import { evaluate } from './evaluate.ts';
import type { SchemaFailure } from './failure.ts';
import { describeFailure } from './failure.ts';
import { metaschema } from './metaschema.ts';
import type { SchemaNode } from './node.ts';
import { Evaluation } from './evaluation.ts';
import type { Work } from './work.ts';

export interface BoundedSchema {
  /** Bytes that it can come to hold, estimated from above. */
  readonly weight: number;
  /** The first failure, or `undefined` when the value is valid. Throws `SCHEMA_WORK` when the work runs out. */
  validate(value: JsonValue, work: Work): SchemaFailure | undefined;
}

/**
 * Checks a schema once and makes it ready for evaluation. Throws `SCHEMA_UNSUPPORTED` for what is not draft 2020-12,
 * has a pattern that cannot run in linear time or refers to what is not in it, and `SCHEMA_WORK`.
 */
export function compileBounded(schema: JsonValue, work: Work): BoundedSchema {
  const compiler = new SchemaCompiler(work);
  const root = compiler.readDocument(schema);
  let usesMetaschema = false;
  compiler.link((uri) => {
    const resource = metaschema().resources.get(uri);
    usesMetaschema ||= resource !== undefined;
    return resource;
  });
  if (usesMetaschema) compiler.declareNames(metaschema().declaredNames);
  return new CompiledSchema(root, compiler.declaredNames, compiler.weight);
}

class CompiledSchema implements BoundedSchema {
  readonly weight: number;
  readonly #root: SchemaNode;
  readonly #declaredNames: ReadonlySet<string>;

  constructor(root: SchemaNode, declaredNames: ReadonlySet<string>, weight: number) {
    this.#root = root;
    this.#declaredNames = declaredNames;
    this.weight = weight;
  }

  validate(value: JsonValue, work: Work): SchemaFailure | undefined {
    const evaluation = new Evaluation(work, evaluate);
    if (evaluate(this.#root, value, evaluation, undefined)) return undefined;
    return describeFailure(evaluation, this.#declaredNames);
  }
}
