// A process that writes to a SQLite store until it is killed. It prints a line only for what was acknowledged.
// Arguments: path of the file, name of this writer.

import { openSqliteStore } from '../../../stores/sqlite/index.ts';

const [path, writer] = process.argv.slice(2) as [string, string];
const encoder = new TextEncoder();
const store = await openSqliteStore({ path });

/** One task: its row and its event together, then a nonce that the other writers want too. */
async function write(number: number): Promise<void> {
  const name = `${writer}-${number}`;
  const value = encoder.encode(name);
  const done = await store.transact([
    { type: 'add', space: 'task', key: name, value, index: { writer } },
    { type: 'append', log: 'events', values: [value] },
  ]);
  if (!done.ok) throw new Error(`${name} was there already`);
  process.stdout.write(`task ${name} ${done.results[1]}\n`);
  if (await store.add('nonce', `shared-${number}`, { value })) {
    process.stdout.write(`nonce shared-${number} ${name}\n`);
  }
}

// Several lanes, so that groups of more than one are cut by the kill.
const LANES = 8;
await Promise.all(
  Array.from({ length: LANES }, async (_, lane) => {
    for (let number = lane; number < 1_000_000; number += LANES) await write(number);
  }),
);
