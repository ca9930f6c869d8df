// Owns the event around the data of a packet, in the style of CloudEvents 1.0, and the hash of its content.
// SPEC.md section 17 (#assay-event, #assay-hash).

import type { JsonObject } from '../../src/codec/index.ts';
import { contentHashOf } from './canonical.ts';
import type { ReadPacket } from './packet.ts';

const SPEC_VERSION = '1.0';
const CONTENT_TYPE = 'application/json';

/** What the content hash is over: not the time, and not who wrote it where. */
export function hashOfContent({
  type,
  subject,
  data,
}: Pick<ReadPacket, 'type' | 'subject' | 'data'>): string {
  return contentHashOf({
    specversion: SPEC_VERSION,
    type,
    datacontenttype: CONTENT_TYPE,
    subject,
    data,
  });
}

/** Where an event stands, and who wrote it. */
export interface EventPlace {
  readonly source: string;
  readonly runId: string;
  readonly seq: number;
  readonly producer: string;
  readonly producerVersion: string;
  readonly contentHash: string | null;
}

export function makeEvent(
  { type, subject, time, data }: Pick<ReadPacket, 'type' | 'subject' | 'time' | 'data'>,
  { source, runId, seq, producer, producerVersion, contentHash }: EventPlace,
): JsonObject {
  return {
    specversion: SPEC_VERSION,
    type,
    source,
    id: `${runId}:${seq}`,
    time,
    datacontenttype: CONTENT_TYPE,
    subject,
    assayrunid: runId,
    assayseq: seq,
    assayproducer: producer,
    assayproducerversion: producerVersion,
    assaygit: 'unknown',
    assaypii: false,
    assaysecrets: false,
    assaycontenthash: contentHash,
    data,
  };
}
