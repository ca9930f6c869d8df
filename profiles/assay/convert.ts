// Owns `convert`: a packet in, one event with its digests out, or one error. The same bytes always give the same text.
// SPEC.md section 17 (#assay-convert).

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { PACKAGE_VERSION } from '../../src/version.ts';
import { digestOf, digestText } from './canonical.ts';
import type { ConvertMode } from './content.ts';
import { contentOf } from './content.ts';
import { ConvertError, fromWriter } from './error.ts';
import { hashOfContent, makeEvent } from './event.ts';
import { factsIn } from './facts.ts';
import { readPacket } from './packet-reader.ts';
import type { RawReference } from './raw-reference.ts';
import { rawReference } from './raw-reference.ts';

export interface ConvertOptions {
  /** Strict refuses what lenient puts something in the place of. @default 'strict' */
  readonly mode?: ConvertMode;
  /** @default any number */
  readonly maxPayloadBytes?: number;
  /** The root counts 1, everything in a container one more than the container. @default 127 containers in one another */
  readonly maxJsonDepth?: number;
  /** @default any number */
  readonly maxArrayLength?: number;
  /** Of the bytes; it changes only what is said of them. @default 'application/json' */
  readonly mediaType?: string;
  /** Of the packet, where it does not say by itself. @default none */
  readonly protocolVersion?: string;
  /** What the event says that it was made by. @default the version of this package */
  readonly adapterVersion?: string;
  /** Keeps the bytes, before anything of them is read; what it throws ends the conversion. @default they are not kept */
  readonly writeRaw?: (bytes: Uint8Array, reference: RawReference) => void;
}

export type LossinessLevel = 'none' | 'low' | 'high';

/** What of the packet did not find its place. */
export interface Lossiness {
  readonly lossiness_level: LossinessLevel;
  readonly unmapped_fields_count: number;
  readonly raw_payload_ref: RawReference;
  readonly notes: readonly string[];
}

export interface Batch {
  /** Always one. */
  readonly events: readonly JsonObject[];
  readonly lossiness: Lossiness;
}

export interface Converted {
  readonly batch: Batch;
  /** SHA-256 of these parts of the event by method (a), in bare hexadecimal digits. */
  readonly digests: { readonly data: string; readonly discovery: string; readonly handoff: string };
  /** `sha256:` and the hash of the event's content by method (b). */
  readonly contentHash: string;
  /** All of it in method (a): `{"batch":…,"content_hash":…,"digests":…,"ok":true}`. */
  readonly text: string;
}

const SOURCE = 'urn:assay:adapter:a2a';
const PRODUCER = 'assay';

/** Throws a {@link ConvertError}. */
export function convert(bytes: Uint8Array, options: ConvertOptions = {}): Converted {
  if (!(bytes instanceof Uint8Array)) throw wrong('bytes', 'a Uint8Array');
  const { mode, maxPayloadBytes, mediaType, protocolVersion, adapterVersion, writeRaw, ...shape } =
    checked(options);
  if (bytes.length > (maxPayloadBytes ?? Infinity)) {
    throw new ConvertError(
      'measurement',
      `the packet is beyond max_payload_bytes (${maxPayloadBytes})`,
    );
  }
  const reference = rawReference(bytes, mediaType);
  if (writeRaw !== undefined) keep(writeRaw, bytes, reference);
  const packet = readPacket(bytes, shape);
  const content = contentOf(factsIn(packet), { mode, protocolVersion, adapterVersion });
  const { data, unmapped, notes, subject } = content;
  const contentHash = hashOfContent(content);
  const event = makeEvent(content, {
    source: SOURCE,
    runId: `a2a:${subject}`,
    producer: PRODUCER,
    producerVersion: adapterVersion,
  });
  const lossiness: Lossiness = {
    lossiness_level: unmapped === 0 ? 'none' : unmapped <= 2 ? 'low' : 'high',
    unmapped_fields_count: unmapped,
    raw_payload_ref: reference,
    notes,
  };
  const digests = {
    data: digestOf(data),
    discovery: digestOf(data['discovery']!),
    handoff: digestOf(data['handoff']!),
  };
  const batch: Batch = { events: [event], lossiness };
  const whole = { ok: true, batch, digests, content_hash: contentHash };
  return { batch, digests, contentHash, text: digestText(whole as unknown as JsonValue) };
}

/** The text of what was refused, in the same form. */
export function refusalText({ kind, message }: ConvertError): string {
  return digestText({ ok: false, error: { kind, message } });
}

type Checked = ConvertOptions & {
  readonly mode: ConvertMode;
  readonly mediaType: string;
  readonly adapterVersion: string;
};

const LIMITS = ['maxPayloadBytes', 'maxJsonDepth', 'maxArrayLength'] as const;
const TEXTS = ['mediaType', 'protocolVersion', 'adapterVersion'] as const;

/** Wrong use is an error of its own kind: it says nothing of the packet. */
function checked(options: ConvertOptions): Checked {
  const { mode = 'strict', mediaType = 'application/json', writeRaw } = options;
  const { adapterVersion = PACKAGE_VERSION } = options;
  if (mode !== 'strict' && mode !== 'lenient') throw wrong('mode', 'strict or lenient');
  for (const name of LIMITS) {
    const limit = options[name];
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0)) {
      throw wrong(name, 'a whole number from 0');
    }
  }
  for (const name of TEXTS) {
    const text = options[name];
    if (text !== undefined && typeof text !== 'string') throw wrong(name, 'text');
  }
  if (writeRaw !== undefined && typeof writeRaw !== 'function')
    throw wrong('writeRaw', 'a function');
  return { ...options, mode, mediaType, adapterVersion };
}

function wrong(name: string, expected: string): ConvertError {
  return new ConvertError('config', `"${name}" expected ${expected}`);
}

function keep(
  writeRaw: NonNullable<ConvertOptions['writeRaw']>,
  bytes: Uint8Array,
  reference: RawReference,
): void {
  let result: unknown;
  try {
    result = writeRaw(bytes, reference);
  } catch (thrown) {
    throw fromWriter(thrown);
  }
  if (!(result instanceof Promise)) return;
  // Whether it keeps them is known only when the event is made already.
  result.catch(() => undefined);
  throw wrong('writeRaw', 'a function that is done when it returns');
}
