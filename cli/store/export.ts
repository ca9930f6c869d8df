// Owns the command `store export`: all of a store as one file, for a copy or for a store of another kind.

import { open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

import { formatTimestamp } from '../../src/envelope/index.ts';
import type { StoreSnapshot } from '../../src/stores/index.ts';
import type { Action } from '../kit/command.ts';
import { EXIT } from '../kit/exit.ts';
import { itemsOf } from './copy.ts';
import type { Totals } from './file.ts';
import { storeFile } from './file.ts';
import { STORE_OPTION, storePlace, withSnapshot } from './place.ts';

export const storeExportCommand: Action = {
  name: 'export',
  summary: 'write all of a store to a file',
  parameters: [{ name: 'FILE', description: 'a new file, which only you can read' }],
  options: { store: STORE_OPTION },
  notes: [
    'The daemon may go on running: the file holds the store as it is when the command begins, and nothing of what comes\n' +
      'later. To move a store, stop the daemon first.\n' +
      'The file holds whatever the store holds: replies, contacts, tasks, nonces. What Redis keeps (--replay) is not in\n' +
      'it: go on with the same Redis, or requests of the last minutes can be replayed.',
  ],
  examples: [
    'a2a-sdl store export store.a2a',
    'a2a-sdl store export store.a2a --store sqlite:/var/lib/a2a/store.db --json',
  ],
  async run(context) {
    const { words, terminal, now } = context;
    const path = words[0]!;
    const place = await storePlace(context);
    const totals = await withSnapshot(place, (store) => writeFile(path, store, now()));
    terminal.result({ store: place.shown, file: path, ...totals }, () => {
      terminal.print(`${path} holds all of ${place.shown}`);
      terminal.print(describeTotals(totals));
    });
    return EXIT.ok;
  },
};

export function describeTotals({ entries, logs, records, tallies }: Totals): string {
  return `${entries} entries, ${records} records in ${logs} logs, ${tallies} tallies`;
}

async function writeFile(path: string, store: StoreSnapshot, nowMs: number): Promise<Totals> {
  const file = await open(path, 'wx', 0o600);
  try {
    const totals = await writeAll(file, store, nowMs);
    await file.sync();
    return totals;
  } catch (thrown) {
    // Half a copy would only be mistaken for one.
    await rm(path, { force: true });
    throw thrown;
  } finally {
    await file.close();
  }
}

const BUFFER_BYTES = 1_048_576;

async function writeAll(file: FileHandle, store: StoreSnapshot, nowMs: number): Promise<Totals> {
  const pieces = storeFile(itemsOf(store), formatTimestamp(nowMs));
  let held: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await pieces.next();
    if (done !== true) {
      held.push(value);
      bytes += value.length;
    }
    if (done === true || bytes >= BUFFER_BYTES) {
      await file.writeFile(Buffer.concat(held));
      held = [];
      bytes = 0;
    }
    if (done === true) return value;
  }
}
