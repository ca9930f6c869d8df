// Owns the tallies in SQLite.

import type { Tally, TallyOperation } from '../../src/stores/index.ts';
import type { Column } from './connection.ts';
import { prepareColumn } from './connection.ts';
import type { Connection, Statement } from './driver.ts';
import type { WriteVerdict } from './entries.ts';
import { textOf, utf8 } from './values.ts';

const clamped = (number: string): string => `min(max(0, ${number}), ${Number.MAX_SAFE_INTEGER})`;

export class SqliteTallies {
  readonly #get: Statement;
  readonly #add: Statement;
  readonly #remove: Statement;
  readonly #names: Column<Uint8Array>;

  constructor(db: Connection) {
    this.#get = db.prepare('SELECT count, sum FROM tallies WHERE name = ?');
    // Returns nothing when a bound would be passed, and changes nothing then.
    this.#add = db.prepare(`
      INSERT INTO tallies SELECT ?1, ${clamped('?2')}, ${clamped('?3')}
        WHERE EXISTS (SELECT 1 FROM tallies WHERE name = ?1) OR ((?2 <= 0 OR ?2 <= ?4) AND (?3 <= 0 OR ?3 <= ?5))
      ON CONFLICT (name) DO UPDATE SET count = ${clamped('count + ?2')}, sum = ${clamped('sum + ?3')}
        WHERE (?2 <= 0 OR count + ?2 <= ?4) AND (?3 <= 0 OR sum + ?3 <= ?5)
      RETURNING count, sum`);
    this.#remove = db.prepare('DELETE FROM tallies WHERE name = ?');
    this.#names = prepareColumn(
      db,
      'SELECT name FROM tallies WHERE name > ? ORDER BY name LIMIT ?',
    );
  }

  get(name: string): Tally {
    const row = this.#get.get(utf8(name)) as Tally | undefined;
    return { count: row?.count ?? 0, sum: row?.sum ?? 0 };
  }

  names(after: string, limit: number): string[] {
    return this.#names.all(utf8(after), limit).map(textOf);
  }

  apply({ name, count, sum, maxCount, maxSum }: TallyOperation): WriteVerdict {
    const key = utf8(name);
    const after = this.#add.get(key, count, sum, maxCount ?? NO_BOUND, maxSum ?? NO_BOUND);
    if (after === undefined) return { ok: false, found: this.get(name).count };
    const { count: result, sum: left } = after as Tally;
    if (result === 0 && left === 0) this.#remove.run(key);
    return { ok: true, result };
  }
}

/** More than any two numbers together. */
const NO_BOUND = 2 ** 60;
