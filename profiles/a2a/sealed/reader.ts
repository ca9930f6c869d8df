// Owns an exchange at the end that asked: are the numbers whole and in order, and is what came what the agent says that it
// said? SPEC.md section 22 (#sealed-numbers, #sealed-end).

import type { MessageKit, OpenRequest, OpenedAnswer } from '../../../src/message/index.ts';
import { encodeBase64url } from '../../../src/security/index.ts';
import { ARTIFACT_COVERS, chainNext, chainStart, digestPayload } from './digest.ts';
import type { SealedFault } from './error.ts';
import { SealedError } from './error.ts';
import type { SealedReceipt } from './opened.ts';
import type { TaskStateName } from './shapes/state.ts';

/** The agent itself says how many there were, and may say anything. */
const MOST_MISSING = 100_000;

/** Of `a2a.status.v1`. */
interface StatusPayload {
  readonly state: TaskStateName;
  readonly events: number;
  readonly messages?: number;
  readonly digest: string;
  readonly artifacts: readonly ArtifactWord[];
}

/** What the agent says of an artifact: its last event, and the chain over its updates. */
interface ArtifactWord {
  readonly artifactId: string;
  readonly n: number;
  readonly digest: string;
}

/** What came of an artifact in one exchange, since it began. */
interface SeenArtifact {
  readonly n: number;
  readonly chain: Uint8Array;
}

/** Of one request. Everything that is wrong is thrown as a {@link SealedError}. */
export class ExchangeReader {
  readonly request: OpenRequest;
  readonly #kit: MessageKit;
  /** Every event has to be there; else some may no longer be kept. */
  readonly isStream: boolean;
  readonly #digests = new Map<number, Uint8Array>();
  readonly #artifacts = new Map<string, SeenArtifact>();
  #lastMessage = 0;
  #messages = 0;
  #last = 0;
  #mayJump = false;
  #end: OpenedAnswer | undefined;

  constructor(request: OpenRequest, kit: MessageKit, isStream: boolean) {
    this.request = request;
    this.#kit = kit;
    this.isStream = isStream;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Words, in the order in which they were said; or the end. */
  takeMessage(answer: OpenedAnswer): void {
    if (answer.type === 'res') {
      this.#takeEnd(answer);
      return;
    }
    if (answer.n <= this.#lastMessage && !this.#digests.has(answer.n)) {
      throw fault('EVENT_ORDER', `event ${answer.n} was said before ${this.#lastMessage}`);
    }
    this.#takeEvent(answer);
    this.#lastMessage = answer.n;
    this.#messages += 1;
  }

  /** @param isWhole it stands for all of the artifact, whatever came before. */
  takeUpdate(answer: OpenedAnswer, artifactId: string, isWhole: boolean): void {
    if (answer.type === 'res') throw fault('EVENT_ORDER', 'an artifact is no last answer');
    const before = this.#artifacts.get(artifactId);
    if (before !== undefined && answer.n < before.n) {
      throw fault('EVENT_ORDER', `update ${answer.n} of the artifact comes before ${before.n}`);
    }
    const digest = this.#takeEvent(answer);
    const { sha256 } = this.#kit.crypto;
    const chain = isWhole || before === undefined ? chainStart() : before.chain;
    this.#artifacts.set(artifactId, { n: answer.n, chain: chainNext(chain, digest, sha256) });
  }

  /**
   * The last update of an artifact in clear, which a server has not kept: what it said follows from the digest of all of
   * it, and the end says whether it was that.
   */
  takeLastUpdate(artifactId: string, digest: string): void {
    const { artifacts = [] } = this.#end!.payload as unknown as Partial<StatusPayload>;
    const word = artifacts.find((one) => one.artifactId === artifactId);
    const { sha256 } = this.#kit.crypto;
    for (const last of [{}, { last: true }]) {
      const said = this.#kit.digest(digestPayload(digest, ARTIFACT_COVERS, last));
      const chain = chainNext(chainStart(), said, sha256);
      if (word !== undefined && encodeBase64url(chain) === word.digest) {
        if (this.#digests.has(word.n)) throw fault('EVENT_REPEATED', `two are event ${word.n}`);
        this.#digests.set(word.n, said);
        this.#artifacts.set(artifactId, { n: word.n, chain });
        return;
      }
    }
    throw fault('CONTENT_CHANGED', 'the artifact is not what was signed');
  }

  /** A stored task was shown first. @param mayJump some of what was said before need not be in it. */
  goOnFrom(stored: ExchangeReader, mayJump: boolean): void {
    for (const [n, digest] of stored.#digests) this.#digests.set(n, digest);
    for (const [id, seen] of stored.#artifacts) this.#artifacts.set(id, seen);
    this.#last = stored.#last;
    this.#messages = stored.#messages;
    this.#end = stored.#end;
    this.#mayJump = mayJump;
  }

  #takeEvent(answer: OpenedAnswer): Uint8Array {
    const { n } = answer;
    if (this.#digests.has(n)) throw fault('EVENT_REPEATED', `event ${n} came twice`);
    if (n < 1) throw fault('EVENT_ORDER', 'an event has no number');
    if (this.isStream) this.#follow(n, this.#last + 1);
    const digest = this.#kit.digest(answer.payload);
    this.#digests.set(n, digest);
    this.#last = Math.max(this.#last, n);
    return digest;
  }

  #takeEnd(answer: OpenedAnswer): void {
    if (this.#end !== undefined) throw fault('END_REPEATED', 'there is a second last answer');
    if (this.isStream) this.#follow(answer.n, this.#last);
    this.#end = answer;
  }

  #follow(n: number, expected: number): void {
    if (this.#end !== undefined) throw fault('EVENT_ORDER', `event ${n} came after the end`);
    // Of what a stored task does not keep nobody knows how many there were.
    const isAhead = this.#mayJump && n >= expected;
    this.#mayJump = false;
    if (n === expected || isAhead) return;
    throw n > expected
      ? fault('EVENT_MISSING', `${n} came, and ${expected} was to come`)
      : fault('EVENT_ORDER', `${n} came, and ${expected} was to come`);
  }

  /**
   * Does the agent's word on all that it said hold?
   * @param isReplaced has a later exchange begun this artifact anew?
   */
  finish(isReplaced: (artifactId: string) => boolean): ReadEnd | undefined {
    const end = this.#end;
    if (end === undefined) return undefined;
    const late = [...this.#digests.keys()].find((n) => n > end.n);
    if (late !== undefined) throw fault('EVENT_ORDER', `event ${late} is not among the ${end.n}`);
    if (end.n - this.#digests.size > MOST_MISSING) {
      throw fault('EVENT_MISSING', `${end.n} events were said, and few of them are here`);
    }
    const missing = Array.from({ length: end.n }, (_, index) => index + 1).filter(
      (n) => !this.#digests.has(n),
    );
    if (end.ct !== 'a2a.status.v1') return { missing, missingMessages: 0 };
    const { messages = this.#messages } = end.payload as unknown as StatusPayload;
    return {
      missing,
      missingMessages: messages - this.#messages,
      receipt: this.#check(end, missing.length === 0, isReplaced),
    };
  }

  #check(
    { payload, n, envelope, receipt: audit }: OpenedAnswer,
    isWhole: boolean,
    isReplaced: (artifactId: string) => boolean,
  ): SealedReceipt {
    // Its schema holds.
    const { state, events, digest, artifacts } = payload as unknown as StatusPayload;
    if (events !== n) throw fault('RECEIPT_MISMATCH', 'it counts other events than its number');
    const listed = new Map(artifacts.map((word) => [word.artifactId, word]));
    for (const [artifactId, word] of listed) this.#checkArtifact(artifactId, word, isReplaced);
    const other = [...this.#artifacts.keys()].find((artifactId) => !listed.has(artifactId));
    if (other !== undefined) throw fault('RECEIPT_MISMATCH', 'an artifact came that was not made');
    if (isWhole && this.#chain() !== digest) {
      throw fault('RECEIPT_MISMATCH', 'the events are not those that it was made over');
    }
    return {
      state,
      events: n,
      digest,
      coversAll: isWhole,
      envelope,
      ...(audit && { audit }),
    };
  }

  #checkArtifact(
    artifactId: string,
    { n, digest }: ArtifactWord,
    isReplaced: (artifactId: string) => boolean,
  ): void {
    const seen = this.#artifacts.get(artifactId);
    if (seen === undefined && isReplaced(artifactId)) return;
    if (seen?.n === n && encodeBase64url(seen.chain) === digest) return;
    throw fault('ARTIFACT_INCOMPLETE', 'an artifact is not the one that was made');
  }

  #chain(): string {
    let chain = chainStart();
    const inOrder = [...this.#digests].sort(([one], [other]) => one - other);
    for (const [, digest] of inOrder) chain = chainNext(chain, digest, this.#kit.crypto.sha256);
    return encodeBase64url(chain);
  }
}

/** How an exchange ended. */
export interface ReadEnd {
  /** Numbers of events that are not at hand. */
  readonly missing: readonly number[];
  /** How many of those that a stored task keeps are not in it. */
  readonly missingMessages: number;
  /** Absent where the last answer was words alone. */
  readonly receipt?: SealedReceipt;
}

function fault(code: SealedFault, words: string): SealedError {
  return new SealedError(code, words);
}
