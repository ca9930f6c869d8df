// Owns `evidence`: a witness of the door that writes a record of each message that is accepted, and of each status and
// artifact that is sent, into the file of its run. SPEC.md section 17 (#assay-sink).

import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';

import type {
  AcceptedMessage,
  CallContext,
  EvidenceHashes,
  Received,
  TaskStep,
  Witness,
  WitnessAgent,
  WitnessStats,
} from '../../src/door/index.ts';
import { PACKAGE_VERSION } from '../../src/version.ts';
import { contentOf } from './content.ts';
import type { EventText } from './event.ts';
import { writeEvent } from './event.ts';
import type { Facts } from './facts.ts';
import { acceptedFacts, sentFacts } from './observed.ts';
import { RawFolder } from './raw-folder.ts';
import type { RawReference } from './raw-reference.ts';
import { rawReference } from './raw-reference.ts';
import { RunFile } from './run-file.ts';

export interface EvidenceOptions {
  /** Where the file of the run is made; it is made too. */
  readonly directory: string;
  /** Where the bytes of messages are kept, as they came. @default they are not kept: the records have their hashes */
  readonly rawDirectory?: string;
  /** A message whose record cannot be written is refused. @default false: it is done, and the operator is told */
  readonly required?: boolean;
  /** How many records may wait to be written; what comes then is lost. @default 10000 */
  readonly maxQueued?: number;
  /** 1 to 128 letters, digits and `. _ -`. @default the time and random digits */
  readonly runId?: string;
}

/** For the option `evidence` of a runtime, which opens and closes it. One run, and one runtime. */
export interface EvidenceSink extends Witness {
  readonly runId: string;
  /** The file of the run. */
  readonly path: string;
}

const PRODUCER = 'a2a-sdl';
const RUN_ID = /^[A-Za-z0-9._-]{1,128}$/;
const DEFAULT_QUEUED = 10_000;
const MAX_QUEUED_BYTES = 67_108_864;

export function evidence(options: EvidenceOptions): EvidenceSink {
  const { directory, maxQueued = DEFAULT_QUEUED, runId = newRunId() } = options;
  if (typeof directory !== 'string' || directory === '') {
    throw new TypeError('"directory" expected a path');
  }
  if (!RUN_ID.test(runId)) {
    throw new TypeError('"runId" expected 1 to 128 letters, digits and . _ -');
  }
  if (!(Number.isSafeInteger(maxQueued) && maxQueued > 0)) {
    throw new RangeError('"maxQueued" expected a whole number above 0');
  }
  return new RunSink({ ...options, maxQueued, runId });
}

class RunSink implements EvidenceSink {
  readonly runId: string;
  readonly path: string;
  readonly #isRequired: boolean;
  readonly #keepsRaw: boolean;
  readonly #file: RunFile;
  #agent: WitnessAgent | undefined;
  #source = '';

  constructor(options: EvidenceOptions & { readonly maxQueued: number; readonly runId: string }) {
    const { directory, rawDirectory, required = false, maxQueued, runId } = options;
    this.runId = runId;
    this.path = join(resolve(directory), `${runId}.ndjson`);
    this.#isRequired = required;
    this.#keepsRaw = rawDirectory !== undefined;
    this.#file = new RunFile({
      path: this.path,
      rawFolder: rawDirectory === undefined ? undefined : new RawFolder(resolve(rawDirectory)),
      maxQueued,
      maxQueuedBytes: MAX_QUEUED_BYTES,
      onError: (cause) => this.#agent?.onError(cause),
    });
  }

  async open(agent: WitnessAgent): Promise<void> {
    this.#agent = agent;
    this.#source = sourceOf(agent.agentId);
    await this.#file.open();
  }

  async accepted(message: AcceptedMessage): Promise<EvidenceHashes | undefined> {
    const { received } = message.call;
    const raw = received && referenceOf(received);
    const { contentHash, line } = this.#write(acceptedFacts(message, this.#agent!.now(), raw));
    const isKept = raw !== undefined && this.#keepsRaw && received?.isSecret !== true;
    const pending = {
      line,
      ...(isKept && { raw: { sha256: raw.sha256, bytes: received!.bytes } }),
    };
    if (this.#isRequired) await this.#file.write(pending);
    else if (!this.#file.add(pending)) return undefined;
    return { content: contentHash, ...(raw !== undefined && { raw: raw.sha256 }) };
  }

  sent(call: CallContext, step: TaskStep): void {
    for (const facts of sentFacts(call, step)) this.#file.add(this.#write(facts));
  }

  stats(): WitnessStats {
    return this.#file.stats();
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Its number and its id come when it is written: what is lost leaves no gap. */
  #write(facts: Facts): EventText {
    const content = contentOf(facts, { mode: 'lenient', adapterVersion: PACKAGE_VERSION });
    return writeEvent(content, {
      source: this.#source,
      runId: this.runId,
      producer: PRODUCER,
      producerVersion: PACKAGE_VERSION,
    });
  }
}

/** A source has a colon, and not as its first character: a label gets a name around it. */
function sourceOf(agentId: string): string {
  return agentId.indexOf(':') > 0 ? agentId : `urn:a2a-sdl:agent:${agentId}`;
}

function referenceOf({ bytes, mediaType }: Received): RawReference {
  try {
    return rawReference(bytes, mediaType);
  } catch {
    // What a face calls them must not keep a message from being seen.
    return rawReference(bytes, 'application/octet-stream');
  }
}

function newRunId(): string {
  const time = new Date().toISOString().replace(/[^\dTZ]/g, '');
  return `${time}-${randomBytes(6).toString('hex')}`;
}
