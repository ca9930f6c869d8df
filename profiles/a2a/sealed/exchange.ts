// Owns an exchange at the end that answers: which number comes next, and what was said so far. SPEC.md section 22
// (#sealed-numbers, #sealed-end).

import type { JsonObject, JsonValue } from '../../../src/codec/index.ts';
import { isJsonArray, isJsonObject } from '../../../src/codec/index.ts';
import { decodeBase64url, encodeBase64url } from '../../../src/security/index.ts';
import type { Sha256 } from './digest.ts';
import { chainNext, chainStart } from './digest.ts';
import { SealedError } from './error.ts';
import type { NeutralPart, Places } from './shapes/neutral.ts';

/** How strong a message is, the weakest first. */
export type Strength = 'detached' | 'sig' | 'enc+sig';

/** What was said of an artifact since it began. */
export interface SaidArtifact {
  /** Of its last update. */
  readonly n: number;
  readonly index: number;
  readonly chain: Uint8Array;
  /** Those that stand in clear: a digest covers all of them. Empty where they are sealed. */
  readonly parts: readonly NeutralPart[];
}

/** One thing that is said, with its number. */
export interface Turn {
  /** The number of the event, of a `res` that of the events before it. */
  readonly n: number;
  /** How many of the events were words. */
  readonly messages: number;
  readonly artifacts: ReadonlyMap<string, SaidArtifact>;
  readonly digest: string;
}

/** What a turn leaves behind. */
export interface Said {
  /** Of its payload. */
  readonly payloadDigest: Uint8Array;
  readonly artifact?: readonly [string, SaidArtifact];
}

interface ExchangeParts {
  readonly facts: JsonObject;
  readonly agentId: string;
  readonly strength: Strength;
  readonly places: Places;
}

/** Made by opening a request. Kept as JSON, it goes on elsewhere where it has come to. */
export class Exchange {
  /** Who asked. */
  readonly agentId: string;
  /** How strong the request was: no answer is weaker. */
  readonly strength: Strength;
  readonly places: Places;
  readonly facts: JsonObject;
  #events = 0;
  #messages = 0;
  #chain = chainStart();
  #isEnded = false;
  readonly #artifacts = new Map<string, SaidArtifact>();
  /** One is said after the other, whoever awaits them. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ facts, agentId, strength, places }: ExchangeParts) {
    this.facts = facts;
    this.agentId = agentId;
    this.strength = strength;
    this.places = places;
  }

  /** An event. Its number counts only if `make` succeeds. */
  event<T extends Said>(make: (turn: Turn) => Promise<T>, sha256: Sha256): Promise<T> {
    return this.#next(async () => {
      const said = await make(this.#turn(this.#events + 1));
      this.#events += 1;
      this.#chain = chainNext(this.#chain, said.payloadDigest, sha256);
      if (said.artifact === undefined) this.#messages += 1;
      else this.#artifacts.set(...said.artifact);
      return said;
    });
  }

  /** The `res`: nothing follows it. */
  end<T>(make: (turn: Turn) => Promise<T>): Promise<T> {
    return this.#next(async () => {
      const made = await make(this.#turn(this.#events));
      this.#isEnded = true;
      return made;
    });
  }

  #turn(n: number): Turn {
    const digest = encodeBase64url(this.#chain);
    return { n, messages: this.#messages, artifacts: this.#artifacts, digest };
  }

  #next<T>(say: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => {
      if (!this.#isEnded) return say();
      throw new SealedError('END_REPEATED', 'the exchange has had its last answer');
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  toJSON(): JsonObject {
    const { facts, agentId, strength, places } = this;
    return {
      facts,
      agentId,
      strength,
      places: { ...places },
      events: this.#events,
      messages: this.#messages,
      chain: encodeBase64url(this.#chain),
      isEnded: this.#isEnded,
      artifacts: [...this.#artifacts].map(([artifactId, { n, index, chain, parts }]) => ({
        artifactId,
        n,
        index,
        chain: encodeBase64url(chain),
        parts: parts as unknown as JsonValue,
      })),
    };
  }

  /** Throws a TypeError for what `toJSON` has not made. */
  static from(given: JsonObject): Exchange {
    const { facts, agentId, strength, places, events, messages, chain, isEnded, artifacts } = given;
    const isRead =
      isJsonObject(facts) &&
      isJsonObject(places) &&
      typeof agentId === 'string' &&
      (strength === 'detached' || strength === 'sig' || strength === 'enc+sig') &&
      typeof events === 'number' &&
      typeof messages === 'number' &&
      isJsonArray(artifacts);
    if (!isRead) throw new TypeError(NO_EXCHANGE);
    const exchange = new Exchange({ facts, agentId, strength, places });
    exchange.#events = events;
    exchange.#messages = messages;
    exchange.#chain = chainOf(chain);
    exchange.#isEnded = isEnded === true;
    for (const one of artifacts as unknown as readonly KeptArtifact[]) {
      const { artifactId, n, index, parts } = one;
      exchange.#artifacts.set(artifactId, { n, index, parts, chain: chainOf(one.chain) });
    }
    return exchange;
  }
}

/** As `toJSON` writes it. */
interface KeptArtifact extends Omit<SaidArtifact, 'chain'> {
  readonly artifactId: string;
  readonly chain: string;
}

const NO_EXCHANGE = '"request" expected what openTask() made of a request';

function chainOf(given: JsonValue | undefined): Uint8Array {
  const chain = typeof given === 'string' ? decodeBase64url(given) : undefined;
  if (chain?.length === chainStart().length) return chain;
  throw new TypeError(NO_EXCHANGE);
}
