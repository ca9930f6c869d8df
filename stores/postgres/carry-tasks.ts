// Owns bringing the tasks of schema 2 to what schema 3 has for them: ranks, tallies, the holder in the row. Rows that are no
// JSON stay as they are: they are damaged, and "store check" says so.

import type { Schema } from './schema-1.ts';

/** @param now decides which leases still count. */
export function carryTasks({ sql: schema }: Schema, now: number): string {
  return `
  -- Only numbers are read of a row. Without its escapes it is JSON whatever its texts hold, even NUL, which the server's
  -- own readers refuse.
  CREATE FUNCTION ${schema}.task_numbers(p_value bytea) RETURNS json LANGUAGE plpgsql AS $$
  BEGIN
    RETURN regexp_replace(convert_from(p_value, 'LATIN1'), '\\\\.', '', 'g')::json;
  EXCEPTION WHEN OTHERS THEN
    RETURN NULL;
  END $$;

  CREATE TABLE ${schema}.carried AS
    SELECT e.sequence, (n.numbers ->> 'updatedAt')::bigint AS rank, (n.numbers ->> 'bytes')::bigint AS bytes,
      'phase=ended'::bytea = ANY (e.fields) AS is_ended,
      (SELECT substring(field FROM 7) FROM unnest(e.fields) AS field
        WHERE substring(field FOR 6) = 'owner='::bytea) AS owner
    FROM ${schema}.entries AS e CROSS JOIN LATERAL ${schema}.task_numbers(e.value) AS n (numbers)
    WHERE e.space = 'task' AND n.numbers ->> 'updatedAt' IS NOT NULL;
  DELETE FROM ${schema}.carried WHERE owner IS NULL;

  UPDATE ${schema}.entries AS e SET
    rank = c.rank,
    -- Whoever wrote with the version before writes no more.
    version = nextval('${schema}.number'),
    fields = CASE WHEN c.is_ended THEN e.fields || ('ended='::bytea || c.owner) ELSE e.fields END,
    -- Behind the last member, so that all others stay as they were written, byte for byte.
    value = coalesce((
      SELECT substring(e.value FOR octet_length(e.value) - 1) || convert_to(',"holder":{"name":'
          || to_json(convert_from(lease.value, 'UTF8'))::text || ',"until":' || lease.expires_at || '}}', 'UTF8')
        FROM ${schema}.entries AS lease
        WHERE lease.space = 'task-lease' AND lease.key = e.key AND lease.expires_at > ${now}
    ), e.value)
    FROM ${schema}.carried AS c WHERE e.space = 'task' AND e.sequence = c.sequence;

  UPDATE ${schema}.entry_fields AS f SET rank = c.rank
    FROM ${schema}.carried AS c WHERE f.space = 'task' AND f.sequence = c.sequence;
  INSERT INTO ${schema}.entry_fields
    SELECT e.space, 'ended='::bytea || c.owner, e.sequence, e.expires_at, c.rank
    FROM ${schema}.carried AS c JOIN ${schema}.entries AS e ON e.space = 'task' AND e.sequence = c.sequence WHERE c.is_ended;

  INSERT INTO ${schema}.tallies SELECT 'tasks', count(*), coalesce(sum(bytes), 0) FROM ${schema}.carried HAVING count(*) > 0;
  INSERT INTO ${schema}.tallies
    SELECT 'tasks/owner/'::bytea || owner, count(*), coalesce(sum(bytes), 0) FROM ${schema}.carried GROUP BY owner;

  DELETE FROM ${schema}.entry_fields WHERE space IN ('task-end', 'task-lease');
  DELETE FROM ${schema}.entries WHERE space IN ('task-end', 'task-lease');
  DROP FUNCTION ${schema}.task_numbers;
  DROP TABLE ${schema}.carried;
  `;
}
