// Owns the command `store import`: fills a store from a file of `store export`.

import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

import type { TaskProblem } from '../../src/internal.ts';
import { createTaskCopyCheck } from '../../src/internal.ts';
import type { Store } from '../../src/stores/index.ts';
import type { Action } from '../kit/command.ts';
import { EXIT, failure } from '../kit/exit.ts';
import type { FillResult } from './copy.ts';
import { fillStore, isEmpty } from './copy.ts';
import { describeTotals } from './export.ts';
import type { Totals } from './file.ts';
import { isRecord, isTally, readStoreFile } from './file.ts';
import { STORE_OPTION, storePlace, using } from './place.ts';

export const storeImportCommand: Action = {
  name: 'import',
  summary: 'fill a store from a file of "store export"',
  parameters: [{ name: 'FILE', description: 'the file' }],
  options: {
    store: STORE_OPTION,
    merge: {
      type: 'boolean',
      description:
        'import into a store that holds something: what is equal is skipped, what differs ends the import',
    },
    damaged: {
      type: 'boolean',
      description: 'go on although tasks in the file are damaged; nobody will work on those',
    },
  },
  notes: [
    'The whole file is checked before anything is written, also whether its tasks are whole. The store is made where\n' +
      'there is none. An import that was cut off is finished with --merge. Entries get new versions; order, expiry, index,\n' +
      'rank, positions and tallies stay.',
  ],
  examples: [
    'a2a-sdl store import store.a2a --store @postgres.url',
    'a2a-sdl store import store.a2a --merge --json',
  ],
  async run(context) {
    const { words, options, terminal } = context;
    const place = await storePlace(context);
    const file = await open(words[0]!);
    try {
      const { totals, problems } = await checkFile(file);
      if (problems.length > 0 && !options.flag('damaged')) throw damagedTasks(problems);
      const filled = await using(await place.open(), (store) =>
        fill(store, file, options.flag('merge')),
      );
      const damaged = problems.map(({ key, what }) => ({ key, what }));
      terminal.result(
        { store: place.shown, file: words[0]!, ...totals, ...filled, damaged },
        () => {
          terminal.print(`${place.shown} holds all of ${words[0]!}`);
          terminal.print(`${describeTotals(totals)}; ${filled.kept} were there already`);
          for (const { key, what } of damaged) terminal.print(`damaged: task ${key}: ${what}`);
        },
      );
      return EXIT.ok;
    } finally {
      await file.close();
    }
  },
};

async function checkFile(
  file: FileHandle,
): Promise<{ totals: Totals; problems: readonly TaskProblem[] }> {
  const items = readStoreFile(chunksOf(file));
  const tasks = createTaskCopyCheck();
  for (;;) {
    const { done, value } = await items.next();
    if (done === true) return { totals: value, problems: tasks.report().problems };
    if (isRecord(value)) tasks.record(value.log);
    else if (!isTally(value)) tasks.entry(value.space, value.key, value.value);
  }
}

function damagedTasks(problems: readonly TaskProblem[]): Error {
  const [first, ...others] = problems.map(({ key, what }) => `task ${key}: ${what}`);
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return failure(`the file holds tasks that are not whole: ${first}${more}; nothing was written`, {
    code: 'STORE_FILE_DAMAGED',
    next: 'export again with this version; if the store itself is damaged ("store check"), import with --damaged',
  });
}

async function fill(store: Store, file: FileHandle, isMerge: boolean): Promise<FillResult> {
  if (!isMerge && !(await isEmpty(store))) {
    throw failure('the target holds something already', {
      code: 'STORE_NOT_EMPTY',
      next: 'import into a new store, or give --merge',
    });
  }
  try {
    return await fillStore(store, readStoreFile(chunksOf(file)), { isMerge });
  } catch (thrown) {
    // A store refuses names and sizes as mistakes of its caller; here they are those of the file.
    if (!(thrown instanceof TypeError || thrown instanceof RangeError)) throw thrown;
    throw failure(`the file holds something that no store takes: ${thrown.message}`, {
      code: 'STORE_FILE_DAMAGED',
      cause: thrown,
    });
  }
}

const CHUNK_BYTES = 262_144;

/** From the start, however often: the handle stays open, so that both looks are at the same file. */
async function* chunksOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await file.read({
      buffer: new Uint8Array(CHUNK_BYTES),
      position,
    });
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}
