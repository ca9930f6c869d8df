// Owns the table of keywords: what each demands of its value and which rule it sets. SPEC.md section 5.2 (#schema-dialect).

import type { JsonNumber } from '../../codec/decimal.ts';
import { compareNumbers } from '../../codec/decimal.ts';
import type { JsonValue } from '../../codec/value.ts';
import type { KeywordSite } from './keyword-site.ts';
import { KINDS } from './kind.ts';
import { memberNames } from './member-names.ts';
import type { PatternRule, SchemaNode } from './node.ts';
import {
  arrayRules,
  inPlaceRules,
  memberCountRules,
  memberRules,
  numberRules,
  objectRules,
  stringRules,
} from './rules.ts';
import { ValueSet } from './value-set.ts';

export type KeywordReader = (site: KeywordSite) => void;

/** `$id` is not here: it has to be known before the rest of its schema is read. */
export const KEYWORDS: ReadonlyMap<string, KeywordReader> = new Map<string, KeywordReader>([
  ['$schema', readDialect],
  ['$anchor', readAnchor],
  ['$dynamicAnchor', readDynamicAnchor],
  ['$ref', readReference],
  ['$dynamicRef', readDynamicReference],
  ['$defs', schemaMap],
  ['definitions', schemaMap],

  ['type', readType],
  ['const', set(itself, 'constant', (site) => valueSet([site.value], site))],
  ['enum', set(itself, 'enumeration', (site) => valueSet(site.list(), site))],
  ['allOf', set(inPlaceRules, 'allOf', schemaList)],
  ['anyOf', set(inPlaceRules, 'anyOf', schemaList)],
  ['oneOf', set(inPlaceRules, 'oneOf', schemaList)],
  ['not', set(inPlaceRules, 'not', schema)],
  ['if', set(inPlaceRules, 'condition', schema)],
  ['then', set(inPlaceRules, 'whenTrue', schema)],
  ['else', set(inPlaceRules, 'whenFalse', schema)],

  ['minimum', set(numberRules, 'minimum', number)],
  ['maximum', set(numberRules, 'maximum', number)],
  ['exclusiveMinimum', set(numberRules, 'exclusiveMinimum', number)],
  ['exclusiveMaximum', set(numberRules, 'exclusiveMaximum', number)],
  ['multipleOf', set(numberRules, 'multipleOf', divisor)],

  ['minLength', set(stringRules, 'minLength', count)],
  ['maxLength', set(stringRules, 'maxLength', count)],
  ['pattern', set(stringRules, 'pattern', (site) => site.pattern(site.text()))],

  ['minItems', set(arrayRules, 'minItems', count)],
  ['maxItems', set(arrayRules, 'maxItems', count)],
  ['uniqueItems', set(arrayRules, 'uniqueItems', (site) => site.flag())],
  ['prefixItems', set(arrayRules, 'prefixItems', schemaList)],
  ['items', set(arrayRules, 'items', schema)],
  ['contains', set(arrayRules, 'contains', schema)],
  ['minContains', set(arrayRules, 'minContains', count)],
  ['maxContains', set(arrayRules, 'maxContains', count)],
  ['unevaluatedItems', set(itself, 'unevaluatedItems', schema)],

  ['minProperties', set(memberCountRules, 'minProperties', count)],
  ['maxProperties', set(memberCountRules, 'maxProperties', count)],
  ['required', set(objectRules, 'required', (site) => site.names())],
  ['dependentRequired', set(objectRules, 'dependentRequired', nameLists)],
  ['dependentSchemas', set(objectRules, 'dependentSchemas', memberSchemas)],
  ['properties', set(memberRules, 'properties', memberSchemas)],
  ['patternProperties', set(memberRules, 'patternProperties', patternSchemas)],
  ['additionalProperties', set(memberRules, 'additionalProperties', schema)],
  ['propertyNames', set(memberRules, 'propertyNames', schema)],
  ['unevaluatedProperties', set(itself, 'unevaluatedProperties', schema)],
]);

/** A keyword whose value, once read, is one rule of its schema. */
function set<Rules, Name extends keyof Rules>(
  rulesOf: (node: SchemaNode) => Rules,
  name: Name,
  read: (site: KeywordSite) => Rules[Name],
): KeywordReader {
  return (site) => {
    rulesOf(site.node)[name] = read(site);
  };
}

function itself(node: SchemaNode): SchemaNode {
  return node;
}

function number(site: KeywordSite): JsonNumber {
  return site.number();
}

function divisor(site: KeywordSite): JsonNumber {
  const value = site.number();
  return compareNumbers(value, 0) > 0 ? value : site.refuse('expected a number above zero');
}

function count(site: KeywordSite): number {
  return site.count();
}

function schema(site: KeywordSite): SchemaNode {
  return site.schema();
}

function schemaList(site: KeywordSite): readonly SchemaNode[] {
  return site.schemaList();
}

function schemaMap(site: KeywordSite): ReadonlyMap<string, SchemaNode> {
  return site.schemaMap();
}

function memberSchemas(site: KeywordSite): ReadonlyMap<string, SchemaNode> {
  const schemas = site.schemaMap();
  site.reader.declareNames(schemas.keys());
  return schemas;
}

function patternSchemas(site: KeywordSite): readonly PatternRule[] {
  return Array.from(site.schemaMap(), ([source, node]) => ({
    pattern: site.pattern(source),
    node,
  }));
}

function nameLists(site: KeywordSite): ReadonlyMap<string, readonly string[]> {
  const lists = site.object();
  const names = memberNames(lists, site.reader.work);
  site.reader.declareNames(names);
  return new Map(names.map((name) => [name, site.names(lists[name])]));
}

function valueSet(values: readonly JsonValue[], site: KeywordSite): ValueSet {
  const result = new ValueSet();
  for (const value of values) result.add(value, site.reader.work);
  return result;
}

function readType(site: KeywordSite): void {
  const names = Array.isArray(site.value) ? site.list() : [site.value];
  if (names.length === 0) site.refuse('expected at least one type');
  for (const name of names) {
    const kind = typeof name === 'string' ? KINDS.get(name) : undefined;
    if (kind === undefined) return site.refuse('names a type that does not exist');
    if ((site.node.types & kind) !== 0) site.refuse('names a type twice');
    site.node.types |= kind;
  }
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

function readDialect(site: KeywordSite): void {
  const uri = site.text();
  if (uri !== DIALECT && uri !== `${DIALECT}#`) site.refuse('is not of draft 2020-12');
}

function readAnchor(site: KeywordSite): string {
  const name = site.text();
  const { anchors } = site.node.resource;
  if (!/^[A-Za-z_][-A-Za-z0-9._]*$/.test(name)) site.refuse('is not the name of an anchor');
  if ((anchors.get(name) ?? site.node) !== site.node) site.refuse('is an anchor a second time');
  anchors.set(name, site.node);
  return name;
}

function readDynamicAnchor(site: KeywordSite): void {
  const name = readAnchor(site);
  const { resource } = site.node;
  resource.dynamicAnchors ??= new Map();
  resource.dynamicAnchors.set(name, site.node);
}

function readReference(site: KeywordSite): void {
  const rules = inPlaceRules(site.node);
  site.reader.refer(site, (target) => {
    rules.ref = target;
  });
}

function readDynamicReference(site: KeywordSite): void {
  const rules = inPlaceRules(site.node);
  site.reader.refer(site, (target, fragment) => {
    // Only a reference that arrives at a dynamic anchor by its name is a dynamic one.
    const isDynamic = target.resource.dynamicAnchors?.get(fragment) === target;
    rules.dynamicRef = { initial: target, anchor: isDynamic ? fragment : undefined };
  });
}
