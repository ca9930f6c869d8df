// Owns the second version of the PostgreSQL store's functions: what does not change costs nothing. A write that leaves
// the index fields as they are touches none, a new entry or log is one statement, and dropped logs go in one pass.

import type { Schema } from './schema-1.ts';
import { KIND } from './schema-1.ts';

/** Rows that are written again and again stay on their page if it has room, and no index learns of it. */
const room = ({ sql: schema }: Schema): string => `
  ALTER TABLE ${schema}.entry SET (fillfactor = 80);
  ALTER TABLE ${schema}.log SET (fillfactor = 80);
`;

/** As the first version, with fewer statements. Telling the listeners is an expression, which needs no query of its own. */
const applyRows = ({ sql: schema, channel }: Schema): string => `
  CREATE OR REPLACE FUNCTION ${schema}.apply_rows(
    p_now bigint, p_from integer, p_to integer, p_kind integer[], p_space bytea[], p_key bytea[],
    p_condition bigint[], p_expires_at bigint[], p_fields text[], p_count integer[], p_value bytea[]
  ) RETURNS bigint[] LANGUAGE plpgsql AS $$
  DECLARE
    v_results bigint[] := '{}';
    v_sequence bigint;
    v_expires_at bigint;
    v_old_fields bytea[];
    v_found bigint;
    v_version bigint;
    v_fields bytea[];
    v_log bigint;
    v_position bigint;
  BEGIN
    FOR i IN p_from..p_to LOOP
      IF p_kind[i] = ${KIND.record} THEN
        INSERT INTO ${schema}.record VALUES (v_log, v_position, p_value[i]);
        v_results := v_results || v_position;
        v_position := v_position + 1;
        CONTINUE;
      END IF;

      IF p_kind[i] = ${KIND.drop} THEN
        DELETE FROM ${schema}.log WHERE name = p_key[i] RETURNING id, length INTO v_log, v_found;
        IF FOUND THEN
          INSERT INTO ${schema}.dropped_log VALUES (v_log);
          IF pg_notify('${channel}', encode(p_key[i], 'hex')) IS NULL THEN END IF;
        END IF;
        v_results := v_results || coalesce(v_found, 0);
        CONTINUE;
      END IF;

      IF p_kind[i] = ${KIND.append} THEN
        v_log := NULL;
        IF p_count[i] > 0 AND p_condition[i] IS DISTINCT FROM 0 THEN
          UPDATE ${schema}.log SET length = length + p_count[i]
            WHERE name = p_key[i] AND length = coalesce(p_condition[i], length)
            RETURNING id, length - p_count[i] INTO v_log, v_position;
        ELSIF p_count[i] > 0 THEN
          INSERT INTO ${schema}.log VALUES (p_key[i], nextval('${schema}.number'), p_count[i])
            ON CONFLICT DO NOTHING RETURNING id, 0 INTO v_log, v_position;
        END IF;
        IF v_log IS NULL THEN
          SELECT length INTO v_position FROM ${schema}.log WHERE name = p_key[i];
          v_position := coalesce(v_position, 0);
          IF p_condition[i] <> v_position THEN
            RETURN v_results || (-1 - v_position);
          END IF;
          IF p_count[i] > 0 THEN
            v_log := nextval('${schema}.number');
            INSERT INTO ${schema}.log VALUES (p_key[i], v_log, p_count[i]);
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
          INSERT INTO ${schema}.entry (space, key, sequence, version, expires_at, fields, value)
            VALUES (p_space[i], p_key[i], v_version, v_version, p_expires_at[i], v_fields, p_value[i])
            ON CONFLICT (space, key) DO NOTHING;
          IF FOUND THEN
            IF cardinality(v_fields) > 0 THEN
              INSERT INTO ${schema}.entry_field
                SELECT p_space[i], field, v_version, p_expires_at[i] FROM unnest(v_fields) AS field;
            END IF;
            v_results := v_results || v_version;
            CONTINUE;
          END IF;
        END IF;
      END IF;

      SELECT sequence, version, expires_at, fields INTO v_sequence, v_found, v_expires_at, v_old_fields
        FROM ${schema}.entry WHERE space = p_space[i] AND key = p_key[i];
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
        UPDATE ${schema}.entry SET version = v_version, value = p_value[i]
          WHERE space = p_space[i] AND key = p_key[i];
        v_results := v_results || v_version;
        CONTINUE;
      END IF;

      IF cardinality(v_old_fields) > 0 THEN
        DELETE FROM ${schema}.entry_field
          WHERE space = p_space[i] AND field = ANY (v_old_fields) AND sequence = v_sequence;
      END IF;
      IF v_sequence IS NOT NULL AND (p_kind[i] = ${KIND.delete} OR v_found = 0) THEN
        DELETE FROM ${schema}.entry WHERE space = p_space[i] AND key = p_key[i];
      END IF;
      IF p_kind[i] = ${KIND.delete} THEN
        v_results := v_results || v_found;
        CONTINUE;
      END IF;

      v_version := nextval('${schema}.number');
      IF v_found = 0 THEN
        v_sequence := v_version;
        INSERT INTO ${schema}.entry (space, key, sequence, version, expires_at, fields, value)
          VALUES (p_space[i], p_key[i], v_version, v_version, p_expires_at[i], v_fields, p_value[i]);
      ELSE
        UPDATE ${schema}.entry
          SET version = v_version, expires_at = p_expires_at[i], fields = v_fields, value = p_value[i]
          WHERE space = p_space[i] AND key = p_key[i];
      END IF;
      IF cardinality(v_fields) > 0 THEN
        INSERT INTO ${schema}.entry_field
          SELECT p_space[i], field, v_sequence, p_expires_at[i] FROM unnest(v_fields) AS field;
      END IF;
      v_results := v_results || v_version;
    END LOOP;
    RETURN v_results;
  END $$;
`;

const purge = ({ sql: schema }: Schema): string => `
  CREATE OR REPLACE FUNCTION ${schema}.purge(p_moment bigint, p_limit integer, OUT removed integer, OUT cleared boolean)
  LANGUAGE plpgsql AS $$
  DECLARE
    v_left integer := p_limit;
    v_log bigint;
    v_records integer;
  BEGIN
    PERFORM ${schema}.lock();
    WITH doomed AS (
      SELECT space, key FROM ${schema}.entry WHERE expires_at <= p_moment ORDER BY expires_at LIMIT p_limit
    ), gone AS (
      DELETE FROM ${schema}.entry AS e USING doomed AS d WHERE e.space = d.space AND e.key = d.key
      RETURNING e.space, e.sequence, e.fields
    ), unindexed AS (
      DELETE FROM ${schema}.entry_field AS f
        USING (SELECT space, sequence, unnest(fields) AS field FROM gone) AS g
        WHERE f.space = g.space AND f.field = g.field AND f.sequence = g.sequence
    )
    SELECT count(*) INTO removed FROM gone;

    FOR v_log IN SELECT id FROM ${schema}.dropped_log ORDER BY id LIMIT p_limit LOOP
      EXIT WHEN v_left <= 0;
      DELETE FROM ${schema}.record WHERE log = v_log
        AND position < (SELECT min(position) FROM ${schema}.record WHERE log = v_log) + v_left;
      GET DIAGNOSTICS v_records = ROW_COUNT;
      IF v_records < v_left THEN
        DELETE FROM ${schema}.dropped_log WHERE id = v_log;
      END IF;
      v_left := v_left - v_records - 1;
    END LOOP;
    cleared := v_left > 0;
  END $$;
`;

export function secondVersion(schema: Schema): string {
  return [room, applyRows, purge].map((part) => part(schema)).join('');
}
