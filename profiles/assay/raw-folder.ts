// Owns the bytes that messages came in, where the operator wants them kept: a file each, named by its SHA-256.
// SPEC.md section 17 (#assay-raw).

import { randomUUID } from 'node:crypto';
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface RawBytes {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

export class RawFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async open(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** The same bytes are kept once, and never in part. */
  async keep(all: readonly RawBytes[]): Promise<void> {
    await Promise.all(all.map((raw) => this.#keepOne(raw)));
  }

  async #keepOne({ sha256, bytes }: RawBytes): Promise<void> {
    const path = join(this.#folder, sha256);
    const isKept = await access(path).then(
      () => true,
      () => false,
    );
    if (isKept) return;
    const draft = `${path}.${randomUUID()}.tmp`;
    try {
      await writeFile(draft, bytes, { flag: 'wx', mode: 0o600 });
      await rename(draft, path);
    } catch (thrown) {
      await rm(draft, { force: true }).catch(() => undefined);
      throw thrown;
    }
  }
}
