// Owns the sealing of answers: each once for all who are told of it, as long as it is remembered. SPEC.md section 22
// (#sealed-tasks).

import type { JsonObject } from '../../../src/door/index.ts';
import { encodeBase64url } from '../../../src/security/index.ts';
import type { ListenContext } from '../../../src/transport.ts';
import { SdlError, writeJson } from '../../../src/transport.ts';
import type { Answer } from './exchange.ts';

type SealContext = Pick<ListenContext, 'seal'>;

/** An answer as it goes out. */
export interface SealedAnswer {
  readonly envelope: JsonObject;
  readonly mode: 'sig' | 'enc+sig';
}

interface Remembered {
  readonly sealed: Promise<SealedAnswer>;
  bytes: number;
}

/** Of all envelopes that are remembered. */
const MAX_BYTES = 16_777_216;
const MAX_ANSWERS = 4_096;

export class Sealer {
  readonly #context: SealContext;
  /** The one that was made first comes first. */
  readonly #remembered = new Map<string, Remembered>();
  #bytes = 0;

  constructor(context: SealContext) {
    this.#context = context;
  }

  seal(answer: Answer): Promise<SealedAnswer> {
    const { source, type, n, digest } = answer;
    const key = `${source.key} ${type} ${n} ${encodeBase64url(digest)}`;
    const known = this.#remembered.get(key);
    if (known !== undefined) return known.sealed;
    const made: Remembered = { sealed: this.#seal(answer), bytes: 0 };
    this.#remembered.set(key, made);
    made.sealed.then(
      ({ envelope }) => {
        if (this.#remembered.get(key) !== made) return;
        made.bytes = writeJson(envelope).length;
        this.#bytes += made.bytes;
        this.#forget();
      },
      () => this.#remembered.delete(key),
    );
    return made.sealed;
  }

  async #seal({ source, type, n, ct, payload }: Answer): Promise<SealedAnswer> {
    const { facts } = source;
    const mode = facts['mode'] === 'enc+sig' ? 'enc+sig' : 'sig';
    const answer = { ct, payload, type, n };
    try {
      return { envelope: await this.#context.seal(facts, answer), mode };
    } catch (thrown) {
      const isInexact = thrown instanceof SdlError && thrown.code === 'NUMBER_INEXACT';
      if (!isInexact || mode === 'enc+sig') throw thrown;
      // What others would change in clear goes inside.
      const envelope = await this.#context.seal({ ...facts, mode: 'enc+sig' }, answer);
      return { envelope, mode: 'enc+sig' };
    }
  }

  #forget(): void {
    for (const [key, { bytes }] of this.#remembered) {
      if (this.#bytes <= MAX_BYTES && this.#remembered.size <= MAX_ANSWERS) return;
      this.#remembered.delete(key);
      this.#bytes -= bytes;
    }
  }
}
