// Owns messages of protobuf that are nearly right: what a broken or hostile client of gRPC may send. All of it follows
// from a seed.

import type { Random } from '../hostile.ts';

const CONTROL = Buffer.from('00010a0d1f7fc0c1f5ff', 'hex');

function below(limit: number, random: Random): number {
  return Math.floor(random() * limit);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, rest]);
}

/** One field that nobody asked for: of any number and wire type, with a length that may be a lie. */
function strayField(random: Random): Buffer {
  const wireType = below(8, random);
  const number = random() < 0.7 ? 1 + below(12, random) : 1 + below(2 ** 29 - 1, random);
  const tag = varint(number * 8 + wireType);
  const content = Buffer.from(Array.from({ length: below(12, random) }, () => below(256, random)));
  if (wireType !== 2) return Buffer.concat([tag, content]);
  const lengths = [content.length, content.length + 1, 2 ** 31 - 1, 2 ** 32, 2 ** 53 - 1];
  return Buffer.concat([tag, varint(lengths[below(lengths.length, random)]!), content]);
}

/** A field inside of a field, and so on. */
function nested(random: Random): Buffer {
  const tag = varint((1 + below(6, random)) * 8 + 2);
  let inner: Buffer = Buffer.from([0]);
  for (let depth = below(400, random); depth > 0; depth -= 1) {
    inner = Buffer.concat([tag, varint(inner.length), inner]);
  }
  return inner;
}

type Change = (bytes: Buffer, random: Random) => Buffer;

function put(into: Buffer, at: number, more: Buffer): Buffer {
  return Buffer.concat([into.subarray(0, at), more, into.subarray(at)]);
}

const CHANGES: readonly Change[] = [
  (bytes, random) => bytes.subarray(0, below(bytes.length + 1, random)),
  (bytes, random) => {
    const changed = Buffer.from(bytes);
    if (changed.length > 0) changed[below(changed.length, random)] = below(256, random);
    return changed;
  },
  (bytes, random) => {
    const changed = Buffer.from(bytes);
    const byte = CONTROL[below(CONTROL.length, random)]!;
    if (changed.length > 0) changed[below(changed.length, random)] = byte;
    return changed;
  },
  (bytes, random) => put(bytes, below(bytes.length + 1, random), strayField(random)),
  (bytes, random) => put(bytes, 0, strayField(random)),
  (bytes, random) => Buffer.concat([bytes, strayField(random)]),
  (bytes, random) => Buffer.concat([bytes, nested(random)]),
  // A number that does not end.
  (bytes, random) => put(bytes, below(bytes.length + 1, random), Buffer.alloc(11, 0xff)),
  (bytes, random) => {
    const from = below(bytes.length + 1, random);
    const piece = bytes.subarray(from, from + below(40, random));
    return Buffer.concat([bytes, piece, piece]);
  },
  (bytes) => Buffer.concat(Array.from({ length: 300 }, () => bytes)),
  (_bytes, random) =>
    Buffer.from(Array.from({ length: below(80, random) }, () => below(256, random))),
];

/** One to three things are changed. */
export function hostileMessage(right: Buffer, random: Random): Buffer {
  let bytes = right;
  for (let changes = 1 + below(3, random); changes > 0; changes -= 1) {
    bytes = CHANGES[below(CHANGES.length, random)]!(bytes, random);
  }
  return bytes;
}

const METADATA: Readonly<Record<string, readonly string[]>> = {
  'a2a-version': ['', '1.0', '0.3', '1', '99.0', '-1', '1.0, 0.3', 'x'.repeat(2_000)],
  'a2a-extensions': [',,,', 'urn:x', 'x'.repeat(2_000)],
  'last-event-id': ['', '0', '-1', '1', '99999999999999999999', 'nonsense', '1.5'],
  authorization: ['', 'Bearer', 'Basic !!!', `Bearer ${'x'.repeat(2_000)}`],
};

/** Mostly nothing. */
export function hostileMetadata(random: Random): Readonly<Record<string, string>> {
  if (random() < 0.7) return {};
  const names = Object.keys(METADATA);
  const name = names[below(names.length, random)]!;
  const values = METADATA[name]!;
  return { [name]: values[below(values.length, random)]! };
}
