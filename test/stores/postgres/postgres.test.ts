// The PostgreSQL store against the rules of all stores.

import { describe } from 'vitest';

import { openPostgresStore } from '../../../stores/postgres/index.ts';
import { storeCompliance } from '../../compliance/store/store.ts';
import { schemaAt, server } from '../../support/stores/postgres.ts';

describe.skipIf(server === undefined)('PostgreSQL', () => {
  storeCompliance('the PostgreSQL store', {
    isShared: true,
    open: (place, now) =>
      openPostgresStore({
        connection: server!.url,
        schema: schemaAt(place),
        now,
        pollIntervalMs: 5,
      }),
    // The second record fails when the first is already written.
    sabotage: async (place) => {
      const schema = schemaAt(place);
      await server!.run(`
        CREATE FUNCTION ${schema}.sabotage() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'sabotage'; END $$;
        CREATE FUNCTION ${schema}.is_broken(id bigint) RETURNS boolean LANGUAGE sql
          AS $$ SELECT EXISTS (SELECT FROM ${schema}.logs AS l WHERE l.id = $1 AND l.name = 'broken') $$;
        CREATE TRIGGER sabotage BEFORE INSERT ON ${schema}.records FOR EACH ROW
          WHEN (NEW.position = 1 AND ${schema}.is_broken(NEW.log)) EXECUTE FUNCTION ${schema}.sabotage()`);
    },
  });
});
