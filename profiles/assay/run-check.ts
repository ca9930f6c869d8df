// Owns whether the file of a run is whole: the rules of a run, and the root over all of it. It says that nothing was
// changed since it was written, not that what it says is right. SPEC.md section 17 (#assay-run-check).

import { createHash } from 'node:crypto';

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import { contentHashOf } from './canonical.ts';
import { ConvertError } from './error.ts';
import { readPacket } from './packet-reader.ts';

export interface RunLimits {
  /** Of the whole file. @default 104857600 */
  readonly maxBytes?: number;
  /** @default 100000 */
  readonly maxEvents?: number;
}

/** Which rule of a run does not hold. */
export type RunRule =
  'empty' | 'size' | 'line' | 'event' | 'run_id' | 'source' | 'seq' | 'id' | 'content_hash';

export type RunReport =
  | {
      readonly ok: true;
      readonly events: number;
      readonly run_id: string;
      /** `sha256:` and the hash over the content hashes of all events, a line each. */
      readonly run_root: string;
    }
  | {
      readonly ok: false;
      /** Those before the first that breaks a rule. */
      readonly events: number;
      readonly run_id: string | null;
      readonly run_root: null;
      readonly rule: RunRule;
      /** From 1; 0 where it is none of a single line. */
      readonly line: number;
      readonly reason: string;
    };

const MAX_BYTES = 104_857_600;
const MAX_EVENTS = 100_000;
const MAX_LINE_BYTES = 1_048_576;
const MAX_NESTING = 64;
const NEWLINE = 0x0a;

class BrokenRule extends Error {
  readonly rule: RunRule;

  constructor(rule: RunRule, reason: string) {
    super(reason);
    this.rule = rule;
  }
}

/** Reads a run from its beginning; stops at the first rule that does not hold. */
export async function checkRun(
  chunks: AsyncIterable<Uint8Array>,
  limits: RunLimits = {},
): Promise<RunReport> {
  const { maxBytes = MAX_BYTES, maxEvents = MAX_EVENTS } = limits;
  const run = new RunChecker(maxEvents);
  let line = 1;
  try {
    for await (const bytes of linesOf(chunks, maxBytes)) {
      run.take(bytes);
      line += 1;
    }
    line = 0;
    return run.end();
  } catch (thrown) {
    if (!(thrown instanceof BrokenRule)) throw thrown;
    const { rule, message: reason } = thrown;
    return { ok: false, events: run.events, run_id: run.runId, run_root: null, rule, line, reason };
  }
}

class RunChecker {
  readonly #maxEvents: number;
  readonly #root = createHash('sha256');
  events = 0;
  runId: string | null = null;
  #source = '';

  constructor(maxEvents: number) {
    this.#maxEvents = maxEvents;
  }

  take(bytes: Uint8Array): void {
    if (this.events >= this.#maxEvents) {
      throw new BrokenRule('size', `it has more than ${this.#maxEvents} events`);
    }
    const event = readEvent(bytes);
    const { runId, source, seq, id, hash, contentHash } = factsOf(event);
    const isFirst = this.runId === null;
    if (runId.includes(':')) throw new BrokenRule('run_id', 'a run id has no colon');
    if (source.indexOf(':') <= 0) {
      throw new BrokenRule('source', 'a source has a colon, and not as its first character');
    }
    if (!isFirst && runId !== this.runId) throw new BrokenRule('run_id', 'it is of another run');
    if (!isFirst && source !== this.#source)
      throw new BrokenRule('source', 'it has another source');
    if (seq !== this.events) throw new BrokenRule('seq', `its number is not ${this.events}`);
    if (id !== `${runId}:${seq}`) throw new BrokenRule('id', 'its id is not that of its place');
    if (hash !== contentHash) throw new BrokenRule('content_hash', 'its content has another hash');
    this.runId = runId;
    this.#source = source;
    this.#root.update(`${hash}\n`);
    this.events += 1;
  }

  end(): RunReport {
    if (this.runId === null) throw new BrokenRule('empty', 'a run has at least one event');
    const root = `sha256:${this.#root.digest('hex')}`;
    return { ok: true, events: this.events, run_id: this.runId, run_root: root };
  }
}

function readEvent(bytes: Uint8Array): JsonObject {
  let event: JsonValue;
  try {
    event = readPacket(bytes, { maxNesting: MAX_NESTING });
  } catch (thrown) {
    if (!(thrown instanceof ConvertError)) throw thrown;
    throw new BrokenRule('line', thrown.message);
  }
  if (!isJsonObject(event)) throw new BrokenRule('event', 'it is no object');
  return event;
}

interface EventFacts {
  readonly runId: string;
  readonly source: string;
  readonly seq: number;
  readonly id: string;
  /** As it stands there, and as it is. */
  readonly hash: string;
  readonly contentHash: string;
}

function factsOf(event: JsonObject): EventFacts {
  const text = (name: string): string => {
    const value = event[name];
    if (typeof value !== 'string') throw new BrokenRule('event', `"${name}" is no text`);
    return value;
  };
  const { assayseq: seq, data, subject } = event;
  if (typeof seq !== 'number') throw new BrokenRule('event', '"assayseq" is no whole number');
  if (data === undefined) throw new BrokenRule('event', '"data" is missing');
  if (subject !== undefined && typeof subject !== 'string') {
    throw new BrokenRule('event', '"subject" is no text');
  }
  if (text('specversion') !== '1.0') throw new BrokenRule('event', '"specversion" is not 1.0');
  const content = {
    specversion: '1.0',
    type: text('type'),
    datacontenttype: text('datacontenttype'),
    ...(subject !== undefined && { subject }),
    data,
  };
  text('time');
  return {
    runId: text('assayrunid'),
    source: text('source'),
    seq,
    id: text('id'),
    hash: text('assaycontenthash'),
    contentHash: contentHashOf(content),
  };
}

/** A line is never longer than it may be, also while it is collected. */
async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0);
  let total = 0;
  for await (const chunk of chunks) {
    total += chunk.length;
    if (total > maxBytes) throw new BrokenRule('size', `it has more than ${maxBytes} bytes`);
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield joined(rest, chunk.subarray(from, at));
      rest = new Uint8Array(0);
      from = at + 1;
    }
    rest = joined(rest, chunk.subarray(from));
  }
  if (rest.length > 0) yield rest;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const length = one.length + other.length;
  if (length > MAX_LINE_BYTES) {
    throw new BrokenRule('line', `a line has more than ${MAX_LINE_BYTES} bytes`);
  }
  const both = new Uint8Array(length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
