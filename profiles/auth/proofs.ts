// Owns the proof: which entry what was shown belongs to. Every entry of a scheme is compared, whichever fits.

import type { Credential } from './credential.ts';
import type { BasicEntry, CertificateEntry, Entries, SecretEntry } from './entries.ts';
import type { CallerEntry, Secret } from './entry.ts';
import { PasswordCheck, hashOfUser } from './password.ts';
import { SecretFiles, assertSecret, certificateHash, hashSecret, isSameHash } from './secret.ts';
import { TokenCheck } from './token.ts';
import type { Proof } from './callers.ts';

type Options = ConstructorParameters<typeof TokenCheck>[0];

export class Proofs {
  readonly #onProblem: Options['onProblem'];
  readonly #files = new SecretFiles();
  readonly #passwords = new PasswordCheck();
  readonly #tokens: TokenCheck;
  /** The last that was told of each caller: the same is told once. */
  readonly #told = new Map<string, string>();

  constructor(options: Options) {
    this.#onProblem = options.onProblem;
    this.#tokens = new TokenCheck(options);
  }

  async of(credential: Credential, entries: Entries): Promise<Proof | undefined> {
    switch (credential.kind) {
      case 'bearer': {
        const { token } = credential;
        const [entry, proof] = [
          await this.#bySecret(entries.bearer, token),
          await this.#tokens.prove(token, entries.jwt),
        ];
        if (entry !== undefined) return { entry };
        return proof && { ...proof, shown: proof.subject };
      }
      case 'api-key': {
        const entry = await this.#bySecret(entries.apiKey, credential.key);
        return entry && { entry };
      }
      case 'basic': {
        const { user, password } = credential;
        const entry = entries.basic.get(user);
        const stored = entry === undefined ? undefined : await this.#passwordOf(entry);
        const isRight = await this.#passwords.isRight(user, password, stored);
        return isRight && entry !== undefined ? { entry } : undefined;
      }
      case 'certificate':
        return this.#byCertificate(entries.certificate, credential.sha256);
      default:
        return undefined;
    }
  }

  async #bySecret(
    entries: readonly SecretEntry[],
    shown: string,
  ): Promise<CallerEntry | undefined> {
    const hash = hashSecret(shown);
    let found: CallerEntry | undefined;
    for (const entry of entries) {
      const wanted = await this.#hashOf(entry, entry.proof.secret, (text) => {
        assertSecret(text);
        return hashSecret(text);
      });
      if (wanted !== undefined && isSameHash(hash, wanted)) found ??= entry;
    }
    return found;
  }

  async #byCertificate(
    entries: readonly CertificateEntry[],
    shown: string,
  ): Promise<Proof | undefined> {
    for (const entry of entries) {
      const wanted = await this.#hashOf(entry, entry.proof.certificate, certificateHash);
      if (wanted === shown) return { entry, shown };
    }
    return undefined;
  }

  #hashOf(
    { name }: CallerEntry,
    secret: Secret,
    hash: (text: string) => string,
  ): Promise<string | undefined> {
    if ('sha256' in secret) return Promise.resolve(secret.sha256);
    return this.#fromFile(name, secret.file, hash);
  }

  #passwordOf({ name, proof: { user, password } }: BasicEntry): Promise<string | undefined> {
    if ('hash' in password) return Promise.resolve(password.hash);
    return this.#fromFile(name, password.file, (text) => hashOfUser(text, user));
  }

  /** A file that cannot be used proves nothing; its operator is told once. */
  async #fromFile<T>(
    caller: string,
    path: string,
    read: (text: string) => T,
  ): Promise<T | undefined> {
    try {
      const value = read(await this.#files.read(path));
      this.#told.delete(caller);
      return value;
    } catch (cause) {
      const words = String(cause);
      if (this.#told.get(caller) !== words) this.#onProblem(caller, cause);
      this.#told.set(caller, words);
      return undefined;
    }
  }
}
