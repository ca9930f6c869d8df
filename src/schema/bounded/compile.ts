// Owns the one walk over a schema: every schema in it becomes a node, then every reference a link. SPEC.md section 5.2 (#schema-work).

import { pointerTokens, toPointer } from '../../codec/pointer.ts';
import type { JsonObject, JsonValue } from '../../codec/value.ts';
import { isJsonArray, isJsonObject } from '../../codec/value.ts';
import { ANNOTATIONS } from './annotations.ts';
import type { SchemaReader } from './keyword-site.ts';
import { KeywordSite, refusal } from './keyword-site.ts';
import { KEYWORDS } from './keywords.ts';
import { memberNames } from './member-names.ts';
import type { Resource } from './node.ts';
import { SchemaNode } from './node.ts';
import { PricedPattern } from './priced-pattern.ts';
import { resolveUri, splitReference } from './uri.ts';
import type { Work } from './work.ts';

/** Schemas inside schemas. */
const MAX_DEPTH = 128;
const MAX_URI_LENGTH = 2_048;
/** Steps for what every schema, keyword and reference costs to compile. */
const SCHEMA_STEPS = 32;
const KEYWORD_STEPS = 8;
const REFERENCE_STEPS = 32;
const TOKEN_STEPS = 16;
/** Memory that compiling leaves behind for every step it took, at most; short texts of an `enum` are the densest. */
const BYTES_PER_STEP = 64;

const SLASH = 0x2f;

interface PendingReference {
  readonly site: KeywordSite;
  readonly use: (target: SchemaNode, fragment: string) => void;
}

/** Knows the resources of one or more documents by their URI. Nothing is ever fetched. */
export class SchemaCompiler implements SchemaReader {
  readonly work: Work;
  readonly resources: Map<string, Resource> = new Map();
  readonly declaredNames: Set<string> = new Set();
  readonly #sources = new Map<SchemaNode, JsonObject>();
  readonly #patterns = new Map<string, PricedPattern>();
  readonly #pending: PendingReference[] = [];
  readonly #spentBefore: number;
  #patternSteps = 0;

  constructor(work: Work) {
    this.work = work;
    this.#spentBefore = work.spent;
  }

  /** Bytes that the documents read so far can come to hold, estimated from above. */
  get weight(): number {
    let bytes = (this.work.spent - this.#spentBefore - this.#patternSteps) * BYTES_PER_STEP;
    for (const pattern of this.#patterns.values()) bytes += pattern.bytes;
    return bytes;
  }

  /** Reads a whole document; `prefix` stands before all its schema paths. */
  readDocument(schema: JsonValue, prefix = ''): SchemaNode {
    return this.#read(schema, undefined, prefix);
  }

  /** Resolves what all documents read so far refer to; `known` gives resources from elsewhere. */
  link(known: (uri: string) => Resource | undefined): void {
    // The list may grow on the way: a pointer can lead to a schema where none was expected.
    for (const { site, use } of this.#pending) {
      const { target, fragment } = this.#resolve(site, known);
      use(target, fragment);
    }
    this.#pending.length = 0;
  }

  readSchema(value: JsonValue, parent: SchemaNode, step: string): SchemaNode {
    return this.#read(value, parent, step);
  }

  readPattern(source: string): PricedPattern {
    let pattern = this.#patterns.get(source);
    if (pattern === undefined) {
      const before = this.work.spent;
      pattern = new PricedPattern(source, this.work);
      this.#patternSteps += this.work.spent - before;
      this.#patterns.set(source, pattern);
    }
    return pattern;
  }

  declareNames(names: Iterable<string>): void {
    for (const name of names) this.declaredNames.add(name);
  }

  refer(site: KeywordSite, use: PendingReference['use']): void {
    site.text();
    this.#pending.push({ site, use });
  }

  #read(value: JsonValue, parent: SchemaNode | undefined, step: string): SchemaNode {
    this.work.spend(SCHEMA_STEPS);
    const place = (): string => (parent?.pointer ?? '') + step;
    if (parent !== undefined && parent.depth >= MAX_DEPTH) {
      throw refusal(place(), `is nested deeper than ${MAX_DEPTH} schemas`);
    }
    if (typeof value !== 'boolean' && !isJsonObject(value)) {
      throw refusal(place(), 'is neither an object nor a boolean');
    }
    const id = typeof value === 'boolean' ? undefined : this.#readId(value, parent, place);
    const node = new SchemaNode(parent, step, id);
    if (parent !== undefined) {
      parent.children ??= new Map();
      parent.children.set(step, node);
    }
    if (node.resource.root === node) this.resources.set(node.resource.uri, node.resource);
    if (typeof value === 'boolean') node.verdict = value;
    else this.#readKeywords(value, node);
    return node;
  }

  /** The absolute form of `$id`; has to be known before the node, which may open a resource of that name. */
  #readId(
    schema: JsonObject,
    parent: SchemaNode | undefined,
    place: () => string,
  ): string | undefined {
    if (!Object.hasOwn(schema, '$id')) return undefined;
    const id = schema['$id'];
    if (typeof id !== 'string' || !/^[^#]*#?$/.test(id)) {
      throw refusal(place(), 'has an "$id" that is not a URI without fragment', '$id');
    }
    const uri = this.#resolveUri(id.replace('#', ''), parent?.resource.uri ?? '');
    if (uri === undefined) throw refusal(place(), 'has an "$id" that is too long', '$id');
    if (this.resources.has(uri)) throw refusal(place(), 'has the "$id" of another schema', '$id');
    return uri;
  }

  #readKeywords(schema: JsonObject, node: SchemaNode): void {
    this.#sources.set(node, schema);
    let count = 0;
    for (const keyword of memberNames(schema, this.work)) {
      const assertion = KEYWORDS.get(keyword);
      const read = assertion ?? ANNOTATIONS.get(keyword);
      if (read === undefined) continue;
      this.work.spend(KEYWORD_STEPS);
      read(new KeywordSite(node, keyword, schema[keyword]!, this));
      if (assertion !== undefined) count += 1;
    }
    node.weight += count >> 2;
  }

  #resolve(site: KeywordSite, known: (uri: string) => Resource | undefined): ReferencedNode {
    const text = site.text();
    this.work.spend(REFERENCE_STEPS + (text.length >> 1));
    const { uri, fragment } = splitReference(text);
    const resource = uri === '' ? site.node.resource : this.#findResource(uri, site, known);
    if (resource === undefined)
      return site.refuse(
        'refers to another document; references are never fetched, so move what it needs under $defs',
      );
    const target = fragment === undefined ? undefined : this.#findNode(resource, fragment);
    if (target === undefined) return site.refuse('refers to a place that has no schema');
    return { target, fragment: fragment! };
  }

  #findResource(
    uri: string,
    site: KeywordSite,
    known: (uri: string) => Resource | undefined,
  ): Resource | undefined {
    const resolved = this.#resolveUri(uri, site.node.resource.uri);
    if (resolved === undefined) return undefined;
    return this.resources.get(resolved) ?? known(resolved);
  }

  #resolveUri(reference: string, base: string): string | undefined {
    if (reference.length > MAX_URI_LENGTH) return undefined;
    this.work.spend(REFERENCE_STEPS + ((reference.length + base.length) >> 1));
    const uri = resolveUri(reference, base);
    return uri.length > MAX_URI_LENGTH ? undefined : uri;
  }

  #findNode(resource: Resource, fragment: string): SchemaNode | undefined {
    if (fragment === '') return resource.root;
    if (!fragment.startsWith('/')) return resource.anchors.get(fragment);
    this.work.spend(countSlashes(fragment) * TOKEN_STEPS);
    const tokens = pointerTokens(fragment);
    let node = resource.root;
    let at = 0;
    while (at < tokens.length) {
      // A keyword that holds several schemas takes two tokens, one that holds a single schema takes one.
      const pair = node.children?.get(toPointer(tokens.slice(at, at + 2)));
      const child = pair ?? node.children?.get(toPointer([tokens[at]!]));
      if (child === undefined) return this.#readUnexpected(node, tokens.slice(at));
      at += pair === undefined ? 1 : 2;
      node = child;
    }
    return node;
  }

  /** A schema in a place where no keyword expects one, such as a member that only a reference leads to. */
  #readUnexpected(holder: SchemaNode, tokens: readonly string[]): SchemaNode | undefined {
    const step = toPointer(tokens);
    const known = holder.children?.get(step);
    if (known !== undefined) return known;
    let value: JsonValue | undefined = this.#sources.get(holder);
    for (const token of tokens) value = memberOf(value, token);
    if (typeof value !== 'boolean' && !isJsonObject(value)) return undefined;
    return this.#read(value, holder, step);
  }
}

function countSlashes(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) === SLASH) count += 1;
  }
  return count;
}

interface ReferencedNode {
  readonly target: SchemaNode;
  readonly fragment: string;
}

function memberOf(value: JsonValue | undefined, token: string): JsonValue | undefined {
  if (isJsonArray(value)) {
    return /^(?:0|[1-9][0-9]*)$/.test(token) ? value[Number(token)] : undefined;
  }
  return isJsonObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
}
