// Owns the stores that are upgraded: a SQLite file whose daemon is killed first, and a PostgreSQL whose nodes go on.

import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import type { Store } from '../../../src/stores/store.ts';
import { decodeRow } from '../../../src/tasks/log/row.ts';
import { openPostgresStore } from '../../../stores/postgres/index.ts';
import { openSqliteStore } from '../../../stores/sqlite/index.ts';
import type { RunningDaemon } from '../agents/daemon.ts';
import { daemonFile, daemonFolder, startDaemon } from '../agents/daemon.ts';
import { schemaAt, server } from '../stores/postgres.ts';
import { driver } from '../stores/sqlite.ts';
import { landedHome, optionsFor, startLanded } from './homes.ts';
import type { Notes } from './notes.ts';

interface Upgraded {
  readonly node: RunningDaemon;
  /** Tasks that nodes of the version before still held then, and until when. */
  readonly leases: ReadonlyMap<string, number>;
}

/** A store of commit b3437ec with its nodes, and what an upgrade is. */
interface Place {
  readonly home: string;
  readonly landed: readonly RunningDaemon[];
  /** Where the new version will listen. */
  readonly url: string;
  readonly upgrade: () => Promise<Upgraded>;
  readonly open: () => Promise<Store>;
}

/** Nodes that go on hold their tasks for so long after the last statement that they could make. */
const LEASE_S = 4;

async function leasesIn(store: Store): Promise<ReadonlyMap<string, number>> {
  const { entries } = await store.list('task', { limit: 1_000 });
  const held = entries.map(({ value }) => decodeRow(value));
  await store.close();
  return new Map(held.flatMap(({ id, holder }) => (holder ? [[id, holder.until]] : [])));
}

interface PlaceRow {
  readonly label: string;
  readonly isThere: boolean;
  readonly make: (notes: Notes) => Promise<Place>;
}

export const rows: readonly PlaceRow[] = [
  {
    label: 'SQLite, whose daemon is killed',
    isThere: driver !== undefined,
    make: async (notes) => {
      const home = landedHome();
      const options = optionsFor(notes);
      const old = await startLanded(home, options);
      return {
        home,
        landed: [old],
        url: old.urls.ipc,
        upgrade: async () => {
          old.signal('SIGKILL');
          await old.ended;
          return { node: await startDaemon(home, options), leases: new Map() };
        },
        open: () => openSqliteStore({ path: join(home, 'data/store.db') }),
      };
    },
  },
  {
    label: 'PostgreSQL, whose nodes go on',
    isThere: server !== undefined,
    make: async (notes) => {
      const homes = [landedHome(), daemonFolder(), daemonFolder()] as const;
      for (const other of homes.slice(1)) {
        rmSync(other, { recursive: true });
        cpSync(homes[0], other, { recursive: true });
      }
      const schema = schemaAt('upgrade');
      const { url } = server!;
      const address = `${url}${url.includes('?') ? '&' : '?'}schema=${schema}\n`;
      const options = [
        ...optionsFor(notes, LEASE_S),
        `--store=@${daemonFile('store.url', address)}`,
      ];
      const open = (): Promise<Store> => openPostgresStore({ connection: url, schema });
      return {
        home: homes[0],
        landed: await Promise.all(homes.slice(0, 2).map((home) => startLanded(home, options))),
        url: `ipc:${join(homes[2], 'run/agent.sock')}`,
        upgrade: async () => {
          // From here on the store is that of the new version, whatever the nodes do.
          const leases = await leasesIn(await open());
          return { node: await startDaemon(homes[2], options), leases };
        },
        open,
      };
    },
  },
];
