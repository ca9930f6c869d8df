// Owns what opening gives back: only what is proven, how it was protected, and what was found wrong. SPEC.md section 22
// (#sealed-verdict).

import type { JsonObject } from '../../../src/codec/index.ts';
import type { Receipt } from '../../../src/message/index.ts';
import type { Problem } from './error.ts';
import { SealedError, toSealedError } from './error.ts';
import type { SealedCode } from './error.ts';
import type { Exchange, Strength } from './exchange.ts';
import type { TaskStateName } from './shapes/state.ts';

/**
 * `sealed`: encrypted and signed. `signed`: in clear inside its envelope. `detached`: signed beside it. Of several the
 * weakest. `partial`: some of it is not protected. `none`: nothing is.
 */
export type Protection = 'sealed' | 'signed' | 'detached' | 'partial' | 'none';

/** `require`: what is not proven is refused. `prefer`: what is plain is told, what is wrong is refused. `report`: all is told. */
export type OpenPolicy = 'require' | 'prefer' | 'report';

/** The agent's word on how an exchange came to rest, and on all that it said. */
export interface SealedReceipt {
  readonly state: TaskStateName;
  /** How many events came before it. */
  readonly events: number;
  /** Over the payloads of all of them, in order. */
  readonly digest: string;
  /** All of them were at hand, and the digest holds. False where a stored task no longer has some. */
  readonly coversAll: boolean;
  /** The signed answer that says so: to be kept. */
  readonly envelope: JsonObject;
  /** The receipt of the agent's audit log, where it keeps one. */
  readonly audit?: Receipt;
}

/** In the shape of what was opened. */
export interface Opened<M = unknown, A = unknown> {
  readonly kind: 'request' | 'answer';
  readonly protection: Protection;
  /** Who has signed it. @default nobody */
  readonly from?: string;
  /** The last thing that was said in words. */
  readonly message?: M;
  /** Everything that was said in words, in order; only what is proven. */
  readonly messages: readonly M[];
  /** Put together; only what is proven. */
  readonly artifacts: readonly A[];
  /** As the agent has signed it. @default it has signed none */
  readonly state?: TaskStateName;
  /** As the path says. It may be anything. */
  readonly claimedState?: TaskStateName;
  /** The agent has signed the end of the exchange: nothing follows. */
  readonly isFinal: boolean;
  readonly receipt?: SealedReceipt;
  /** Numbers of events that a stored task no longer has. Its result is whole all the same. */
  readonly missing: readonly number[];
  readonly problems: readonly Problem[];
  /** Of a request: how strong it was. */
  readonly mode?: Strength;
  /** Of a request: what answers are sealed with. @default it was plain */
  readonly exchange?: Exchange;
}

/** What `T`, a message or a task of some SDK, has for messages. */
export type MessageOf<T> = T extends { readonly messageId: unknown }
  ? T
  : T extends { readonly history?: readonly (infer M)[] | undefined }
    ? M
    : unknown;

/** The same for artifacts: a message has none, so that what is a message or a task has those of the task. */
export type ArtifactOf<T> = T extends { readonly messageId: unknown }
  ? never
  : T extends { readonly artifacts?: readonly (infer A)[] | undefined }
    ? A
    : unknown;

/** Collects what is wrong, or throws it. */
export class Verdicts {
  readonly problems: Problem[] = [];
  readonly #policy: OpenPolicy;

  constructor(policy: OpenPolicy) {
    this.#policy = policy;
  }

  /** It is there, and does not hold. */
  wrong(thrown: unknown, where: string): void {
    const error = toSealedError(thrown, where);
    if (this.#policy !== 'report') throw error;
    this.problems.push({ code: error.code, where: error.where || where });
  }

  /** It is not proven, as anything on the path might be. */
  unproven(code: SealedCode, words: string, where: string): void {
    if (this.#policy === 'require') throw new SealedError(code, `${where}: ${words}`, where);
    this.problems.push({ code, where });
  }
}

const WEAKEST_FIRST: readonly Strength[] = ['detached', 'sig', 'enc+sig'];
const NAMES: Readonly<Record<Strength, Protection>> = {
  detached: 'detached',
  sig: 'signed',
  'enc+sig': 'sealed',
};

/** @param plain how many things were not protected, or not what they should be. */
export function protectionOf(strengths: readonly Strength[], plain: number): Protection {
  const weakest = WEAKEST_FIRST.find((strength) => strengths.includes(strength));
  if (weakest === undefined) return 'none';
  return plain > 0 ? 'partial' : NAMES[weakest];
}
