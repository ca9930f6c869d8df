// Owns the checks `schema` and `sender_schema`: ours first and always, the sender's as a further constraint. SPEC.md section 5.2 (#schema-own, #schema-sender).

import { LRUCache } from 'lru-cache';

import type { JsonValue } from '../codec/value.ts';
import { SdlError } from '../errors.ts';
import type { SchemaFailure } from './bounded/failure.ts';
import type { BoundedSchema } from './bounded/validator.ts';
import { compileBounded } from './bounded/validator.ts';
import { Work } from './bounded/work.ts';
import { BUILTIN_SCHEMAS } from './builtin.ts';
import type { ContentHash } from './content-hash.ts';
import type { EmbeddedDescriptor, Schema } from './descriptor.ts';
import { embed, verifyEmbedded } from './descriptor.ts';
import { V1_SCHEMA_IDS } from './v1-schema-ids.ts';

/** Work steps for a message: a fixed part, and so many a byte. Measured in test/bench. */
const WORK_BASE = 100_000;
const WORK_PER_BYTE = 0.5;
/** A schema that the operator registers may take its time to compile, but not for ever. */
const REGISTER_WORK = 10_000_000;

const MAX_REMEMBERED_SCHEMAS = 512;
const MAX_REMEMBERED_TEXT = 4_194_304;

/** One payload under check. */
export interface PayloadCheck {
  readonly ct: string;
  readonly payload: JsonValue;
  readonly descriptor: EmbeddedDescriptor;
  /** The descriptor's text on the wire, if it is known: equal text need not be hashed again. */
  readonly descriptorText?: string | undefined;
  /** Bytes of the message; its share of the work grows with them. @default 0 */
  readonly bytes?: number;
}

export class SchemaRegistry {
  readonly #own = new Map<string, { descriptor: EmbeddedDescriptor; schema: BoundedSchema }>();
  readonly #v1 = new Map<ContentHash, BoundedSchema>();
  readonly #senders = new LRUCache<ContentHash, BoundedSchema>({ max: MAX_REMEMBERED_SCHEMAS });
  readonly #verifiedTexts = new LRUCache<string, ContentHash>({
    max: MAX_REMEMBERED_SCHEMAS,
    maxSize: MAX_REMEMBERED_TEXT,
    sizeCalculation: (_id, text) => text.length,
  });
  readonly #contentTypes = new Set<string>();

  constructor() {
    for (const ct of Object.keys(BUILTIN_SCHEMAS)) this.register(ct, BUILTIN_SCHEMAS[ct]!);
  }

  /** The content types with a schema of ours. */
  get contentTypes(): ReadonlySet<string> {
    return this.#contentTypes;
  }

  /** Adds a content type. Its schema is trusted like code; a second one for the same type is an error. */
  register(ct: string, schema: Schema): EmbeddedDescriptor {
    if (this.#own.has(ct)) throw new TypeError(`the content type "${ct}" is registered already`);
    const compiled = compileBounded(schema, new Work(REGISTER_WORK));
    const descriptor = embed(schema);
    this.#own.set(ct, { descriptor, schema: compiled });
    this.#contentTypes.add(ct);
    return descriptor;
  }

  /** The descriptor to send with a content type. */
  descriptorFor(ct: string): EmbeddedDescriptor {
    return this.#require(ct).descriptor;
  }

  /** The check `schema`: the descriptor is what its hash says, the payload is what our own schema says. */
  checkOwn(check: PayloadCheck): void {
    this.#verify(check.descriptor, check.descriptorText);
    const { schema } = this.#require(check.ct);
    throwIf(schema.validate(check.payload, workFor(check)), 'the schema of the content type');
  }

  /** The check `sender_schema`. */
  checkSenders(check: PayloadCheck): void {
    const { id, embedded } = check.descriptor;
    if (id === this.#require(check.ct).descriptor.id) return; // the same schema, checked already
    const work = workFor(check);
    const compiled = this.#v1.get(id) ?? this.#senders.get(id) ?? compileBounded(embedded, work);
    if (V1_SCHEMA_IDS.get(check.ct) === id) this.#v1.set(id, compiled);
    else this.#senders.set(id, compiled);
    throwIf(compiled.validate(check.payload, work), "the sender's schema");
  }

  #require(ct: string): { descriptor: EmbeddedDescriptor; schema: BoundedSchema } {
    const own = this.#own.get(ct);
    if (own === undefined) {
      throw new SdlError('CT_UNSUPPORTED', 'the content type is not known here', {
        details: { supported_ct: [...this.#contentTypes].sort() },
      });
    }
    return own;
  }

  /** Text that was verified once hashes to the same id for ever, so the hash is paid once per text. */
  #verify(descriptor: EmbeddedDescriptor, text: string | undefined): void {
    if (text !== undefined && this.#verifiedTexts.get(text) === descriptor.id) return;
    verifyEmbedded(descriptor);
    if (text !== undefined && text.length <= MAX_REMEMBERED_TEXT) {
      this.#verifiedTexts.set(text, descriptor.id);
    }
  }
}

function workFor({ bytes = 0 }: PayloadCheck): Work {
  return new Work(WORK_BASE + Math.ceil(bytes * WORK_PER_BYTE));
}

/** The peer learns the keyword and the safe path; the exact place stays in the local reason. */
function throwIf(failure: SchemaFailure | undefined, what: string): void {
  if (failure === undefined) return;
  const { keyword, schemaPath, instancePath, path } = failure;
  throw new SdlError(
    'PAYLOAD_INVALID',
    `the payload does not fit ${what}: "${keyword}" at "${instancePath}" (${schemaPath})`,
    { details: { path, keyword, schema_path: schemaPath } },
  );
}
