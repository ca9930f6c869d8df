// Owns the stores that agents of the dialect suite keep their tasks in: each opens connections of its own to one place,
// as nodes do, and one of them can be cut off as by the end of its process.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { Store } from '../../../src/stores/store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { openSqliteStore } from '../../../stores/sqlite/index.ts';
import { temporaryFolder } from '../stores/sqlite.ts';

/** Where the nodes of one agent keep things. */
export interface Place {
  /** A node's own way to it. */
  connect(): Promise<Store>;
}

export interface StoreKind {
  readonly name: string;
  newPlace(): Place;
}

export const MEMORY: StoreKind = {
  name: 'memory',
  newPlace: () => {
    const store = createMemoryStore();
    return { connect: async () => store };
  },
};

export function sqlite(): StoreKind {
  const folder = temporaryFolder();
  return {
    name: 'SQLite',
    newPlace: () => {
      const path = join(folder, `${randomUUID()}.db`);
      return { connect: () => openSqliteStore({ path, pollIntervalMs: 5 }) };
    },
  };
}

export interface CuttableStore extends Store {
  /** From now on every call fails, and what watched is told nothing more. */
  cut(): void;
  /** Called when a transaction was stored, before anybody is told of it. */
  onStored: () => void;
}

/** The store until it is cut off. */
export function cuttable(store: Store): CuttableStore {
  let isCut = false;
  const own = { cut: () => void (isCut = true), onStored: () => undefined as void };
  const gone = (): StoreError => new StoreError('closed', 'the process has ended');
  return new Proxy(store, {
    get(target, name) {
      if (name in own) return own[name as keyof typeof own];
      const method = Reflect.get(target, name, target) as unknown;
      if (typeof method !== 'function') return method;
      return (...given: unknown[]): unknown => {
        if (name === 'watch') return isCut ? nothing() : Reflect.apply(method, target, given);
        if (isCut) return Promise.reject(gone());
        const result = Reflect.apply(method, target, given) as Promise<unknown>;
        if (name !== 'transact') return result;
        return result.then((value) => {
          own.onStored();
          if (isCut) throw gone();
          return value;
        });
      };
    },
    set(_target, name, value) {
      (own as Record<string | symbol, unknown>)[name] = value;
      return true;
    },
  }) as CuttableStore;
}

async function* nothing(): AsyncGenerator<never> {
  // A process that has ended tells nothing.
}
