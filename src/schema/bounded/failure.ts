// Owns what is told about a value that does not fit: where and by which keyword, never what stood there. SPEC.md section 5.2 (#schema-errors).

import { toPointer } from '../../codec/pointer.ts';
import type { SchemaNode } from './node.ts';
import type { Evaluation } from './evaluation.ts';

/** The first failure. For a schema `false` the keyword is the one that holds it, or `false` at the root. */
export interface SchemaFailure {
  readonly keyword: string;
  /**
   * JSON pointer to the keyword, from the root of the document that it stands in;
   * in the draft's own metaschema behind its URI and `#`.
   */
  readonly schemaPath: string;
  /** JSON pointer to the value that failed. Holds member names of the payload: for the local log. */
  readonly instancePath: string;
  /** The same for the peer: names that the schema does not declare are `*`. */
  readonly path: string;
}

/** What a validation that failed has noted; `declaredNames` are those that the schema speaks of. */
export function describeFailure(
  evaluation: Evaluation,
  declaredNames: ReadonlySet<string>,
): SchemaFailure {
  const { node, keyword } = evaluation.failure!;
  const path = evaluation.failedPath.toReversed();
  const safePath = path.map((token) =>
    typeof token === 'number' || declaredNames.has(token) ? token : '*',
  );
  return {
    keyword: keyword ?? holderOf(node),
    schemaPath: node.pointer + (keyword === undefined ? '' : toPointer([keyword])),
    instancePath: toPointer(path),
    path: toPointer(safePath),
  };
}

/** The keyword that a schema stands under. */
function holderOf(node: SchemaNode): string {
  return node.parent === undefined ? 'false' : node.step.split('/', 2)[1]!;
}
