// Owns the rules of a schema before its keywords are read: every value passes them.
// SPEC.md section 5.2 (#schema-dialect).

import type {
  ArrayRules,
  InPlaceRules,
  NumberRules,
  ObjectRules,
  SchemaNode,
  StringRules,
} from './node.ts';

const NO_SCHEMAS: readonly SchemaNode[] = [];
const NO_MEMBERS: ReadonlyMap<string, never> = new Map<string, never>();

export function numberRules(node: SchemaNode): NumberRules {
  node.number ??= {
    minimum: undefined,
    maximum: undefined,
    exclusiveMinimum: undefined,
    exclusiveMaximum: undefined,
    multipleOf: undefined,
  };
  return node.number;
}

export function stringRules(node: SchemaNode): StringRules {
  node.string ??= { minLength: 0, maxLength: Infinity, pattern: undefined };
  return node.string;
}

export function arrayRules(node: SchemaNode): ArrayRules {
  node.array ??= {
    minItems: 0,
    maxItems: Infinity,
    uniqueItems: false,
    prefixItems: NO_SCHEMAS,
    items: undefined,
    contains: undefined,
    minContains: 1,
    maxContains: Infinity,
  };
  return node.array;
}

export function objectRules(node: SchemaNode): ObjectRules {
  node.object ??= {
    countsMembers: false,
    readsMembers: false,
    minProperties: 0,
    maxProperties: Infinity,
    required: [],
    dependentRequired: NO_MEMBERS,
    dependentSchemas: NO_MEMBERS,
    properties: NO_MEMBERS,
    patternProperties: [],
    additionalProperties: undefined,
    propertyNames: undefined,
  };
  return node.object;
}

export function memberCountRules(node: SchemaNode): ObjectRules {
  const rules = objectRules(node);
  rules.countsMembers = true;
  return rules;
}

export function memberRules(node: SchemaNode): ObjectRules {
  const rules = objectRules(node);
  rules.readsMembers = true;
  return rules;
}

export function inPlaceRules(node: SchemaNode): InPlaceRules {
  node.inPlace ??= {
    ref: undefined,
    dynamicRef: undefined,
    allOf: NO_SCHEMAS,
    anyOf: NO_SCHEMAS,
    oneOf: NO_SCHEMAS,
    not: undefined,
    condition: undefined,
    whenTrue: undefined,
    whenFalse: undefined,
  };
  return node.inPlace;
}
