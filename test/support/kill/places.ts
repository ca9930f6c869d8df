// Owns where the nodes of a seed keep things, in a SQLite file or on PostgreSQL, and which seeds are run:
// A2A_SDL_KILL_SEEDS sets how many, A2A_SDL_KILL_SEED runs one of them, several times.

import { join } from 'node:path';

import type { Store } from '../../../src/stores/store.ts';
import { openPostgresStore } from '../../../stores/postgres/index.ts';
import { openSqliteStore } from '../../../stores/sqlite/index.ts';
import { schemaAt, server } from '../stores/postgres.ts';
import { driver } from '../stores/sqlite.ts';
import type { NodeSettings } from './node.ts';

const { A2A_SDL_KILL_SEEDS: count, A2A_SDL_KILL_SEED: only } = process.env;

/** @param few how many are run where nobody says. */
export function seedsOf(few: number): readonly number[] {
  if (only !== undefined) return [Number(only)];
  return Array.from({ length: Number(count ?? few) }, (_, at) => at + 1);
}

/** The same plan meets another order of events each time. */
export const REPEATS = only === undefined ? 0 : 9;

/** A store of one seed. */
interface Place {
  readonly store: NodeSettings['store'];
  readonly open: () => Promise<Store>;
  readonly remove: () => Promise<unknown>;
}

export interface StoreRow {
  readonly label: string;
  readonly isThere: boolean;
  readonly placeIn: (folder: string, name: string) => Place;
  readonly killServer?: (() => Promise<void>) | undefined;
}

export const STORE_ROWS: readonly StoreRow[] = [
  {
    label: 'SQLite',
    isThere: driver !== undefined,
    placeIn: (folder) => {
      const path = join(folder, 'store');
      // The file goes with its folder.
      return { store: { path }, open: () => openSqliteStore({ path }), remove: async () => {} };
    },
  },
  {
    label: 'PostgreSQL',
    isThere: server !== undefined,
    placeIn: (_folder, name) => {
      const { url, run } = server!;
      const schema = schemaAt(name);
      return {
        store: { url, schema },
        open: () => openPostgresStore({ connection: url, schema }),
        remove: () => run(`DROP SCHEMA ${schema} CASCADE`),
      };
    },
    killServer: server?.restart && (() => server!.restart!(true)),
  },
];
