// Owns how numbers, texts and bytes enter and leave PostgreSQL.
// Names, keys and index values are bytea of UTF-8: its text cannot hold NUL.

import type { EntryIndex } from '../../src/stores/index.ts';

/** Type numbers of PostgreSQL, which never change. */
const OID = { bool: 16, bytea: 17, int8: 20, int4: 23, byteaArray: 1001, int8Array: 1016 } as const;

const NO_INDEX: EntryIndex = Object.freeze(Object.create(null) as EntryIndex);
/** A byte order mark is a part of a name like any other. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function utf8(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

export function textOf(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** A bytea[] in the binary form: as text it would be twice as long, and the longest value would fit into no string. */
export function byteaArray(items: readonly (Uint8Array | null)[]): Uint8Array {
  let size = 20;
  for (const item of items) size += 4 + (item?.length ?? 0);
  const array = Buffer.allocUnsafe(size);
  array.writeInt32BE(items.length === 0 ? 0 : 1, 0);
  array.writeInt32BE(1, 4);
  array.writeInt32BE(OID.bytea, 8);
  array.writeInt32BE(items.length, 12);
  array.writeInt32BE(1, 16);
  let at = 20;
  for (const item of items) {
    at = array.writeInt32BE(item?.length ?? -1, at);
    if (item === null) continue;
    array.set(item, at);
    at += item.length;
  }
  return items.length === 0 ? array.subarray(0, 12) : array;
}

/** One index field as it is stored: names have no `=`, so this cannot be two things. */
export function fieldBytes(name: string, value: string): Uint8Array {
  return utf8(`${name}=${value}`);
}

/** Index fields as the text form of a bytea[]. */
export function fieldsText(index: EntryIndex): string {
  const fields = Object.keys(index).map((name) => {
    return `"\\\\x${Buffer.from(fieldBytes(name, index[name]!)).toString('hex')}"`;
  });
  return `{${fields.join(',')}}`;
}

export function indexOf(fields: readonly Uint8Array[]): EntryIndex {
  if (fields.length === 0) return NO_INDEX;
  const index = Object.create(null) as Record<string, string>;
  for (const field of fields) {
    const text = textOf(field);
    const at = text.indexOf('=');
    index[text.slice(0, at)] = text.slice(at + 1);
  }
  return Object.freeze(index);
}

const PARSERS: ReadonlyMap<number, (text: string) => unknown> = new Map<
  number,
  (text: string) => unknown
>([
  [OID.bool, (text) => text === 't'],
  [OID.bytea, (text) => bytesOf(text.slice(2))],
  [OID.int8, Number],
  [OID.int4, Number],
  [
    OID.byteaArray,
    (text) => Array.from(text.matchAll(/x([0-9a-f]*)/g), ([, hex]) => bytesOf(hex!)),
  ],
  [
    OID.int8Array,
    (text) =>
      text === '{}'
        ? []
        : text
            .slice(1, -1)
            .split(',')
            .map((item) => (item === 'NULL' ? null : Number(item))),
  ],
]);

/** How the driver turns what the server sends into what the statements of this store expect. */
export const TYPES: { getTypeParser: (oid: number) => (text: string) => unknown } = {
  getTypeParser: (oid) => PARSERS.get(oid) ?? String,
};

/** Into memory of its own: small buffers of Node share theirs. */
function bytesOf(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length / 2);
  Buffer.from(bytes.buffer).write(hex, 'hex');
  return bytes;
}
