// Owns bringing the tasks of schema 1 to what schema 2 has for them: ranks, tallies, the holder in the row. Rows that are no
// JSON stay as they are: they are damaged, and "store check" says so.

/** @param now decides which leases still count. */
export function carryTasks(now: number): string {
  return `
  UPDATE entries SET
    rank = json_extract(CAST(value AS TEXT), '$.updatedAt'),
    -- Numbers that nothing has, one for each row: whoever wrote with the version before writes no more.
    version = sequence + (SELECT sequence FROM counter),
    fields = CASE json_extract(fields, '$.phase') WHEN 'ended'
      THEN json_set(fields, '$.ended', json_extract(fields, '$.owner')) ELSE fields END,
    value = coalesce((
      SELECT CAST(json_set(CAST(entries.value AS TEXT), '$.holder',
          json_object('name', CAST(lease.value AS TEXT), 'until', lease.expires_at)) AS BLOB)
        FROM entries AS lease
        WHERE lease.space = CAST('task-lease' AS BLOB) AND lease.key = entries.key AND lease.expires_at > ${now}
    ), value)
    WHERE space = CAST('task' AS BLOB) AND json_extract(fields, '$.owner') IS NOT NULL
      AND CASE WHEN json_valid(CAST(value AS TEXT)) THEN json_extract(CAST(value AS TEXT), '$.updatedAt') END IS NOT NULL;
  UPDATE counter SET sequence = 2 * sequence;

  UPDATE entry_fields SET rank = (SELECT rank FROM entries AS e WHERE e.sequence = entry_fields.sequence)
    WHERE space = CAST('task' AS BLOB);
  INSERT INTO entry_fields (space, name, value, sequence, expires_at, rank)
    SELECT space, 'ended', CAST(json_extract(fields, '$.ended') AS BLOB), sequence, expires_at, rank FROM entries
    WHERE space = CAST('task' AS BLOB) AND json_extract(fields, '$.ended') IS NOT NULL;

  INSERT INTO tallies
    SELECT CAST('tasks' AS BLOB), count(*), coalesce(sum(json_extract(CAST(value AS TEXT), '$.bytes')), 0) FROM entries
    WHERE space = CAST('task' AS BLOB) AND rank IS NOT NULL HAVING count(*) > 0;
  INSERT INTO tallies
    SELECT CAST('tasks/owner/' || json_extract(fields, '$.owner') AS BLOB), count(*),
      coalesce(sum(json_extract(CAST(value AS TEXT), '$.bytes')), 0) FROM entries
    WHERE space = CAST('task' AS BLOB) AND rank IS NOT NULL GROUP BY 1;

  DELETE FROM entry_fields WHERE space IN (CAST('task-end' AS BLOB), CAST('task-lease' AS BLOB));
  DELETE FROM entries WHERE space IN (CAST('task-end' AS BLOB), CAST('task-lease' AS BLOB));
  `;
}
