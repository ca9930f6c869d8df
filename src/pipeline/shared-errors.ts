// Owns errors that many get: each is sealed once a second and names no request. SPEC.md section 13 (#admit-answers).

import type { Encoding } from '../envelope/decode.ts';
import { SdlError } from '../errors.ts';
import type { OwnIdentity } from '../security/identity/own-identity.ts';
import type { Reply } from '../transport.ts';
import type { CheckServices, Snapshot } from './passage.ts';
import { Passage } from './passage.ts';
import type { ReplyServices } from './reply.ts';
import { sealError } from './reply.ts';

/** More kinds in one second are told without their details, of which there are few. */
const MOST_KINDS = 64;
const NOTHING = new Uint8Array(0);

export class SharedErrors {
  readonly #services: CheckServices & ReplyServices;
  readonly #now: () => number;
  readonly #sealed = new Map<string, Promise<Reply | undefined>>();
  #second = Number.NaN;
  #identity: OwnIdentity | undefined;

  constructor(services: CheckServices & ReplyServices, now: () => number) {
    this.#services = services;
    this.#now = now;
  }

  /** The error for nobody in particular, as this agent is now. */
  answer(error: SdlError, encoding: Encoding, snapshot: Snapshot): Promise<Reply | undefined> {
    const second = Math.floor(this.#now() / 1_000);
    if (second !== this.#second || snapshot.identity !== this.#identity) {
      this.#second = second;
      this.#identity = snapshot.identity;
      this.#sealed.clear();
    }
    const { code, details } = error;
    const key = `${code} ${encoding} ${JSON.stringify(details)}`;
    const known = this.#sealed.get(key);
    if (known !== undefined) return known;
    if (this.#sealed.size < MOST_KINDS) return this.#seal(key, error, encoding, snapshot);
    const bare = `${code} ${encoding}`;
    return (
      this.#sealed.get(bare) ??
      this.#seal(bare, new SdlError(code, error.reason), encoding, snapshot)
    );
  }

  #seal(
    key: string,
    error: SdlError,
    encoding: Encoding,
    snapshot: Snapshot,
  ): Promise<Reply | undefined> {
    const passage = new Passage({ bytes: NOTHING, encoding }, this.#services, snapshot);
    const sealed = sealError(passage, this.#services, error);
    this.#sealed.set(key, sealed);
    return sealed;
  }
}
