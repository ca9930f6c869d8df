// Owns the folder in which identities are kept by name, each in one file of its owner's. SPEC.md section 10 (#key-bundle).

import { randomBytes } from 'node:crypto';
import { readdir, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import type { CryptoProvider } from '../src/security/index.ts';
import { chooseProvider } from '../src/security/index.ts';
import { withFolderLock } from './folder-lock.ts';
import { readIdentity, writeIdentity } from './identity-document.ts';
import type { LocalIdentity } from '../src/security/index.ts';
import { createIdentity, rotateIdentity } from '../src/security/index.ts';
import { keyFileError } from './error.ts';
import type { ScryptCost } from './passphrase.ts';
import type { FileSteps } from './private-files.ts';
import {
  FILE_STEPS,
  checkPrivateFolder,
  factsOf,
  preparePrivateFolder,
  readPrivateFile,
  stampOf,
  writePrivateFile,
} from './private-files.ts';

export interface KeyDirectoryOptions {
  /** @default chooseProvider() */
  readonly crypto?: CryptoProvider;
  /** @default Date.now */
  readonly now?: () => number;
  /** What guessing a passphrase costs, for files written from now on. @default DEFAULT_SCRYPT_COST */
  readonly scryptCost?: ScryptCost;
  /** @default the file system */
  readonly steps?: FileSteps;
}

export interface UnlockOptions {
  /** Opens the secrets of a protected identity; a write protects them with it. */
  readonly passphrase?: string;
}

export interface CreateOptions extends UnlockOptions {
  /** How long the keys are valid. @default 365 days */
  readonly lifetimeMs?: number;
}

export interface RotateKeysOptions extends CreateOptions {
  /** How long the replaced keys stay valid. @default 7 days */
  readonly overlapMs?: number;
}

/** An identity as it stood in its file. */
export interface StoredIdentity extends LocalIdentity {
  readonly name: string;
  /** Which state of the file this is. */
  readonly stamp: string;
}

const NAME = /^[a-z][a-z0-9-]{0,62}$/;
const IDENTITY_FILE = /^([a-z][a-z0-9-]{0,62})\.json$/;
const TEMPORARY_FILE = /^\..+\.tmp$/;

/** Identities by name in one folder (mode 0700, files 0600). Nothing is cached and nothing runs by itself. */
export class KeyDirectory {
  readonly path: string;
  readonly #crypto: CryptoProvider;
  readonly #now: () => number;
  readonly #scryptCost: ScryptCost | undefined;
  readonly #steps: FileSteps;

  constructor(path: string, options: KeyDirectoryOptions = {}) {
    // Resolved, because with a slash at the end a symbolic link would look like the folder that it leads to.
    this.path = resolve(path);
    this.#crypto = options.crypto ?? chooseProvider();
    this.#now = options.now ?? Date.now;
    this.#scryptCost = options.scryptCost;
    this.#steps = options.steps ?? FILE_STEPS;
  }

  /** The names of the identities, sorted; none when there is no folder. */
  async list(): Promise<string[]> {
    if (!(await checkPrivateFolder(this.path))) return [];
    const names = (await readdir(this.path)).map((file) => IDENTITY_FILE.exec(file)?.[1]);
    return names.filter((name) => name !== undefined).sort();
  }

  /** Makes the folder where needed, and in it a new identity. A name that is taken is an error. */
  async create(name: string, options: CreateOptions = {}): Promise<StoredIdentity> {
    const file = this.#file(name);
    await preparePrivateFolder(this.path);
    return this.#write(async () => {
      if ((await factsOf(file)) !== undefined) {
        throw keyFileError(`there is an identity "${name}" already`);
      }
      const identity = await createIdentity({ ...this.#with(options), crypto: this.#crypto });
      return this.#store(name, identity, options.passphrase);
    });
  }

  /** Reads an identity and checks all of it: who may touch the file, the bundle's signature, every key. */
  async load(name: string, options: UnlockOptions = {}): Promise<StoredIdentity> {
    const file = this.#file(name);
    const found = (await checkPrivateFolder(this.path)) ? await readPrivateFile(file) : undefined;
    if (found === undefined) throw keyFileError(`there is no identity "${name}" in ${this.path}`);
    const identity = await readIdentity(found.bytes, this.#crypto, options.passphrase);
    return { ...identity, name, stamp: found.stamp };
  }

  /** New operational keys for the same agent; the replaced ones stay until their end. */
  async rotate(name: string, options: RotateKeysOptions = {}): Promise<StoredIdentity> {
    this.#file(name);
    if (!(await checkPrivateFolder(this.path))) {
      throw keyFileError(`there is no folder ${this.path}`);
    }
    return this.#write(async () => {
      const old = await this.load(name, options);
      const identity = await rotateIdentity(old, { ...this.#with(options), crypto: this.#crypto });
      return this.#store(name, identity, options.passphrase);
    });
  }

  /** The same object while its file is as it was read, else the identity as it is now. */
  async reloadIfChanged(
    identity: StoredIdentity,
    options: UnlockOptions = {},
  ): Promise<StoredIdentity> {
    const stamp = await stampOf(this.#file(identity.name));
    return stamp === identity.stamp ? identity : this.load(identity.name, options);
  }

  #file(name: string): string {
    if (!NAME.test(name)) {
      throw new RangeError('"name" expected up to 63 of a-z, 0-9 and "-", a letter first');
    }
    return join(this.path, `${name}.json`);
  }

  #with<T extends object>(options: T): T & { nowMs: number } {
    return { ...options, nowMs: this.#now() };
  }

  #write<T>(run: () => Promise<T>): Promise<T> {
    return withFolderLock(this.path, async () => {
      // Under the lock nobody is writing, so these are what a crash left behind.
      for (const name of await readdir(this.path)) {
        if (TEMPORARY_FILE.test(name)) await unlink(join(this.path, name));
      }
      return run();
    });
  }

  async #store(
    name: string,
    identity: LocalIdentity,
    passphrase: string | undefined,
  ): Promise<StoredIdentity> {
    const file = this.#file(name);
    const temporary = join(this.path, `.${name}.${randomBytes(8).toString('hex')}.tmp`);
    const bytes = await writeIdentity(identity, {
      crypto: this.#crypto,
      ...(passphrase !== undefined && { passphrase }),
      ...(this.#scryptCost !== undefined && { scryptCost: this.#scryptCost }),
    });
    await writePrivateFile(file, temporary, bytes, this.#steps);
    const stamp = await stampOf(file);
    if (stamp === undefined) throw keyFileError(`${file} vanished while it was written`);
    return { ...identity, name, stamp };
  }
}
