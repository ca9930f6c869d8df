// Owns bringing the tasks of a file of the first version to what stores have for them since: ranks and tallies, as the
// upgrade of a store does it. Leases are left out: who held one holds it in the store that the file was made from.

import type { Tally } from '../../src/stores/index.ts';
import type { StoredEntry, StoredItem, StoredTally } from './file.ts';

export class TaskCarrier {
  readonly #tallies = new Map<string, Tally>();

  /** `undefined` for what is no longer kept. */
  take(item: StoredItem): StoredItem | undefined {
    if (!('space' in item)) return item;
    if (item.space === 'task-end' || item.space === 'task-lease') return undefined;
    return item.space === 'task' ? this.#takeTask(item) : item;
  }

  tallies(): readonly StoredTally[] {
    return [...this.#tallies].map(([tally, { count, sum }]) => ({ tally, count, sum }));
  }

  /** A row that cannot be read stays as it is: whoever checks the file finds it. */
  #takeTask(entry: StoredEntry): StoredEntry {
    const { updatedAt, bytes } = rowIn(entry.value) ?? {};
    const { owner, phase } = entry.index;
    if (typeof updatedAt !== 'number' || typeof bytes !== 'number' || !owner) return entry;
    for (const name of ['tasks', `tasks/owner/${owner}`]) {
      const { count = 0, sum = 0 } = this.#tallies.get(name) ?? {};
      this.#tallies.set(name, { count: count + 1, sum: sum + bytes });
    }
    const index = phase === 'ended' ? { ...entry.index, ended: owner } : entry.index;
    return { ...entry, index, rank: updatedAt };
  }
}

/** Rows are what `JSON.stringify` wrote; the strict reader would refuse some of the texts in them. */
function rowIn(value: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const row: unknown = JSON.parse(new TextDecoder().decode(value));
    return typeof row === 'object' && row !== null ? { ...row } : undefined;
  } catch {
    return undefined;
  }
}
