// Counts what the drivers of SQLite and PostgreSQL are asked to run in this process.

import { Client } from 'pg';

import { loadDriver } from '../../../stores/sqlite/driver.ts';

/** How many statements the drivers were asked to run so far. */
export async function countStatements(): Promise<() => number> {
  let count = 0;
  const counting = (prototype: object, method: string): void => {
    const original = Reflect.get(prototype, method) as (...args: unknown[]) => unknown;
    Reflect.set(prototype, method, function counted(this: unknown, ...args: unknown[]) {
      count += 1;
      return original.apply(this, args);
    });
  };
  const driver = await loadDriver().catch(() => undefined);
  if (driver !== undefined) {
    const statement = new driver.DatabaseSync(':memory:').prepare('SELECT 1');
    for (const method of ['get', 'all', 'iterate', 'run']) {
      counting(Object.getPrototypeOf(statement) as object, method);
    }
  }
  counting(Client.prototype, 'query');
  return () => count;
}
