// Owns reading the lines of a run that may still grow: whole ones only, each once.

import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const NEWLINE = 0x0a;

/** The run in the folder that was written to last; `undefined` where there is none. */
export async function newestRun(folder: string): Promise<string | undefined> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ndjson'));
  let newest: { readonly path: string; readonly at: number } | undefined;
  for (const name of names.toSorted()) {
    const path = join(folder, name);
    const at = (await stat(path)).mtimeMs;
    if (newest === undefined || at >= newest.at) newest = { path, at };
  }
  return newest?.path;
}

export class RunLines {
  readonly #path: string;
  /** Behind the last whole line that was read. */
  #position = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** All that are there, of which the last so many are kept. */
  async last(most: number): Promise<readonly string[]> {
    const kept: string[] = [];
    for await (const line of this.next()) {
      kept.push(line);
      if (kept.length > most) kept.shift();
    }
    return kept;
  }

  /** Those that came since. What has no end yet is left for later. */
  async *next(): AsyncGenerator<string> {
    let rest: Uint8Array[] = [];
    for await (const chunk of createReadStream(this.#path, { start: this.#position })) {
      const bytes = chunk as Uint8Array;
      let from = 0;
      for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
        const line = Buffer.concat([...rest, bytes.subarray(from, at)]);
        rest = [];
        from = at + 1;
        this.#position += line.length + 1;
        yield line.toString('utf8');
      }
      rest.push(bytes.subarray(from));
    }
  }
}
