// Owns the numbers of one exchange, as they follow from the log of its task: every node that reads the log gives an event
// the same number and the same payload. SPEC.md section 22 (#sealed-numbers, #sealed-end).

import { createHash } from 'node:crypto';

import type { JsonObject, TaskState } from '../../../src/door/index.ts';
import { encodeBase64url } from '../../../src/security/index.ts';
import { SdlError } from '../../../src/transport.ts';
import {
  ARTIFACT_COVERS,
  chainNext,
  chainStart,
  coveredArtifact,
  digestOfArtifact,
  digestOfMessage,
  digestPayload,
  messageDigest,
  messageValue,
} from '../sealed/digest.ts';
import type { NeutralArtifact, NeutralMessage, NeutralPart } from '../sealed/shapes/neutral.ts';
import type { SealedSource } from './source.ts';

/** Something that answers a request, before it is sealed. */
export interface Answer {
  readonly source: SealedSource;
  readonly type: 'evt' | 'res';
  readonly n: number;
  readonly ct: string;
  readonly payload: JsonObject;
  /** Of the payload. */
  readonly digest: Uint8Array;
}

/** One update of an artifact. */
export interface Update extends Answer {
  /** What stands in clear beside the envelope; `undefined` where all is inside. */
  readonly clear?: readonly NeutralPart[];
  /** It continues what was told before. */
  readonly append: boolean;
  readonly last: boolean;
}

/** Words. */
export interface Saying extends Answer {
  /** What stands in clear beside the envelope; `undefined` where all is inside. */
  readonly clear?: NeutralMessage;
}

/** What is said of an artifact. */
export interface NewUpdate {
  /** What is new of it. */
  readonly piece: NeutralArtifact;
  /** All of it by now. */
  readonly whole: NeutralArtifact;
  readonly append: boolean;
  readonly last: boolean;
}

interface SaidArtifact {
  readonly n: number;
  readonly index: number;
  readonly chain: Uint8Array;
  /** Those that stand in clear: a digest covers all of them. */
  readonly clear?: readonly NeutralPart[];
}

export type Digest = (payload: JsonObject) => Uint8Array;

export class SealedExchange {
  readonly source: SealedSource;
  readonly #digest: Digest;
  readonly #artifacts = new Map<string, SaidArtifact>();
  #events = 0;
  /** How many of them are words that a stored task keeps. */
  #kept = 0;
  #chain = chainStart();

  constructor(source: SealedSource, digest: Digest) {
    this.source = source;
    this.#digest = digest;
  }

  get #isDetached(): boolean {
    return this.source.strength === 'detached';
  }

  /** @param isKept a stored task has it in its history. */
  say(message: NeutralMessage, isKept: boolean): Saying {
    const covered = this.#isDetached ? orNone(() => messageDigest(message, sha256)) : undefined;
    if (isKept) this.#kept += 1;
    if (covered === undefined) return this.#event('a2a.message.v1', messageValue(message));
    return { ...this.#event('a2a.digest.v1', covered), clear: message };
  }

  /** @param continuing how what it continues was told; `undefined` where there is nothing. */
  update(
    { piece, whole, append, last }: NewUpdate,
    continuing: { readonly isClear: boolean } | undefined,
  ): Update {
    const { artifactId } = piece;
    const before = this.#artifacts.get(artifactId);
    const wasClear = continuing?.isClear === true;
    // What is in clear continues only what this exchange has covered, and what is sealed only what is sealed.
    const canGoOn = this.#isDetached ? wasClear && before?.clear !== undefined : !wasClear;
    const goesOn = append && continuing !== undefined && canGoOn;
    const told = append && continuing !== undefined && !goesOn ? whole : piece;
    const clear = this.#isDetached
      ? this.#clear(told, goesOn ? before : undefined, last)
      : undefined;
    if (clear !== undefined) return { ...clear, append: goesOn, last };
    return this.#sealed(this.#isDetached ? whole : told, goesOn && !this.#isDetached, last);
  }

  #clear(
    artifact: NeutralArtifact,
    before: SaidArtifact | undefined,
    last: boolean,
  ): (Answer & { readonly clear: readonly NeutralPart[] }) | undefined {
    const { artifactId } = artifact;
    const added = coveredArtifact(artifact).parts;
    const parts = [...(before?.clear ?? []), ...added];
    const digest = orNone(() => digestOfArtifact({ artifactId, parts }, sha256));
    if (digest === undefined) return undefined;
    const payload = digestPayload(digest, ARTIFACT_COVERS, last ? { last } : {});
    const answer = this.#event('a2a.digest.v1', payload);
    const chain = chainNext(chainStart(), answer.digest, sha256);
    const index = before === undefined ? 0 : before.index + 1;
    this.#artifacts.set(artifactId, { n: answer.n, index, chain, clear: parts });
    return { ...answer, clear: added };
  }

  #sealed(artifact: NeutralArtifact, append: boolean, last: boolean): Update {
    const { artifactId } = artifact;
    const before = append ? this.#artifacts.get(artifactId) : undefined;
    const index = before === undefined ? 0 : before.index + 1;
    const payload = {
      ...artifact,
      index,
      ...(append && { append }),
      ...(last && { last }),
    } as unknown as JsonObject;
    const answer = this.#event('a2a.artifact.v1', payload);
    const chain = chainNext(before?.chain ?? chainStart(), answer.digest, sha256);
    this.#artifacts.set(artifactId, { n: answer.n, index, chain });
    return { ...answer, append, last };
  }

  #event(ct: string, payload: JsonObject): Answer {
    const digest = this.#digest(payload);
    this.#events += 1;
    this.#chain = chainNext(this.#chain, digest, sha256);
    return { source: this.source, type: 'evt', n: this.#events, ct, payload, digest };
  }

  /**
   * The agent's word on the state and on all that it said so far.
   * @param mayBeClear the message may stand beside the envelope.
   */
  end(state: TaskState, message: NeutralMessage | undefined, mayBeClear: boolean): Saying {
    const clear =
      this.#isDetached && mayBeClear ? (message ?? wordOf(state, this.source)) : message;
    const covered =
      this.#isDetached && mayBeClear ? orNone(() => digestOfMessage(clear!, sha256)) : undefined;
    const payload: JsonObject = {
      state,
      events: this.#events,
      messages: this.#kept,
      digest: encodeBase64url(this.#chain),
      artifacts: [...this.#artifacts].map(([artifactId, { n, chain }]) => ({
        artifactId,
        n,
        digest: encodeBase64url(chain),
      })),
      ...(covered === undefined && message !== undefined && { message: messageValue(message) }),
      ...(covered !== undefined && { messageDigest: covered }),
    };
    return {
      ...this.#res('a2a.status.v1', payload),
      ...(covered !== undefined && { clear: clear! }),
    };
  }

  /** A message that is all of the answer. */
  answer(message: NeutralMessage): Saying {
    const covered = this.#isDetached ? orNone(() => messageDigest(message, sha256)) : undefined;
    if (covered === undefined) return this.#res('a2a.message.v1', messageValue(message));
    return { ...this.#res('a2a.digest.v1', covered), clear: message };
  }

  #res(ct: string, payload: JsonObject): Answer {
    const digest = this.#digest(payload);
    return { source: this.source, type: 'res', n: this.#events, ct, payload, digest };
  }
}

/** In clear there has to be a message for the envelope to stand beside. */
function wordOf(state: TaskState, { key }: SealedSource): NeutralMessage {
  return { messageId: `${key}-${state}`, role: 'agent', parts: [{ text: state }] };
}

/** What some wires would change cannot be covered in clear: it is sealed. */
function orNone<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (thrown) {
    if (thrown instanceof SdlError) return undefined;
    throw thrown;
  }
}

export function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}
