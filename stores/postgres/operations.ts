// Owns how transactions are handed to the server: as rows of parallel arrays, and the results as numbers.

import type { Operation, TransactResult } from '../../src/stores/index.ts';
import type { Statement } from './connections.ts';
import type { Schema } from './schema-1.ts';
import { KIND } from './schema-1.ts';
import { byteaArray, fieldsText, utf8 } from './values.ts';

interface Row {
  readonly kind: number;
  readonly key: Uint8Array;
  readonly space?: Uint8Array;
  readonly condition?: number | undefined;
  readonly expiresAt?: number | undefined;
  readonly fields?: string;
  /** Of records, or what a tally's count changes by. */
  readonly count?: number;
  readonly value?: Uint8Array;
  readonly rank?: number | undefined;
  readonly sum?: number;
  readonly maxSum?: number | undefined;
}

/** Rows that must be sent together: an append and its records. */
type Unit = readonly Row[];

/** One transaction, ready to be sent. */
export interface Job {
  readonly units: readonly Unit[];
  /** At which row each operation starts. */
  readonly starts: readonly number[];
  /** A condition comes after a write. If it fails, the server must undo this job and leave the rest of the group. */
  readonly needsUndo: boolean;
  readonly bytes: number;
}

/** What one message carries at most, if that is more than one value; the server takes less than 1 GiB. */
const MESSAGE_BYTES = 67_108_864;
/** What a row takes beside its value, roughly. */
const ROW_BYTES = 256;
const NO_BYTES = new Uint8Array();

export function jobOf(operations: readonly Operation[]): Job {
  const units: Unit[] = [];
  const starts: number[] = [];
  let rows = 0;
  let bytes = 0;
  let hasWritten = false;
  let needsUndo = false;
  for (const operation of operations) {
    starts.push(rows);
    for (const unit of unitsOf(operation)) {
      const { condition, maxSum } = unit[0]!;
      needsUndo ||= hasWritten && (condition ?? maxSum) !== undefined;
      rows += unit.length;
      bytes += sizeOf(unit);
      units.push(unit);
    }
    hasWritten ||= operation.type !== 'check';
  }
  return { units, starts, needsUndo, bytes };
}

/** Splits the job so that each part fits into one message. There is nearly always only one part. */
export function partsOf(job: Job): Pick<Job, 'units' | 'needsUndo'>[] {
  if (job.bytes <= MESSAGE_BYTES) return [job];
  const parts: Unit[][] = [];
  let room = 0;
  for (const unit of job.units) {
    const size = sizeOf(unit);
    if (parts.length === 0 || size > room) {
      parts.push([]);
      room = MESSAGE_BYTES;
    }
    parts.at(-1)!.push(unit);
    room -= size;
  }
  return parts.map((units) => ({ units, needsUndo: false }));
}

export function writeStatement({ sql }: Schema): Statement {
  return {
    name: 'write',
    text: `SELECT ${sql}.write($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) AS results`,
  };
}

export function writeValues(
  now: number,
  jobs: readonly Pick<Job, 'units' | 'needsUndo'>[],
): unknown[] {
  const rows: Row[] = [];
  const last: number[] = [];
  for (const { units } of jobs) {
    for (const unit of units) for (const row of unit) rows.push(row);
    last.push(rows.length);
  }
  return [
    now,
    last,
    jobs.map(({ needsUndo }) => needsUndo),
    rows.map(({ kind }) => kind),
    byteaArray(rows.map(({ space = null }) => space)),
    byteaArray(rows.map(({ key }) => key)),
    rows.map(({ condition = null }) => condition),
    rows.map(({ expiresAt = null }) => expiresAt),
    rows.map(({ fields = null }) => fields),
    rows.map(({ count = null }) => count),
    byteaArray(rows.map(({ value = null }) => value)),
    rows.map(({ rank = null }) => rank),
    rows.map(({ sum = null }) => sum),
    rows.map(({ maxSum = null }) => maxSum),
  ];
}

/** @param results of the job's rows; below 0 a condition did not hold, null was not run. */
export function resultOf(job: Job, results: readonly (number | null)[]): TransactResult {
  const failed = job.starts.findIndex((start) => results[start]! < 0);
  if (failed >= 0) return { ok: false, failed, found: -1 - results[job.starts[failed]!]! };
  return { ok: true, results: job.starts.map((start) => results[start]!) };
}

export function rowCount({ units }: Pick<Job, 'units'>): number {
  return units.reduce((sum, unit) => sum + unit.length, 0);
}

function unitsOf(operation: Operation): Unit[] {
  switch (operation.type) {
    case 'add':
    case 'put': {
      const { expiresAt, value, rank } = operation;
      const condition = operation.type === 'add' ? 0 : operation.ifVersion;
      const fields = fieldsText(operation.index!);
      return [
        [{ kind: KIND.put, ...nameOf(operation), condition, expiresAt, fields, value, rank }],
      ];
    }
    case 'delete':
    case 'check': {
      return [
        [{ kind: KIND[operation.type], ...nameOf(operation), condition: operation.ifVersion }],
      ];
    }
    case 'drop':
      return [[{ kind: KIND.drop, key: utf8(operation.log) }]];
    case 'tally': {
      const { count, sum, maxCount: condition, maxSum } = operation;
      return [[{ kind: KIND.tally, key: utf8(operation.name), condition, count, sum, maxSum }]];
    }
    default:
      return appendUnits(operation);
  }
}

/** An append that is too long for one message is several; the condition is on the first. */
function appendUnits({ log, values, ifLength }: Extract<Operation, { type: 'append' }>): Unit[] {
  const key = utf8(log);
  const slices: Uint8Array[][] = [[]];
  let room = MESSAGE_BYTES;
  for (const value of values) {
    const size = value.length + ROW_BYTES;
    if (size > room && slices.at(-1)!.length > 0) {
      slices.push([]);
      room = MESSAGE_BYTES;
    }
    slices.at(-1)!.push(value);
    room -= size;
  }
  return slices.map((slice, at) => {
    const condition = at === 0 ? ifLength : undefined;
    const head: Row = { kind: KIND.append, key, condition, count: slice.length };
    return [head].concat(slice.map((value) => ({ kind: KIND.record, key: NO_BYTES, value })));
  });
}

function nameOf({ space, key }: { readonly space: string; readonly key: string }): {
  readonly space: Uint8Array;
  readonly key: Uint8Array;
} {
  return { space: utf8(space), key: utf8(key) };
}

function sizeOf(unit: Unit): number {
  return unit.reduce((sum, { value }) => sum + ROW_BYTES + (value?.length ?? 0), 0);
}
