// Which SQLite driver is chosen, what is said when there is none, and which warnings are shown.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { afterEach, describe, expect, test, vi } from 'vitest';

import { StoreError } from '../../../src/stores/store.ts';
import type { Connection, DriverSources, Statement } from '../../../stores/sqlite/driver.ts';
import { loadDriver, toStoreError } from '../../../stores/sqlite/driver.ts';

interface Lacks {
  readonly isTransaction?: boolean;
  readonly setReturnArrays?: boolean;
  readonly timeout?: boolean;
}

/** A module with the API of node:sqlite, as far as it is asked about, with a gap. */
function moduleThat(lacks: Lacks = {}): { readonly DatabaseSync: new () => Connection } {
  class DatabaseSync {
    declare readonly isTransaction: boolean;
    readonly #timeout: number;

    constructor(_path?: string, options: { readonly timeout?: number } = {}) {
      this.#timeout = lacks.timeout === true ? 0 : (options.timeout ?? 0);
      if (lacks.isTransaction !== true) Object.assign(this, { isTransaction: false });
    }

    prepare(): Statement {
      return {
        run: () => ({ changes: 0 }),
        get: () => [this.#timeout],
        all: () => [],
        iterate: () => [],
        ...(lacks.setReturnArrays === true ? {} : { setReturnArrays: () => undefined }),
      } as Statement;
    }

    exec(): void {}
    close(): void {}
  }
  return { DatabaseSync };
}

const OF_SQLITE = { code: 'ERR_SQLITE_ERROR' };
const installed = moduleThat();
const sources = (builtIn: unknown, other: () => Promise<unknown>): DriverSources => ({
  builtIn: () => builtIn,
  installed: other,
});

describe('the SQLite driver', () => {
  afterEach(() => vi.restoreAllMocks());

  test('is the module that is built in where it has all that is used', async () => {
    const builtIn = moduleThat();
    const driver = await loadDriver(
      sources(builtIn, () => Promise.reject(new Error('must not be asked'))),
    );
    expect(driver.name).toBe('node:sqlite');
    expect(driver.DatabaseSync).toBe(builtIn.DatabaseSync);
  });

  test.each<[string, unknown]>([
    ['is not there', undefined],
    ['has no isTransaction', moduleThat({ isTransaction: true })],
    ['has no setReturnArrays', moduleThat({ setReturnArrays: true })],
    ['does not take a timeout', moduleThat({ timeout: true })],
  ])('is the package where the module that is built in %s', async (_, builtIn) => {
    const driver = await loadDriver(sources(builtIn, () => Promise.resolve(installed)));
    expect(driver.name).toBe('@photostructure/sqlite');
    expect(driver.DatabaseSync).toBe(installed.DatabaseSync);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['is not installed', () => Promise.reject(new Error('Cannot find package'))],
    [
      'has no binary',
      async () => ({
        DatabaseSync: function () {
          throw new Error('No native build was found');
        },
      }),
    ],
    ['lacks something', async () => moduleThat({ timeout: true })],
  ])('that %s, where none is built in, is reported with what to do', async (_, load) => {
    const error: unknown = await loadDriver(sources(undefined, load)).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ fault: 'unavailable', cause: expect.any(Error) });
    expect(String(error)).toContain('npm install @photostructure/sqlite@1');
    expect(String(error)).toContain('Node 22.16');
  });

  test('of this Node is the one that its features call for', async () => {
    const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];
    const isBuiltIn = major >= 24 || (major === 22 && minor >= 16);
    expect((await loadDriver()).name).toBe(isBuiltIn ? 'node:sqlite' : '@photostructure/sqlite');
  });

  test('is loaded without its own warning, and all others are shown', async () => {
    const shown = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const builtIn = (): unknown => {
      process.emitWarning(
        'SQLite is an experimental feature and might change at any time',
        'ExperimentalWarning',
      );
      process.emitWarning('Other is an experimental feature', 'ExperimentalWarning');
      process.emitWarning('SQLite is an experimental feature of ours', 'OtherWarning');
      return moduleThat();
    };
    await loadDriver({ builtIn, installed: () => Promise.reject(new Error()) });
    expect(shown.mock.calls).toEqual([
      ['Other is an experimental feature', 'ExperimentalWarning'],
      ['SQLite is an experimental feature of ours', 'OtherWarning'],
    ]);
    process.emitWarning('later');
    expect(shown).toHaveBeenCalledTimes(3);
  });

  test('says nothing on standard error when a store is opened', () => {
    const store = new URL('../../../stores/sqlite/index.ts', import.meta.url).href;
    const script = `const { openSqliteStore } = await import(${JSON.stringify(store)});
      await (await openSqliteStore({ path: ':memory:' })).close();
      process.emitWarning('mine', 'ExperimentalWarning');`;
    const child = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '--eval', script],
      { encoding: 'utf8', cwd: fileURLToPath(new URL('../../..', import.meta.url)) },
    );
    expect(child.status).toBe(0);
    expect(child.stderr.match(/\w*Warning: .*/g)).toEqual(['ExperimentalWarning: mine']);
  });

  test.each([
    [5, 'busy', '(SQLITE_BUSY)'],
    [5 | (2 << 8), 'busy', '(SQLITE_BUSY)'],
    [10 | (3 << 8), 'failed', '(SQLITE_IOERR)'],
    [11 | (1 << 8), 'corrupt', '(SQLITE_CORRUPT)'],
    [13, 'failed', 'disk is full (SQLITE_FULL)'],
    [19 | (8 << 8), 'failed', '(SQLITE_CONSTRAINT)'],
    [26, 'corrupt', '(SQLITE_NOTADB)'],
    [200, 'failed', '(SQLITE_200)'],
  ])('error %i is %s, with its name', (errcode, fault, words) => {
    const thrown = Object.assign(new Error('a row of somebody'), { ...OF_SQLITE, errcode });
    const error = toStoreError(thrown) as StoreError;
    expect(error).toMatchObject({ fault, cause: thrown });
    expect(error.message).toContain(words);
    expect(error.message).not.toContain('somebody');
  });

  test.each([
    ['database is locked', 'busy', '(SQLITE_BUSY)'],
    ['database disk image is malformed', 'corrupt', '(SQLITE_CORRUPT)'],
    ['something of somebody', 'failed', '(SQLITE_ERROR)'],
  ])('error "%s" without a number is %s', (message, fault, words) => {
    const error = toStoreError(Object.assign(new Error(message), OF_SQLITE)) as StoreError;
    expect(error.fault).toBe(fault);
    expect(error.message).toContain(words);
    expect(error.message).not.toContain('somebody');
  });

  test('errors that are not of SQLite are left as they are', () => {
    const thrown = new TypeError('x');
    expect(toStoreError(thrown)).toBe(thrown);
  });
});
