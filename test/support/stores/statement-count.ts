// Counts what the drivers of SQLite and PostgreSQL are asked to run in this process.

import { Client } from 'pg';

import type { SqlValue, Statement } from '../../../stores/sqlite/driver.ts';
import { loadDriver } from '../../../stores/sqlite/driver.ts';

/** How many statements the drivers were asked to run so far, by stores that are opened from now on. */
export async function countStatements(): Promise<() => number> {
  let count = 0;
  const add = (): void => void (count += 1);
  await countSqlite(add);
  const query = Reflect.get(Client.prototype, 'query') as (...args: unknown[]) => unknown;
  Reflect.set(Client.prototype, 'query', function counted(this: unknown, ...args: unknown[]) {
    add();
    return query.apply(this, args);
  });
  return () => count;
}

/** The classes of the drivers cannot be changed, so another one takes the place of the module that is built in. */
async function countSqlite(add: () => void): Promise<void> {
  const driver = await loadDriver().catch(() => undefined);
  if (driver === undefined) return;
  const { DatabaseSync } = driver;
  const counting = class extends DatabaseSync {
    override prepare(sql: string): Statement {
      return countedStatement(super.prepare(sql), add);
    }
  };
  const builtIn = process.getBuiltinModule.bind(process);
  process.getBuiltinModule = (name: string) =>
    name === 'node:sqlite' ? { DatabaseSync: counting } : builtIn(name as 'fs');
}

function countedStatement(statement: Statement, add: () => void): Statement {
  const counted =
    <T>(run: (values: readonly SqlValue[]) => T) =>
    (...values: readonly SqlValue[]): T => {
      add();
      return run(values);
    };
  return {
    run: counted((values) => statement.run(...values)),
    get: counted((values) => statement.get(...values)),
    all: counted((values) => statement.all(...values)),
    iterate: counted((values) => statement.iterate(...values)),
    setReturnArrays: (isEnabled) => statement.setReturnArrays(isEnabled),
  };
}
