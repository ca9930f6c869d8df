// Owns how a keyword's value is read and refused while a schema is compiled. SPEC.md section 5.2 (#schema-dialect).

import type { JsonNumber } from '../../codec/decimal.ts';
import { compareNumbers, isIntegral } from '../../codec/decimal.ts';
import { toPointer } from '../../codec/pointer.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../codec/value.ts';
import { LosslessNumber, isJsonArray, isJsonObject, newJsonObject } from '../../codec/value.ts';
import { SdlError } from '../../errors.ts';
import { memberNames } from './member-names.ts';
import type { SchemaNode } from './node.ts';
import type { PricedPattern } from './priced-pattern.ts';
import type { Work } from './work.ts';

/** What a keyword needs of the compiler. */
export interface SchemaReader {
  readonly work: Work;
  /** Compiles a schema that stands at `step` below `parent`. */
  readSchema(value: JsonValue, parent: SchemaNode, step: string): SchemaNode;
  readPattern(source: string): PricedPattern;
  /** Names that the schema speaks of; only these may be told to a peer. */
  declareNames(names: Iterable<string>): void;
  /** Leaves a reference to be resolved once the whole document is known. */
  refer(site: KeywordSite, use: (target: SchemaNode, fragment: string) => void): void;
}

/** One keyword of one schema, with its value. */
export class KeywordSite {
  readonly node: SchemaNode;
  readonly keyword: string;
  readonly value: JsonValue;
  readonly reader: SchemaReader;

  constructor(node: SchemaNode, keyword: string, value: JsonValue, reader: SchemaReader) {
    this.node = node;
    this.keyword = keyword;
    this.value = value;
    this.reader = reader;
  }

  refuse(what: string, cause?: unknown): never {
    throw refusal(this.node.pointer + toPointer([this.keyword]), what, this.keyword, cause);
  }

  text(): string {
    return typeof this.value === 'string' ? this.value : this.refuse('expected a string');
  }

  flag(): boolean {
    return typeof this.value === 'boolean' ? this.value : this.refuse('expected a boolean');
  }

  number(): JsonNumber {
    const { value } = this;
    if (typeof value === 'number' || value instanceof LosslessNumber) return simplify(value);
    return this.refuse('expected a number');
  }

  /** A length or count. One too large for a double is as good as infinite. */
  count(): number {
    const value = this.number();
    if (!isIntegral(value) || compareNumbers(value, 0) < 0) {
      this.refuse('expected an integer that is not negative');
    }
    return typeof value === 'number' ? value : value.toNumber();
  }

  list(): JsonArray {
    return isJsonArray(this.value) ? this.value : this.refuse('expected an array');
  }

  object(): JsonObject {
    return isJsonObject(this.value) ? this.value : this.refuse('expected an object');
  }

  names(value: JsonValue = this.value): readonly string[] {
    if (!isJsonArray(value) || value.some((name) => typeof name !== 'string')) {
      return this.refuse('expected an array of strings');
    }
    const names = asMemberNames(value as readonly string[], this.reader.work);
    if (names.length < value.length) this.refuse('names a member twice');
    this.reader.declareNames(names);
    return names;
  }

  schema(): SchemaNode {
    return this.reader.readSchema(this.value, this.node, `/${this.keyword}`);
  }

  schemaList(): readonly SchemaNode[] {
    const schemas = this.list();
    if (schemas.length === 0) this.refuse('expected at least one schema');
    return schemas.map((schema, index) =>
      this.reader.readSchema(schema, this.node, `/${this.keyword}/${index}`),
    );
  }

  schemaMap(): ReadonlyMap<string, SchemaNode> {
    const schemas = this.object();
    const nodes = new Map<string, SchemaNode>();
    for (const name of memberNames(schemas, this.reader.work)) {
      const step = toPointer([this.keyword, name]);
      nodes.set(name, this.reader.readSchema(schemas[name]!, this.node, step));
    }
    return nodes;
  }

  pattern(source: string): PricedPattern {
    try {
      return this.reader.readPattern(source);
    } catch (error) {
      if (error instanceof SdlError && error.code === 'SCHEMA_UNSUPPORTED') {
        this.refuse(`cannot be used: ${error.reason}`, error);
      }
      throw error;
    }
  }
}

/** Engines find a text that is some object's member name by identity; any other they compare letter by letter. */
function asMemberNames(texts: readonly string[], work: Work): readonly string[] {
  const members = newJsonObject();
  for (const text of texts) {
    work.spend(1 + (text.length >> 4));
    members[text] = null;
  }
  return memberNames(members, work);
}

/** Sender-chosen names make a path; a log line is no place for a megabyte of them. */
const MAX_PATH = 256;

/** The error for a schema that cannot be used. The peer may learn the keyword: it is always one of the draft's own. */
export function refusal(path: string, what: string, keyword?: string, cause?: unknown): SdlError {
  const shown = path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path;
  return new SdlError('SCHEMA_UNSUPPORTED', `the schema at "${shown}" ${what}`, {
    details: keyword === undefined ? {} : { keyword },
    cause,
  });
}

/** A plain number where that is exact: comparing two plain ones is the fast way. */
function simplify(value: JsonNumber): JsonNumber {
  if (typeof value === 'number') return value;
  const nearest = value.toNumber();
  return Number.isFinite(nearest) && compareNumbers(value, nearest) === 0 ? nearest : value;
}
