// Owns how rows with values come from PostgreSQL. A long value comes in parts: as text it would be longer than a JavaScript
// string can be. Rows are put in order here, because the server would have to hold all of the values to do it.

const PART_BYTES = 1_048_576;

/** Makes a row for each part of a `value` of this `size`. */
export const PARTS: string = `generate_series(0, (size - 1) / ${PART_BYTES}) AS part`;
export const PART: string = `substr(value, part * ${PART_BYTES} + 1, ${PART_BYTES}) AS value`;

export interface Part {
  readonly part: number;
  readonly value: Uint8Array;
}

export function live(column: string, now: string): string {
  return `(${column} IS NULL OR ${column} > ${now})`;
}

/** Bytes of the values that come earlier: a page goes on until they are too many, so it is never empty. */
export function bytesBefore(order: string): string {
  return `sum(octet_length(value)) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - octet_length(value)`;
}

/** The parts of the same thing together, things in ascending order. */
export function grouped<Row>(
  rows: readonly Row[],
  numberOf: (row: Row) => number,
): [Row, ...Row[]][] {
  const groups = new Map<number, [Row, ...Row[]]>();
  for (const row of rows) {
    const group = groups.get(numberOf(row));
    if (group === undefined) groups.set(numberOf(row), [row]);
    else group.push(row);
  }
  return [...groups.values()].sort(([a], [b]) => numberOf(a) - numberOf(b));
}

export function joined(parts: readonly Part[]): Uint8Array {
  if (parts.length === 1) return parts[0]!.value;
  const bytes = new Uint8Array(parts.reduce((sum, { value }) => sum + value.length, 0));
  for (const { part, value } of parts) bytes.set(value, part * PART_BYTES);
  return bytes;
}
