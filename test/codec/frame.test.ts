import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrameReader, writeFrame } from '../../src/codec/frame.ts';
import { codeOf, errorOf } from '../support/wire/bytes.ts';

function framesOf(reader: FrameReader, ...chunks: readonly Uint8Array[]): Uint8Array[] {
  return chunks.flatMap((chunk) => Array.from(reader.read(chunk)));
}

/** The stream cut after these shares of its length. */
function cut(stream: Uint8Array, shares: readonly number[]): Uint8Array[] {
  const places = shares.map((share) => Math.floor(share * stream.length)).sort((a, b) => a - b);
  return [0, ...places].map((from, index) => stream.subarray(from, places[index] ?? stream.length));
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

/** No two neighbours are equal, so that a byte in the wrong place shows. */
function bodyOf(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 31 + length) % 251);
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function header(length: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, length);
  return bytes;
}

describe('frames #transport-ipc', () => {
  test('a frame is its length in four bytes, the highest first, and the body', () => {
    expect([...writeFrame(new Uint8Array(258).fill(7))].slice(0, 6)).toEqual([0, 0, 1, 2, 7, 7]);
    expect(writeFrame(new Uint8Array(258))).toHaveLength(262);
  });

  test('however a stream is cut, the same frames come out', () => {
    const small = { min: 1, max: 40 };
    // Beyond what is held at first, so that the body has to grow.
    const large = { min: 4_000, max: 20_000 };
    const body = fc.oneof(fc.integer(small), fc.integer(large)).map(bodyOf);
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(body, { maxLength: 6 }),
        fc.array(share, { maxLength: 12 }),
        (bodies, shares) => {
          const reader = new FrameReader(20_000);
          const stream = join(...bodies.map(writeFrame));
          expect(framesOf(reader, ...cut(stream, shares)).map(hash)).toEqual(bodies.map(hash));
          expect(reader.isInsideFrame).toBe(false);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('a stream of single bytes is read too', () => {
    const body = bodyOf(10_000);
    const bytes = Array.from(writeFrame(body), (byte) => Uint8Array.of(byte));
    expect(framesOf(new FrameReader(10_000), ...bytes)).toEqual([body]);
  });

  test('a body is a copy: what was read may be used for something else', () => {
    const chunk = writeFrame(Uint8Array.of(1, 2, 3));
    const [body] = framesOf(new FrameReader(10), chunk);
    chunk.fill(0);
    expect([...body!]).toEqual([1, 2, 3]);
  });

  test('a length beyond the limit is refused at its header, the largest allowed is not', () => {
    for (const length of [11, 0x7fffffff, 0xffffffff]) {
      const error = errorOf(() => framesOf(new FrameReader(10), header(length)));
      expect(error?.code).toBe('LIMIT_BYTES');
      expect(error?.details).toEqual({ limit: 10 });
    }
    expect(framesOf(new FrameReader(10), writeFrame(new Uint8Array(10)))).toHaveLength(1);
  });

  test('an empty frame is refused, after the frames before it were given', () => {
    const reader = new FrameReader(10);
    const frames = reader.read(join(writeFrame(Uint8Array.of(1)), header(0)));
    expect(frames.next().value).toEqual(Uint8Array.of(1));
    expect(codeOf(() => frames.next())).toBe('ENCODING_INVALID');
  });

  test('what a header promises is not held before it comes', () => {
    const promised = 200 * 1_048_576;
    const before = process.memoryUsage().arrayBuffers;
    const readers = Array.from({ length: 20 }, () => new FrameReader(promised));
    for (const reader of readers) framesOf(reader, header(promised), new Uint8Array(100));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_048_576);
    expect(readers.every(({ isInsideFrame }) => isInsideFrame)).toBe(true);
  });

  test('it knows when a frame has begun', () => {
    const reader = new FrameReader(10);
    expect(reader.isInsideFrame).toBe(false);
    framesOf(reader, Uint8Array.of(0));
    expect(reader.isInsideFrame).toBe(true);
    framesOf(reader, Uint8Array.of(0, 0, 1, 9));
    expect(reader.isInsideFrame).toBe(false);
  });
});
