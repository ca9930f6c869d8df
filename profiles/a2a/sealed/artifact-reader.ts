// Owns how an artifact is put together from its updates: each is opened by itself, in order, and all are of one artifact.
// SPEC.md section 22 (#sealed-artifacts).

import type { JsonObject } from '../../../src/codec/index.ts';
import type { OpenedAnswer } from '../../../src/message/index.ts';
import { SdlError } from '../../../src/transport.ts';
import { ARTIFACT_COVERS, coveredArtifact, digestIn, digestOfArtifact } from './digest.ts';
import type { Sha256 } from './digest.ts';
import { SealedError } from './error.ts';
import type { ExchangeReader } from './reader.ts';
import type { NeutralArtifact, NeutralPart } from './shapes/neutral.ts';
import { readArtifact } from './shapes/read.ts';

/** Where the end has not come: so many parts of a beginning are tried, since each try is a hash over all of them. */
const MOST_FIRST_PARTS = 64;

interface LastUpdate {
  readonly reader: ExchangeReader;
  readonly index: number;
}

/** Of one artifact in clear. Everything that is wrong is thrown. */
export class ArtifactReader {
  readonly #artifactId: string;
  #last: LastUpdate | undefined;
  #joined: NeutralArtifact | undefined;
  /** What stands in clear so far; not proven before a digest covers it. */
  #inClear: readonly NeutralPart[] = [];
  /** The exchange that began it anew. */
  #begunBy: ExchangeReader | undefined;
  /** Where the envelope that was kept covers only its beginning: of all that stands in clear. */
  #unsettled: string | undefined;

  constructor(artifactId: string) {
    this.#artifactId = artifactId;
  }

  /** What is proven of it. */
  get artifact(): NeutralArtifact | undefined {
    return this.#joined;
  }

  get begunBy(): ExchangeReader | undefined {
    return this.#begunBy;
  }

  /** More stands in clear than its envelope covers, and no word of the agent on all of it has come. */
  get isUnsettled(): boolean {
    return this.#unsettled !== undefined && this.#begunBy?.hasEnded !== true;
  }

  /** The same where other readers go on with its exchanges. */
  goingOn(readerFor: (reader: ExchangeReader) => ExchangeReader): ArtifactReader {
    const next = new ArtifactReader(this.#artifactId);
    next.#joined = this.#joined;
    next.#inClear = this.#inClear;
    next.#unsettled = this.#unsettled;
    next.#begunBy = this.#begunBy && readerFor(this.#begunBy);
    next.#last = this.#last && { ...this.#last, reader: readerFor(this.#last.reader) };
    return next;
  }

  /** An update that stands inside its envelope. */
  takeSealed(answer: OpenedAnswer, reader: ExchangeReader): void {
    const payload = answer.payload as JsonObject;
    const update = answer.ct === 'a2a.artifact.v1' ? readArtifact(payload) : undefined;
    if (update === undefined)
      throw new SdlError('PAYLOAD_INVALID', 'it is no update of an artifact');
    if (update.artifactId !== this.#artifactId) {
      throw new SealedError('ARTIFACT_MIXED', 'an update of another artifact stands here');
    }
    const index = payload['index'] as number;
    const isAnew = payload['append'] !== true;
    this.#assertNext(index, isAnew, reader);
    reader.takeUpdate(answer, this.#artifactId, isAnew);
    if (isAnew) this.#begunBy = reader;
    this.#joined = isAnew || !this.#joined ? update : join(this.#joined, update);
    this.#last = { reader, index };
  }

  /** An update in clear; its envelope covers everything of the artifact so far, or what was first of a stored one. */
  takeDetached(
    answer: OpenedAnswer,
    reader: ExchangeReader,
    { clear, append, sha256 }: { clear: NeutralArtifact; append: boolean; sha256: Sha256 },
  ): void {
    const digest = digestIn(answer, ARTIFACT_COVERS);
    if (digest === undefined) throw new SdlError('PAYLOAD_INVALID', 'it covers no artifact');
    const { parts } = coveredArtifact(clear);
    this.#inClear = append ? [...this.#inClear, ...parts] : parts;
    const whole = { artifactId: this.#artifactId, parts: this.#inClear };
    const ofWhole = digestOfArtifact(whole, sha256);
    const isWhole = ofWhole === digest;
    const proven = isWhole ? whole : this.#beginning(digest, reader, sha256);
    reader.takeUpdate(answer, this.#artifactId, true);
    this.#begunBy = reader;
    this.#joined = proven;
    this.#unsettled = isWhole ? undefined : ofWhole;
  }

  /** What a digest covers that is not on all of a stored artifact; nothing where the end has to say it. */
  #beginning(digest: string, reader: ExchangeReader, sha256: Sha256): NeutralArtifact | undefined {
    if (!reader.isStream) {
      if (reader.hasEnded) return undefined;
      const longest = Math.min(this.#inClear.length - 1, MOST_FIRST_PARTS);
      for (let count = 0; count <= longest; count += 1) {
        const first = { artifactId: this.#artifactId, parts: this.#inClear.slice(0, count) };
        if (digestOfArtifact(first, sha256) === digest) return first;
      }
    }
    throw new SealedError('CONTENT_CHANGED', 'the artifact is not what was signed');
  }

  /** Its exchange has ended: is all that stands in clear what the end says? Tells whether it had to be asked. */
  settle(): boolean {
    const reader = this.#begunBy;
    const digest = this.#unsettled;
    if (digest === undefined || reader?.hasEnded !== true) return false;
    this.#unsettled = undefined;
    reader.takeLastUpdate(this.#artifactId, digest);
    this.#joined = { artifactId: this.#artifactId, parts: this.#inClear };
    return true;
  }

  #assertNext(index: number, isAnew: boolean, reader: ExchangeReader): void {
    const last = this.#last;
    if (index > 0) {
      const expected = last?.reader === reader ? last.index + 1 : 0;
      if (index === expected) return;
      throw index < expected
        ? new SealedError('EVENT_ORDER', 'updates of the artifact are not in their order')
        : new SealedError('ARTIFACT_INCOMPLETE', 'updates of the artifact are missing');
    }
    if (isAnew || (last !== undefined && last.reader !== reader)) return;
    throw new SealedError('ARTIFACT_INCOMPLETE', 'the beginning of the artifact is missing');
  }
}

/** What is said later of the whole counts. */
function join(before: NeutralArtifact, update: NeutralArtifact): NeutralArtifact {
  return { ...before, ...update, parts: [...before.parts, ...update.parts] };
}
