// Owns the event around the content of a packet, in the style of CloudEvents 1.0, and the hash of that content.
// SPEC.md section 17 (#assay-event, #assay-hash).

import type { JsonObject } from '../../src/codec/index.ts';
import { contentHashOf, sha256Hex } from './canonical.ts';
import type { Content } from './content.ts';

const SPEC_VERSION = '1.0';
const CONTENT_TYPE = 'application/json';

type EventContent = Pick<Content, 'type' | 'subject' | 'time' | 'data'>;

/** What the content hash is over: not the time, and not who wrote it where. */
export function hashOfContent({ type, subject, data }: EventContent): string {
  return contentHashOf({
    specversion: SPEC_VERSION,
    type,
    datacontenttype: CONTENT_TYPE,
    subject,
    data,
  });
}

/** Who wrote an event. */
export interface EventWriter {
  readonly source: string;
  readonly runId: string;
  readonly producer: string;
  readonly producerVersion: string;
}

/** As a conversion gives it: the first of a run of its own, with the hash left to who writes it down. */
export function makeEvent(content: EventContent, writer: EventWriter): JsonObject {
  const { type, subject, time, data } = content;
  const { source, runId, producer, producerVersion } = writer;
  return {
    specversion: SPEC_VERSION,
    type,
    source,
    id: `${runId}:0`,
    time,
    datacontenttype: CONTENT_TYPE,
    subject,
    assayrunid: runId,
    assayseq: 0,
    assayproducer: producer,
    assayproducerversion: producerVersion,
    assaygit: 'unknown',
    assaypii: false,
    assaysecrets: false,
    assaycontenthash: null,
    data,
  };
}

/** An event as text, but for its place in the run. */
export interface EventText {
  readonly contentHash: string;
  /** The line of a run, with its end. */
  readonly line: (seq: number) => string;
}

/**
 * For data whose members are in the order of their names and whose numbers are whole and safe, in ASCII names: then
 * both methods give the text that JSON gives, and it is written once. A sink writes many of them.
 */
export function writeEvent(content: EventContent, writer: EventWriter): EventText {
  const { type, subject, time, data } = content;
  const { source, runId, producer, producerVersion } = writer;
  const dataText = JSON.stringify(data);
  const subjectText = JSON.stringify(subject);
  const shared = `"data":${dataText},"datacontenttype":"${CONTENT_TYPE}",`;
  const hashed = `{${shared}"specversion":"${SPEC_VERSION}","subject":${subjectText},"type":"${type}"}`;
  const contentHash = `sha256:${sha256Hex(hashed)}`;
  return {
    contentHash,
    line: (seq) =>
      `{"assaycontenthash":"${contentHash}","assaygit":"unknown","assaypii":false,` +
      `"assayproducer":"${producer}","assayproducerversion":"${producerVersion}",` +
      `"assayrunid":"${runId}","assaysecrets":false,"assayseq":${seq},${shared}` +
      `"id":"${runId}:${seq}","source":${JSON.stringify(source)},` +
      `"specversion":"${SPEC_VERSION}","subject":${subjectText},"time":"${time}","type":"${type}"}\n`,
  };
}
