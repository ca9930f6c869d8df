// Owns the checks `schema` and `sender_schema`: ours first and always, the sender's as a further constraint. SPEC.md section 5.2 (#schema-own, #schema-sender).

import { LRUCache } from 'lru-cache';

import { readJson } from '../codec/json/read.ts';
import { writeJson } from '../codec/json/write.ts';
import { quoteForLog } from '../codec/pointer.ts';
import type { JsonValue } from '../codec/value.ts';
import type { ErrorDetails } from '../errors.ts';
import { SdlError } from '../errors.ts';
import type { SchemaFailure } from './bounded/failure.ts';
import type { BoundedSchema } from './bounded/validator.ts';
import { compileBounded } from './bounded/validator.ts';
import { Work } from './bounded/work.ts';
import { BUILTIN_SCHEMAS } from './builtin.ts';
import type { ContentHash } from './content-hash.ts';
import { unknownContentType } from './content-type.ts';
import { originOf } from './descriptor-origin.ts';
import type { EmbeddedDescriptor, Schema, SchemaDescriptor } from './descriptor.ts';
import { embed, requireEmbedded, verifyEmbedded } from './descriptor.ts';
import { V1_SCHEMA_IDS } from './v1-schema-ids.ts';

/** Work steps that a sender's schema may take: a fixed part, and so many a byte. Calibrated by test/bench/hostile.ts. */
const WORK_BASE = 250_000;
const WORK_PER_BYTE = 0.25;
/** Our own schemas are trusted like code. This bound only stops accidents. */
const OWN_FACTOR = 100;
const REGISTER_WORK = 10_000_000;

const MAX_CONTENT_TYPE = 128;

const MAX_REMEMBERED_SCHEMAS = 512;
/** Bytes that the compiled schemas of senders may come to hold. */
const MAX_REMEMBERED_WEIGHT = 50_000_000;
const MAX_REMEMBERED_TEXT = 4_194_304;

/** One payload under check. */
export interface PayloadCheck {
  readonly ct: string;
  readonly payload: JsonValue;
  /** The message's own; one by address must be resolved first. */
  readonly descriptor: SchemaDescriptor;
}

interface OwnSchema {
  readonly descriptor: EmbeddedDescriptor;
  readonly schema: BoundedSchema;
}

export class SchemaRegistry {
  readonly #own = new Map<string, OwnSchema>();
  readonly #v1 = new Map<ContentHash, BoundedSchema>();
  readonly #senders = new LRUCache<ContentHash, BoundedSchema>({
    max: MAX_REMEMBERED_SCHEMAS,
    maxSize: MAX_REMEMBERED_WEIGHT,
    sizeCalculation: ({ weight }) => Math.max(1, weight),
  });
  readonly #verifiedTexts = new LRUCache<string, ContentHash>({
    max: MAX_REMEMBERED_SCHEMAS,
    maxSize: MAX_REMEMBERED_TEXT,
    sizeCalculation: (_id, text) => text.length,
  });
  /** Descriptors that were verified as objects: both checks of one message hash it once. */
  readonly #verified = new WeakSet<EmbeddedDescriptor>();
  readonly #contentTypes = new Set<string>();

  constructor() {
    for (const ct of Object.keys(BUILTIN_SCHEMAS)) this.#contentTypes.add(ct);
  }

  /** The content types with a schema of ours. */
  get contentTypes(): ReadonlySet<string> {
    return this.#contentTypes;
  }

  /** Adds a content type. Its schema is trusted like code; a second one for the same type is an error. */
  register(ct: string, schema: Schema): EmbeddedDescriptor {
    if (typeof ct !== 'string' || ct === '' || ct.length > MAX_CONTENT_TYPE) {
      throw new TypeError(`"ct" expected text of 1 to ${MAX_CONTENT_TYPE} characters`);
    }
    if (this.#contentTypes.has(ct)) {
      throw new TypeError(`the content type "${ct}" is registered already`);
    }
    const own = compileOwn(schema);
    this.#own.set(ct, own);
    this.#contentTypes.add(ct);
    return own.descriptor;
  }

  /** The descriptor to send with a content type. May be passed on as a function of its own. */
  readonly descriptorFor = (ct: string): EmbeddedDescriptor => this.#require(ct).descriptor;

  /** The check `schema`: the descriptor is what its hash says, the payload is what our own schema says. */
  checkOwn(check: PayloadCheck): void {
    this.#verify(requireEmbedded(check.descriptor));
    const { schema } = this.#require(check.ct);
    const failure = schema.validate(check.payload, new Work(workFor(check) * OWN_FACTOR));
    if (failure === undefined) return;
    const { path, keyword, schemaPath } = failure;
    throw misfit('our schema', failure, { path, keyword, schema_path: schemaPath });
  }

  /** The check `sender_schema`. Use it after {@link checkOwn}, and only once the sender is proven. */
  checkSenders(check: PayloadCheck): void {
    this.#verify(requireEmbedded(check.descriptor));
    if (check.descriptor.id === this.#require(check.ct).descriptor.id) return; // our own schema
    const isV1 = V1_SCHEMA_IDS.get(check.ct) === check.descriptor.id;
    const work = new Work(workFor(check) * (isV1 ? OWN_FACTOR : 1));
    const failure = this.#compileSenders(check, work).validate(check.payload, work);
    if (failure === undefined) return;
    // Names and paths of this schema are the sender's words, which no error repeats.
    throw misfit("the sender's schema", failure, { keyword: failure.keyword });
  }

  #compileSenders({ ct, descriptor }: PayloadCheck, work: Work): BoundedSchema {
    const { id, embedded } = requireEmbedded(descriptor);
    const known = this.#v1.get(id) ?? this.#senders.get(id);
    if (known !== undefined) return known;
    const compiled = compileBounded(embedded, work);
    if (V1_SCHEMA_IDS.get(ct) === id) this.#v1.set(id, compiled);
    else this.#senders.set(id, compiled);
    return compiled;
  }

  #require(ct: string): OwnSchema {
    const known = this.#own.get(ct);
    if (known !== undefined) return known;
    const builtin = Object.hasOwn(BUILTIN_SCHEMAS, ct) ? BUILTIN_SCHEMAS[ct] : undefined;
    if (builtin === undefined) throw unknownContentType(ct, this.#contentTypes);
    // When it is first used: most programs use few of them.
    const own = compileOwn(builtin);
    this.#own.set(ct, own);
    return own;
  }

  /** Text that was verified once hashes to the same id for ever, so the hash is paid once per text. */
  #verify(descriptor: EmbeddedDescriptor): void {
    if (this.#verified.has(descriptor)) return;
    const text = originOf(descriptor)?.text;
    if (text !== undefined && this.#verifiedTexts.get(text) === descriptor.id) return;
    verifyEmbedded(descriptor);
    this.#verified.add(descriptor);
    if (text !== undefined && text.length <= MAX_REMEMBERED_TEXT) {
      this.#verifiedTexts.set(text, descriptor.id);
    }
  }
}

function compileOwn(schema: Schema): OwnSchema {
  // A copy: what the caller does to its own object later must not change what is sent under the hash.
  const copy = readJson(writeJson(schema)) as Schema;
  const compiled = compileBounded(copy, new Work(REGISTER_WORK));
  return { descriptor: embed(copy), schema: compiled };
}

function workFor({ descriptor }: PayloadCheck): number {
  const bytes = originOf(descriptor)?.messageBytes ?? 0;
  return WORK_BASE + Math.ceil(bytes * WORK_PER_BYTE);
}

/** The exact place is for the local log; `details` is what the peer learns. */
function misfit(what: string, failure: SchemaFailure, details: ErrorDetails): SdlError {
  const { keyword, schemaPath, instancePath } = failure;
  return new SdlError(
    'PAYLOAD_INVALID',
    `the payload does not fit ${what}: "${keyword}" at ${quoteForLog(instancePath)} (${quoteForLog(schemaPath)})`,
    { details },
  );
}
