// Owns moments in protobuf, in both directions; in JSON they are texts. SPEC.md section 20 (#a2a-protobuf).

import { VARINT } from './layout.ts';
import type { Sink } from './sink.ts';
import type { Source } from './source.ts';
import { malformed } from './source.ts';

const SECONDS = (1 << 3) | VARINT;
const NANOS = (2 << 3) | VARINT;
/** From the year 1 to the end of the year 9999. */
const MIN_SECONDS = -62_135_596_800;
const MAX_SECONDS = 253_402_300_799;
const NANOS_OF_SECOND = 1_000_000_000;

/** @param known what the same field said before. */
export function readTimestamp(source: Source, end: number, known?: string): string {
  let [seconds, nanos] = known === undefined ? [0, 0] : partsOf(known);
  while (source.at < end) {
    const tag = source.tag(end);
    if (tag === SECONDS) seconds = Number(source.int64(end));
    else if (tag === NANOS) nanos = source.int32(end);
    else if (tag >>> 3 <= 2) throw malformed('a moment is of another wire type');
    else source.skip(tag, end);
  }
  const isMoment =
    seconds >= MIN_SECONDS && seconds <= MAX_SECONDS && nanos >= 0 && nanos < NANOS_OF_SECOND;
  if (!isMoment) throw malformed('a moment is outside of what has a date');
  const text = new Date(seconds * 1_000).toISOString().slice(0, -'.000Z'.length);
  // Three, six or nine digits, as JSON of protobuf has them.
  const digits = String(nanos)
    .padStart(9, '0')
    .replace(/(?:000){1,3}$/, '');
  return digits === '' ? `${text}Z` : `${text}.${digits}Z`;
}

export function writeTimestamp(sink: Sink, text: string): void {
  const [seconds, nanos] = partsOf(text);
  if (seconds !== 0) {
    sink.uint32(SECONDS);
    sink.int64(seconds);
  }
  if (nanos === 0) return;
  sink.uint32(NANOS);
  sink.uint32(nanos);
}

function partsOf(text: string): readonly [seconds: number, nanos: number] {
  const [, fraction = ''] = /\.(\d+)Z$/.exec(text) ?? [];
  const seconds = Math.floor(Date.parse(text) / 1_000);
  return [seconds, Number(fraction.padEnd(9, '0'))];
}
