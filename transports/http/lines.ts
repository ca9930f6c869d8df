// Owns how a stream of bytes is read line by line with bounded memory. SPEC.md section 11 (#transport-http).

import { TransportError } from '../../src/transport.ts';
import { ByteCollector } from './byte-collector.ts';

const LF = 0x0a;

/** Lines without their line feed; empty ones are left out, and so is one that the end of the stream cuts off. */
export async function* readLines(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  const line = new ByteCollector(maxBytes);
  const keep = (piece: Uint8Array): void => {
    if (line.add(piece)) return;
    throw new TransportError('protocol', 'the other end sent a line larger than a message may be');
  };
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      const whole = line.take();
      if (whole.length > 0) yield whole;
    }
    keep(chunk.subarray(start));
  }
}
