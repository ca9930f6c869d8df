// Owns how what came back is opened, piece by piece: whose answer it is, what it says, and where it is not protected.
// SPEC.md section 22 (#sealed-verdict).

import type { OpenRequest, OpenedAnswer } from '../../../src/message/index.ts';
import { ArtifactReader } from './artifact-reader.ts';
import type { FoundArtifact, FoundMessage } from './carrier.ts';
import { SealedError } from './error.ts';
import type { Strength } from './exchange.ts';
import { envelopeBeside, envelopeBytes, envelopeInPart } from './locate.ts';
import type { Verdicts } from './opened.ts';
import type { ReadEnd } from './reader.ts';
import { ExchangeReader } from './reader.ts';
import type { Session } from './session.ts';
import type { Bag, NeutralArtifact, NeutralMessage, Places } from './shapes/neutral.ts';
import { textOf } from './shapes/neutral.ts';
import { placesOf, rawPartsOf, readArtifact } from './shapes/read.ts';
import { wordsBeside, wordsIn } from './words.ts';

/** Words that are proven. */
export interface OpenedWords {
  readonly message: NeutralMessage;
  readonly places: Places;
}

const CONTENT_TYPES: ReadonlySet<string> = new Set([
  'a2a.message.v1',
  'a2a.artifact.v1',
  'a2a.status.v1',
  'a2a.digest.v1',
]);

export class AnswerOpener {
  readonly words: OpenedWords[] = [];
  readonly strengths: Strength[] = [];
  /** How many things were not protected, or not what they should be. */
  plain = 0;
  readonly readers: readonly ExchangeReader[];
  readonly #artifacts = new Map<string, ArtifactReader>();
  readonly #session: Session;
  readonly #verdicts: Verdicts;

  /** @param requests of ours, in the order in which they were sent. */
  constructor(
    session: Session,
    requests: readonly OpenRequest[],
    verdicts: Verdicts,
    isStream: boolean,
  ) {
    this.#session = session;
    this.#verdicts = verdicts;
    this.readers = requests.map((request) => new ExchangeReader(request, session.kit, isStream));
  }

  /** A stored task was shown: what follows goes on from it. */
  goOnFrom(stored: AnswerOpener, mayJump: boolean): void {
    for (const [index, reader] of stored.readers.entries()) {
      this.readers[index]?.goOnFrom(reader, mayJump);
    }
    for (const [artifactId, seen] of stored.#artifacts) {
      this.#artifacts.set(
        artifactId,
        seen.goingOn((reader) => this.#sameAs(reader, stored)),
      );
    }
  }

  #sameAs(reader: ExchangeReader, stored: AnswerOpener): ExchangeReader {
    return this.readers[stored.readers.indexOf(reader)]!;
  }

  artifact(artifactId: string): NeutralArtifact | undefined {
    return this.#artifacts.get(artifactId)?.artifact;
  }

  /** What is proven of the artifacts. */
  get artifacts(): readonly NeutralArtifact[] {
    return [...this.#artifacts.values()].flatMap(({ artifact }) => artifact ?? []);
  }

  /** Artifacts that the end of their exchange, now that it is there, has proven. */
  settle(): readonly NeutralArtifact[] {
    return [...this.#artifacts.values()].flatMap((reader) => {
      try {
        return reader.settle() ? (reader.artifact ?? []) : [];
      } catch (thrown) {
        this.plain += 1;
        this.#verdicts.wrong(thrown, 'artifacts');
        return [];
      }
    });
  }

  /** How each exchange ended, by what has come of it. */
  finish(): (ReadEnd | undefined)[] {
    return this.readers.map((reader, index) => {
      const isReplaced = (artifactId: string): boolean => {
        const begunBy = this.#artifacts.get(artifactId)?.begunBy;
        return begunBy !== undefined && this.readers.indexOf(begunBy) > index;
      };
      try {
        return reader.finish(isReplaced);
      } catch (thrown) {
        this.plain += 1;
        this.#verdicts.wrong(thrown, 'task');
        return undefined;
      }
    });
  }

  async takeMessage({ where, given }: FoundMessage): Promise<OpenedWords | undefined> {
    const parts = rawPartsOf(given).map(envelopeInPart);
    if (parts.every((part) => part === undefined)) {
      const beside = envelopeBeside(given);
      if (beside === undefined) return this.#plain(where);
      return this.#opened(where, beside, 'detached', (answer, reader) => {
        const words = wordsBeside(answer, given, this.#session.kit.crypto.sha256);
        reader.takeMessage(answer);
        return this.#say(words, given);
      });
    }
    let last: OpenedWords | undefined;
    for (const [index, part] of parts.entries()) {
      const place = parts.length === 1 ? where : `${where}.parts[${index}]`;
      if (part === undefined) this.#plain(place);
      else {
        last = await this.#opened(place, part, undefined, (answer, reader) => {
          const words = wordsIn(answer, 'agent');
          reader.takeMessage(answer);
          return words && this.#say(words, given);
        });
      }
    }
    return last;
  }

  async takeArtifact({ where, given, append = false }: FoundArtifact): Promise<void> {
    const artifactId = textOf(given['artifactId']) ?? '';
    const reader = this.#artifacts.get(artifactId) ?? new ArtifactReader(artifactId);
    this.#artifacts.set(artifactId, reader);
    const parts = rawPartsOf(given).map(envelopeInPart);
    if (parts.every((part) => part === undefined)) {
      const beside = envelopeBeside(given);
      const clear = readArtifact(given);
      if (beside === undefined || clear === undefined) {
        this.#plain(where);
        return;
      }
      const { sha256 } = this.#session.kit.crypto;
      await this.#opened(where, beside, 'detached', (answer, exchange) =>
        reader.takeDetached(answer, exchange, { clear, append, sha256 }),
      );
      if (reader.isUnsettled) this.#plain(where);
      return;
    }
    for (const [index, part] of parts.entries()) {
      const place = `${where}.parts[${index}]`;
      if (part === undefined) this.#plain(place);
      else {
        await this.#opened(place, part, undefined, (answer, exchange) =>
          reader.takeSealed(answer, exchange),
        );
      }
    }
  }

  #say(message: NeutralMessage, given: Bag): OpenedWords {
    const words = { message, places: placesOf(given) };
    this.words.push(words);
    return words;
  }

  #plain(where: string): undefined {
    this.plain += 1;
    this.#verdicts.unproven('NOT_PROTECTED', 'it is not protected', where);
    return undefined;
  }

  /** Judges an envelope and has it taken in; what is wrong with either counts as not protected. */
  async #opened<T>(
    where: string,
    envelope: Bag,
    as: 'detached' | undefined,
    take: (answer: OpenedAnswer, reader: ExchangeReader) => T,
  ): Promise<T | undefined> {
    try {
      const { kit, peers } = this.#session;
      const reader = this.#readerOf(envelope);
      const bytes = envelopeBytes(envelope);
      const answer = await kit.openAnswer(bytes, reader.request, CONTENT_TYPES, peers);
      const taken = take(answer, reader);
      this.strengths.push(as ?? answer.mode);
      return taken;
    } catch (thrown) {
      this.plain += 1;
      this.#verdicts.wrong(thrown, where);
      return undefined;
    }
  }

  /** Of the request that it says to answer; an answer to none of ours is judged as one to the last. */
  #readerOf({ re }: Bag): ExchangeReader {
    const reader = this.readers.find(({ request }) => request.id === re) ?? this.readers.at(-1);
    if (reader !== undefined) return reader;
    throw new SealedError('REQUEST_UNKNOWN', 'it is not known what was asked: give "request"');
  }
}
