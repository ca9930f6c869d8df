// Owns the third version of the PostgreSQL store: ranks, by which entries are listed too, and tallies.
//
// All that an earlier version reads and writes gets another name here. So a node of that version that still runs gets an
// error at its next statement; its rows would have no ranks, and what it counts would be in no tally.

import { carryTasks } from './carry-tasks.ts';
import type { Schema } from './schema-1.ts';
import { KIND, LOCK_CLASS } from './schema-1.ts';

/** The one lock of the store first: who is writing ends before, and who waits finds nothing that it knows. */
const renamed = ({ sql: schema }: Schema): string => `
  SELECT ${schema}.lock();
  LOCK TABLE ${schema}.entry, ${schema}.entry_field, ${schema}.log, ${schema}.record, ${schema}.dropped_log;
  DROP FUNCTION ${schema}.apply, ${schema}.apply_rows, ${schema}.purge;
  ALTER TABLE ${schema}.entry RENAME TO entries;
  ALTER TABLE ${schema}.entry_field RENAME TO entry_fields;
  ALTER TABLE ${schema}.log RENAME TO logs;
  ALTER TABLE ${schema}.record RENAME TO records;
  ALTER TABLE ${schema}.dropped_log RENAME TO dropped_logs;
`;

/** A table keeps its number when it is renamed, so this is the same lock as before. */
const lock = ({ sql: schema }: Schema): string => `
  CREATE OR REPLACE FUNCTION ${schema}.lock() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(${LOCK_CLASS}, '${schema}.entries'::regclass::oid::integer);
  END $$;
`;

/** A tally is written again and again: most of a page is room for that. */
const tables = ({ sql: schema }: Schema): string => `
  ALTER TABLE ${schema}.entries ADD COLUMN rank bigint;
  CREATE INDEX entries_by_rank ON ${schema}.entries (space, rank, sequence) INCLUDE (expires_at)
    WHERE rank IS NOT NULL;
  ALTER TABLE ${schema}.entry_fields ADD COLUMN rank bigint;
  CREATE INDEX entry_fields_by_rank ON ${schema}.entry_fields (space, field, rank, sequence) INCLUDE (expires_at)
    WHERE rank IS NOT NULL;

  CREATE TABLE ${schema}.tallies (
    name bytea PRIMARY KEY,
    count bigint NOT NULL,
    sum bigint NOT NULL
  ) WITH (fillfactor = 20);
`;

/**
 * As the second version, with ranks and tallies. Tallies need no order of their own against deadlocks: whoever writes
 * holds the one lock of the store.
 */
const writeRows = ({ sql: schema, channel }: Schema): string => `
  CREATE FUNCTION ${schema}.write_rows(
    p_now bigint, p_from integer, p_to integer, p_kind integer[], p_space bytea[], p_key bytea[],
    p_condition bigint[], p_expires_at bigint[], p_fields text[], p_count bigint[], p_value bytea[],
    p_rank bigint[], p_sum bigint[], p_max_sum bigint[]
  ) RETURNS bigint[] LANGUAGE plpgsql AS $$
  DECLARE
    v_results bigint[] := '{}';
    v_sequence bigint;
    v_expires_at bigint;
    v_old_fields bytea[];
    v_old_rank bigint;
    v_found bigint;
    v_version bigint;
    v_fields bytea[];
    v_log bigint;
    v_position bigint;
    v_sum bigint;
  BEGIN
    FOR i IN p_from..p_to LOOP
      IF p_kind[i] = ${KIND.record} THEN
        INSERT INTO ${schema}.records VALUES (v_log, v_position, p_value[i]);
        v_results := v_results || v_position;
        v_position := v_position + 1;
        CONTINUE;
      END IF;

      IF p_kind[i] = ${KIND.drop} THEN
        DELETE FROM ${schema}.logs WHERE name = p_key[i] RETURNING id, length INTO v_log, v_found;
        IF FOUND THEN
          INSERT INTO ${schema}.dropped_logs VALUES (v_log);
          IF pg_notify('${channel}', encode(p_key[i], 'hex')) IS NULL THEN END IF;
        END IF;
        v_results := v_results || coalesce(v_found, 0);
        CONTINUE;
      END IF;

      IF p_kind[i] = ${KIND.tally} THEN
        SELECT count, sum INTO v_found, v_sum FROM ${schema}.tallies WHERE name = p_key[i];
        v_found := coalesce(v_found, 0);
        v_sum := coalesce(v_sum, 0);
        IF (p_count[i] > 0 AND v_found + p_count[i] > p_condition[i])
            OR (p_sum[i] > 0 AND v_sum + p_sum[i] > p_max_sum[i]) THEN
          RETURN v_results || (-1 - v_found);
        END IF;
        v_found := least(greatest(0, v_found + p_count[i]), ${Number.MAX_SAFE_INTEGER});
        v_sum := least(greatest(0, v_sum + p_sum[i]), ${Number.MAX_SAFE_INTEGER});
        IF v_found = 0 AND v_sum = 0 THEN
          DELETE FROM ${schema}.tallies WHERE name = p_key[i];
        ELSE
          INSERT INTO ${schema}.tallies VALUES (p_key[i], v_found, v_sum)
            ON CONFLICT (name) DO UPDATE SET count = EXCLUDED.count, sum = EXCLUDED.sum;
        END IF;
        v_results := v_results || v_found;
        CONTINUE;
      END IF;

      IF p_kind[i] = ${KIND.append} THEN
        v_log := NULL;
        IF p_count[i] > 0 AND p_condition[i] IS DISTINCT FROM 0 THEN
          UPDATE ${schema}.logs SET length = length + p_count[i]
            WHERE name = p_key[i] AND length = coalesce(p_condition[i], length)
            RETURNING id, length - p_count[i] INTO v_log, v_position;
        ELSIF p_count[i] > 0 THEN
          INSERT INTO ${schema}.logs VALUES (p_key[i], nextval('${schema}.number'), p_count[i])
            ON CONFLICT DO NOTHING RETURNING id, 0 INTO v_log, v_position;
        END IF;
        IF v_log IS NULL THEN
          SELECT length INTO v_position FROM ${schema}.logs WHERE name = p_key[i];
          v_position := coalesce(v_position, 0);
          IF p_condition[i] <> v_position THEN
            RETURN v_results || (-1 - v_position);
          END IF;
          IF p_count[i] > 0 THEN
            v_log := nextval('${schema}.number');
            INSERT INTO ${schema}.logs VALUES (p_key[i], v_log, p_count[i]);
          END IF;
        END IF;
        IF p_count[i] > 0 THEN
          IF pg_notify('${channel}', encode(p_key[i], 'hex')) IS NULL THEN END IF;
        END IF;
        v_results := v_results || v_position;
        CONTINUE;
      END IF;

      IF p_kind[i] = ${KIND.put} THEN
        v_fields := p_fields[i]::bytea[];
        IF p_condition[i] = 0 THEN
          v_version := nextval('${schema}.number');
          INSERT INTO ${schema}.entries (space, key, sequence, version, expires_at, fields, value, rank)
            VALUES (p_space[i], p_key[i], v_version, v_version, p_expires_at[i], v_fields, p_value[i], p_rank[i])
            ON CONFLICT (space, key) DO NOTHING;
          IF FOUND THEN
            IF cardinality(v_fields) > 0 THEN
              INSERT INTO ${schema}.entry_fields
                SELECT p_space[i], field, v_version, p_expires_at[i], p_rank[i] FROM unnest(v_fields) AS field;
            END IF;
            v_results := v_results || v_version;
            CONTINUE;
          END IF;
        END IF;
      END IF;

      SELECT sequence, version, expires_at, fields, rank
        INTO v_sequence, v_found, v_expires_at, v_old_fields, v_old_rank
        FROM ${schema}.entries WHERE space = p_space[i] AND key = p_key[i];
      v_found := CASE WHEN v_expires_at <= p_now THEN 0 ELSE coalesce(v_found, 0) END;
      IF p_condition[i] <> v_found THEN
        RETURN v_results || (-1 - v_found);
      END IF;
      IF p_kind[i] = ${KIND.check} OR (p_kind[i] = ${KIND.delete} AND v_found = 0) THEN
        v_results := v_results || v_found;
        CONTINUE;
      END IF;

      IF p_kind[i] = ${KIND.put} AND v_found <> 0 AND v_fields = v_old_fields
          AND v_expires_at IS NOT DISTINCT FROM p_expires_at[i] THEN
        v_version := nextval('${schema}.number');
        IF v_old_rank IS NOT DISTINCT FROM p_rank[i] THEN
          UPDATE ${schema}.entries SET version = v_version, value = p_value[i]
            WHERE space = p_space[i] AND key = p_key[i];
        ELSE
          UPDATE ${schema}.entries SET version = v_version, value = p_value[i], rank = p_rank[i]
            WHERE space = p_space[i] AND key = p_key[i];
          IF cardinality(v_fields) > 0 THEN
            UPDATE ${schema}.entry_fields SET rank = p_rank[i]
              WHERE space = p_space[i] AND field = ANY (v_fields) AND sequence = v_sequence;
          END IF;
        END IF;
        v_results := v_results || v_version;
        CONTINUE;
      END IF;

      IF cardinality(v_old_fields) > 0 THEN
        DELETE FROM ${schema}.entry_fields
          WHERE space = p_space[i] AND field = ANY (v_old_fields) AND sequence = v_sequence;
      END IF;
      IF v_sequence IS NOT NULL AND (p_kind[i] = ${KIND.delete} OR v_found = 0) THEN
        DELETE FROM ${schema}.entries WHERE space = p_space[i] AND key = p_key[i];
      END IF;
      IF p_kind[i] = ${KIND.delete} THEN
        v_results := v_results || v_found;
        CONTINUE;
      END IF;

      v_version := nextval('${schema}.number');
      IF v_found = 0 THEN
        v_sequence := v_version;
        INSERT INTO ${schema}.entries (space, key, sequence, version, expires_at, fields, value, rank)
          VALUES (p_space[i], p_key[i], v_version, v_version, p_expires_at[i], v_fields, p_value[i], p_rank[i]);
      ELSE
        UPDATE ${schema}.entries
          SET version = v_version, expires_at = p_expires_at[i], fields = v_fields, value = p_value[i], rank = p_rank[i]
          WHERE space = p_space[i] AND key = p_key[i];
      END IF;
      IF cardinality(v_fields) > 0 THEN
        INSERT INTO ${schema}.entry_fields
          SELECT p_space[i], field, v_sequence, p_expires_at[i], p_rank[i] FROM unnest(v_fields) AS field;
      END IF;
      v_results := v_results || v_version;
    END LOOP;
    RETURN v_results;
  END $$;
`;

/** Jobs are ranges of rows. A job that can fail after a write is undone alone, and the other jobs go on. */
const write = ({ sql: schema }: Schema): string => `
  CREATE FUNCTION ${schema}.write(
    p_now bigint, p_last integer[], p_undo boolean[], p_kind integer[], p_space bytea[], p_key bytea[],
    p_condition bigint[], p_expires_at bigint[], p_fields text[], p_count bigint[], p_value bytea[],
    p_rank bigint[], p_sum bigint[], p_max_sum bigint[]
  ) RETURNS bigint[] LANGUAGE plpgsql AS $$
  DECLARE
    v_all bigint[] := array_fill(NULL::bigint, ARRAY[cardinality(p_kind)]);
    v_results bigint[];
    v_from integer := 1;
  BEGIN
    PERFORM ${schema}.lock();
    FOR j IN 1..cardinality(p_last) LOOP
      IF p_undo[j] THEN
        BEGIN
          v_results := ${schema}.write_rows(p_now, v_from, p_last[j], p_kind, p_space, p_key,
            p_condition, p_expires_at, p_fields, p_count, p_value, p_rank, p_sum, p_max_sum);
          IF v_results[cardinality(v_results)] < 0 THEN
            RAISE EXCEPTION USING ERRCODE = 'A2A00';
          END IF;
        EXCEPTION WHEN SQLSTATE 'A2A00' THEN
          NULL;
        END;
      ELSE
        v_results := ${schema}.write_rows(p_now, v_from, p_last[j], p_kind, p_space, p_key,
          p_condition, p_expires_at, p_fields, p_count, p_value, p_rank, p_sum, p_max_sum);
      END IF;
      FOR k IN 1..cardinality(v_results) LOOP
        v_all[v_from + k - 1] := v_results[k];
      END LOOP;
      v_from := p_last[j] + 1;
    END LOOP;
    RETURN v_all;
  END $$;
`;

const sweep = ({ sql: schema }: Schema): string => `
  CREATE FUNCTION ${schema}.sweep(p_moment bigint, p_limit integer, OUT removed integer, OUT cleared boolean)
  LANGUAGE plpgsql AS $$
  DECLARE
    v_left integer := p_limit;
    v_log bigint;
    v_records integer;
  BEGIN
    PERFORM ${schema}.lock();
    WITH doomed AS (
      SELECT space, key FROM ${schema}.entries WHERE expires_at <= p_moment ORDER BY expires_at LIMIT p_limit
    ), gone AS (
      DELETE FROM ${schema}.entries AS e USING doomed AS d WHERE e.space = d.space AND e.key = d.key
      RETURNING e.space, e.sequence, e.fields
    ), unindexed AS (
      DELETE FROM ${schema}.entry_fields AS f
        USING (SELECT space, sequence, unnest(fields) AS field FROM gone) AS g
        WHERE f.space = g.space AND f.field = g.field AND f.sequence = g.sequence
    )
    SELECT count(*) INTO removed FROM gone;

    FOR v_log IN SELECT id FROM ${schema}.dropped_logs ORDER BY id LIMIT p_limit LOOP
      EXIT WHEN v_left <= 0;
      DELETE FROM ${schema}.records WHERE log = v_log
        AND position < (SELECT min(position) FROM ${schema}.records WHERE log = v_log) + v_left;
      GET DIAGNOSTICS v_records = ROW_COUNT;
      IF v_records < v_left THEN
        DELETE FROM ${schema}.dropped_logs WHERE id = v_log;
      END IF;
      v_left := v_left - v_records - 1;
    END LOOP;
    cleared := v_left > 0;
  END $$;
`;

export function thirdVersion(schema: Schema, now: number): string {
  const parts = [renamed, lock, tables, writeRows, write, sweep].map((part) => part(schema));
  return [...parts, carryTasks(schema, now)].join('');
}
