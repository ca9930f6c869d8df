// Owns what a schema is once compiled: every keyword checked, resolved and grouped by the kind of value it looks at. SPEC.md section 5.2 (#schema-dialect).

import type { JsonNumber } from '../../codec/decimal.ts';
import type { PricedPattern } from './priced-pattern.ts';
import type { ValueSet } from './value-set.ts';

/** What `$id` opens: the anchors that references into this part of the document can name. */
export interface Resource {
  readonly uri: string;
  readonly root: SchemaNode;
  readonly anchors: Map<string, SchemaNode>;
  /** Only made with the first `$dynamicAnchor`: resources without any never enter the dynamic scope. */
  dynamicAnchors: Map<string, SchemaNode> | undefined;
}

export interface NumberRules {
  minimum: JsonNumber | undefined;
  maximum: JsonNumber | undefined;
  exclusiveMinimum: JsonNumber | undefined;
  exclusiveMaximum: JsonNumber | undefined;
  multipleOf: JsonNumber | undefined;
}

export interface StringRules {
  minLength: number;
  maxLength: number;
  pattern: PricedPattern | undefined;
}

export interface ArrayRules {
  minItems: number;
  maxItems: number;
  uniqueItems: boolean;
  prefixItems: readonly SchemaNode[];
  items: SchemaNode | undefined;
  contains: SchemaNode | undefined;
  minContains: number;
  maxContains: number;
}

export interface ObjectRules {
  /** Some keyword looks at how many members there are. */
  countsMembers: boolean;
  /** Some keyword looks at every member, not only at names that it brings itself. */
  readsMembers: boolean;
  minProperties: number;
  maxProperties: number;
  required: readonly string[];
  dependentRequired: ReadonlyMap<string, readonly string[]>;
  dependentSchemas: ReadonlyMap<string, SchemaNode>;
  properties: ReadonlyMap<string, SchemaNode>;
  patternProperties: readonly PatternRule[];
  additionalProperties: SchemaNode | undefined;
  propertyNames: SchemaNode | undefined;
}

export interface PatternRule {
  readonly pattern: PricedPattern;
  readonly node: SchemaNode;
}

/** Keywords that apply other schemas to the same value. */
export interface InPlaceRules {
  ref: SchemaNode | undefined;
  dynamicRef: DynamicReference | undefined;
  allOf: readonly SchemaNode[];
  anyOf: readonly SchemaNode[];
  oneOf: readonly SchemaNode[];
  not: SchemaNode | undefined;
  condition: SchemaNode | undefined;
  /** `then`; an object with a member of that name would pass for a promise. */
  whenTrue: SchemaNode | undefined;
  whenFalse: SchemaNode | undefined;
}

export interface DynamicReference {
  /** Where the reference leads by itself. */
  readonly initial: SchemaNode;
  /** The name to look for in the dynamic scope; `undefined` when it is an ordinary reference. */
  readonly anchor: string | undefined;
}

/** One schema of a document. Rules stay `undefined` until a keyword of their kind is met. */
export class SchemaNode {
  readonly parent: SchemaNode | undefined;
  /** The way here from the parent, as a JSON pointer; of a root, what stands before every path. */
  readonly step: string;
  /** How many schemas this one stands in. */
  readonly depth: number;
  readonly resource: Resource;
  children: Map<string, SchemaNode> | undefined;
  /** Steps that one evaluation takes by itself; grows with the keywords. */
  weight = 1;
  /** Set for `true` and `false` only. */
  verdict: boolean | undefined;
  /** The kinds that `type` allows; 0 allows all. */
  types = 0;
  constant: ValueSet | undefined;
  enumeration: ValueSet | undefined;
  number: NumberRules | undefined;
  string: StringRules | undefined;
  array: ArrayRules | undefined;
  object: ObjectRules | undefined;
  inPlace: InPlaceRules | undefined;
  unevaluatedItems: SchemaNode | undefined;
  unevaluatedProperties: SchemaNode | undefined;

  /** With a `uri` the node opens a resource of that name, else it belongs to its parent's. */
  constructor(parent: SchemaNode | undefined, step: string, uri: string | undefined) {
    this.parent = parent;
    this.step = step;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.resource =
      parent === undefined || uri !== undefined
        ? { uri: uri ?? '', root: this, anchors: new Map(), dynamicAnchors: undefined }
        : parent.resource;
  }

  /** Where this schema stands in its document. */
  get pointer(): string {
    return (this.parent === undefined ? '' : this.parent.pointer) + this.step;
  }
}
