// Owns the tables and functions of the PostgreSQL store in their first version.
//
// Every writing transaction first takes the one lock of the store and keeps it until it has become visible.
// So numbers and positions become visible in the order in which they were given: no reader can miss one that becomes
// visible later, and nothing can deadlock. A group of writes is one call, so no lock is held during a network wait.

/** What a row of a write asks for. `add` is a put on condition that there is nothing; `tally` came with version 3. */
export const KIND = {
  put: 0,
  delete: 1,
  check: 2,
  append: 3,
  record: 4,
  drop: 5,
  tally: 6,
} as const;

/** The names of locks and channels are shared with other programs in the database. */
export const LOCK_CLASS = 0x61326173;

/** Where everything of one store lives. */
export interface Schema {
  readonly name: string;
  /** The name as SQL writes it. */
  readonly sql: string;
  readonly channel: string;
}

/** @param name lower case, digits and underscores, so that nothing in it needs an escape. */
export function schemaOf(name = 'a2a_sdl'): Schema {
  if (!/^(?!pg_)[a-z_][a-z0-9_]{0,47}$/.test(name)) {
    throw new TypeError('"schema" expected at most 48 of a-z, 0-9 and _, not starting with pg_');
  }
  return { name, sql: `"${name}"`, channel: `a2a_sdl.${name}` };
}

/**
 * `entry_field` repeats the expiry so that counting never touches the entries themselves.
 * Values are mostly ciphertext: EXTERNAL does not try to compress them, and reads a part without the rest.
 */
const tables = ({ sql: schema }: Schema): string => `
  CREATE SEQUENCE ${schema}.number;

  CREATE TABLE ${schema}.entry (
    space bytea NOT NULL,
    key bytea NOT NULL,
    sequence bigint NOT NULL,
    version bigint NOT NULL,
    expires_at bigint,
    fields bytea[] NOT NULL,
    value bytea NOT NULL,
    PRIMARY KEY (space, key)
  );
  ALTER TABLE ${schema}.entry ALTER COLUMN value SET STORAGE EXTERNAL;
  CREATE UNIQUE INDEX entry_by_sequence ON ${schema}.entry (space, sequence) INCLUDE (expires_at);
  CREATE INDEX entry_by_expiry ON ${schema}.entry (expires_at) WHERE expires_at IS NOT NULL;

  CREATE TABLE ${schema}.entry_field (
    space bytea NOT NULL,
    field bytea NOT NULL,
    sequence bigint NOT NULL,
    expires_at bigint,
    PRIMARY KEY (space, field, sequence) INCLUDE (expires_at)
  );

  CREATE TABLE ${schema}.log (
    name bytea PRIMARY KEY,
    id bigint NOT NULL,
    length bigint NOT NULL
  );
  CREATE TABLE ${schema}.record (
    log bigint NOT NULL,
    position bigint NOT NULL,
    value bytea NOT NULL,
    PRIMARY KEY (log, position)
  );
  ALTER TABLE ${schema}.record ALTER COLUMN value SET STORAGE EXTERNAL;
  CREATE TABLE ${schema}.dropped_log (id bigint PRIMARY KEY);
`;

const lock = ({ sql: schema }: Schema): string => `
  CREATE FUNCTION ${schema}.lock() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(${LOCK_CLASS}, '${schema}.entry'::regclass::oid::integer);
  END $$;
`;

/** One row each; a result below 0 says that the condition did not hold and what was there: -1 - found. */
const applyRows = ({ sql: schema, channel }: Schema): string => `
  CREATE FUNCTION ${schema}.apply_rows(
    p_now bigint, p_from integer, p_to integer, p_kind integer[], p_space bytea[], p_key bytea[],
    p_condition bigint[], p_expires_at bigint[], p_fields text[], p_count integer[], p_value bytea[]
  ) RETURNS bigint[] LANGUAGE plpgsql AS $$
  DECLARE
    v_results bigint[] := '{}';
    v_head record;
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
          PERFORM pg_notify('${channel}', encode(p_key[i], 'hex'));
        END IF;
        v_results := v_results || coalesce(v_found, 0);
        CONTINUE;
      END IF;

      IF p_kind[i] = ${KIND.append} THEN
        SELECT id, length INTO v_log, v_position FROM ${schema}.log WHERE name = p_key[i];
        v_position := coalesce(v_position, 0);
        IF p_condition[i] <> v_position THEN
          RETURN v_results || (-1 - v_position);
        END IF;
        IF p_count[i] > 0 THEN
          IF v_log IS NULL THEN
            v_log := nextval('${schema}.number');
            INSERT INTO ${schema}.log VALUES (p_key[i], v_log, p_count[i]);
          ELSE
            UPDATE ${schema}.log SET length = v_position + p_count[i] WHERE name = p_key[i];
          END IF;
          PERFORM pg_notify('${channel}', encode(p_key[i], 'hex'));
        END IF;
        v_results := v_results || v_position;
        CONTINUE;
      END IF;

      SELECT sequence, version, expires_at, fields INTO v_head
        FROM ${schema}.entry WHERE space = p_space[i] AND key = p_key[i];
      v_found := CASE WHEN v_head.expires_at <= p_now THEN 0 ELSE coalesce(v_head.version, 0) END;
      IF p_condition[i] <> v_found THEN
        RETURN v_results || (-1 - v_found);
      END IF;
      IF p_kind[i] = ${KIND.check} OR (p_kind[i] = ${KIND.delete} AND v_found = 0) THEN
        v_results := v_results || v_found;
        CONTINUE;
      END IF;

      IF cardinality(v_head.fields) > 0 THEN
        DELETE FROM ${schema}.entry_field
          WHERE space = p_space[i] AND field = ANY (v_head.fields) AND sequence = v_head.sequence;
      END IF;
      IF v_head.sequence IS NOT NULL AND (p_kind[i] = ${KIND.delete} OR v_found = 0) THEN
        DELETE FROM ${schema}.entry WHERE space = p_space[i] AND key = p_key[i];
      END IF;
      IF p_kind[i] = ${KIND.delete} THEN
        v_results := v_results || v_found;
        CONTINUE;
      END IF;

      v_version := nextval('${schema}.number');
      v_fields := p_fields[i]::bytea[];
      IF v_found = 0 THEN
        v_head.sequence := v_version;
        INSERT INTO ${schema}.entry (space, key, sequence, version, expires_at, fields, value)
          VALUES (p_space[i], p_key[i], v_version, v_version, p_expires_at[i], v_fields, p_value[i]);
      ELSE
        UPDATE ${schema}.entry
          SET version = v_version, expires_at = p_expires_at[i], fields = v_fields, value = p_value[i]
          WHERE space = p_space[i] AND key = p_key[i];
      END IF;
      INSERT INTO ${schema}.entry_field
        SELECT p_space[i], field, v_head.sequence, p_expires_at[i] FROM unnest(v_fields) AS field;
      v_results := v_results || v_version;
    END LOOP;
    RETURN v_results;
  END $$;
`;

/** Jobs are ranges of rows. A job that can fail after a write is undone alone, and the other jobs go on. */
const apply = ({ sql: schema }: Schema): string => `
  CREATE FUNCTION ${schema}.apply(
    p_now bigint, p_last integer[], p_undo boolean[], p_kind integer[], p_space bytea[], p_key bytea[],
    p_condition bigint[], p_expires_at bigint[], p_fields text[], p_count integer[], p_value bytea[]
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
          v_results := ${schema}.apply_rows(p_now, v_from, p_last[j], p_kind, p_space, p_key,
            p_condition, p_expires_at, p_fields, p_count, p_value);
          IF v_results[cardinality(v_results)] < 0 THEN
            RAISE EXCEPTION USING ERRCODE = 'A2A00';
          END IF;
        EXCEPTION WHEN SQLSTATE 'A2A00' THEN
          NULL;
        END;
      ELSE
        v_results := ${schema}.apply_rows(p_now, v_from, p_last[j], p_kind, p_space, p_key,
          p_condition, p_expires_at, p_fields, p_count, p_value);
      END IF;
      FOR k IN 1..cardinality(v_results) LOOP
        v_all[v_from + k - 1] := v_results[k];
      END LOOP;
      v_from := p_last[j] + 1;
    END LOOP;
    RETURN v_all;
  END $$;
`;

const purge = ({ sql: schema }: Schema): string => `
  CREATE FUNCTION ${schema}.purge(p_moment bigint, p_limit integer, OUT removed integer, OUT cleared boolean)
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

    cleared := false;
    WHILE v_left > 0 LOOP
      SELECT id INTO v_log FROM ${schema}.dropped_log LIMIT 1;
      IF NOT FOUND THEN
        cleared := true;
        EXIT;
      END IF;
      DELETE FROM ${schema}.record WHERE log = v_log AND position IN (
        SELECT position FROM ${schema}.record WHERE log = v_log ORDER BY position LIMIT v_left
      );
      GET DIAGNOSTICS v_records = ROW_COUNT;
      IF v_records < v_left THEN
        DELETE FROM ${schema}.dropped_log WHERE id = v_log;
      END IF;
      v_left := v_left - v_records - 1;
    END LOOP;
  END $$;
`;

export function firstVersion(schema: Schema): string {
  return [tables, lock, applyRows, apply, purge].map((part) => part(schema)).join('');
}
