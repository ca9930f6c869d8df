// Owns what was found of key bundles that messages bring: one that comes again, good or bad, is not verified again.
// SPEC.md section 10 (#bundle-cost).

import { LRUCache } from 'lru-cache';

import { encodeBase64url } from '../../codec/base64url.ts';
import { writeJcs } from '../../codec/canonical-jcs.ts';
import type { CryptoProvider } from '../../crypto/provider.ts';
import { SdlError } from '../../errors.ts';
import { assertOwnBundle } from './key-bundle.ts';
import type { KeyBundle } from './key-bundle-shape.ts';

const MOST_VERDICTS = 1_000;

/** Why a bundle does not hold; `undefined` for one that does. Neither changes with time. */
type Verdict = SdlError | undefined;

export class BundleVerdicts {
  readonly #crypto: CryptoProvider;
  readonly #found = new LRUCache<string, Promise<Verdict>>({ max: MOST_VERDICTS });

  constructor(crypto: CryptoProvider) {
    this.#crypto = crypto;
  }

  /**
   * Throws unless the root key signed all of it and every key in it can be used.
   * @param onNew told when it has to be verified, before that.
   */
  async assert(bundle: KeyBundle, path: string, onNew?: () => void): Promise<void> {
    const name = encodeBase64url(this.#crypto.sha256(writeJcs(bundle.document)));
    let found = this.#found.get(name);
    if (found === undefined) {
      onNew?.();
      found = this.#verify(bundle, path);
      this.#found.set(name, found);
      // What failed otherwise says nothing of the bundle.
      found.catch(() => this.#found.delete(name));
    }
    const refusal = await found;
    if (refusal !== undefined) throw refusal;
  }

  async #verify(bundle: KeyBundle, path: string): Promise<Verdict> {
    try {
      await assertOwnBundle(bundle, this.#crypto, path);
      return undefined;
    } catch (thrown) {
      if (thrown instanceof SdlError) return thrown;
      throw thrown;
    }
  }
}
