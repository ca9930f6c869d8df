// Owns what authors have noted, in the order in which they did, whatever process they are in.

import { readFileSync, watch, writeFileSync } from 'node:fs';

export interface Note {
  readonly what: 'begin' | 'step' | 'done';
  readonly id: string;
  readonly attempt: number;
  /** The process. */
  readonly pid: number;
}

export class Notes {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    writeFileSync(path, '');
  }

  all(): Note[] {
    const lines = readFileSync(this.path, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => {
      const [what, id, attempt, pid] = line.split(' ');
      return { what: what as Note['what'], id: id!, attempt: Number(attempt), pid: Number(pid) };
    });
  }

  /** Resolves when there is such a note. */
  async until(fits: (note: Note) => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const watcher = watch(this.path, () => look());
      const look = (): void => {
        if (!this.all().some(fits)) return;
        watcher.close();
        resolve();
      };
      look();
    });
  }
}
