// Packets of the form that Assay reads, and what becomes of them.

import type { ConvertErrorKind, ConvertOptions, Converted } from '../../../profiles/assay/index.ts';
import { ConvertError, convert } from '../../../profiles/assay/index.ts';
import type { JsonObject } from '../../../src/codec/index.ts';

const utf8 = new TextEncoder();

/** A task that is asked for, with all that strict wants; members that are given win, `undefined` takes one out. */
export function packetText(members: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    protocol: 'a2a',
    version: '0.2',
    event_type: 'task.requested',
    agent: { id: 'agent://a' },
    task: { id: 'task-1' },
    ...members,
  });
}

export function convertText(text: string, options: ConvertOptions = {}): Converted {
  return convert(utf8.encode(text), options);
}

/** A packet whose attributes are this text, number for number. */
export function withAttributes(attributes: string): string {
  return packetText({ attributes: 0 }).replace('"attributes":0', `"attributes":${attributes}`);
}

export function eventOf({ batch }: Converted): JsonObject {
  return batch.events[0]!;
}

export function dataOf(converted: Converted): JsonObject {
  return eventOf(converted)['data'] as JsonObject;
}

/** The text of the attributes in method (a). */
export function attributesText({ text }: Converted): string {
  const from = text.indexOf('"attributes":') + '"attributes":'.length;
  return text.slice(from, text.indexOf(',"discovery":', from));
}

/** Its kind, or `none`. */
export function kindOf(run: () => unknown): ConvertErrorKind | 'none' {
  return errorOf(run)?.kind ?? 'none';
}

export function errorOf(run: () => unknown): ConvertError | undefined {
  try {
    run();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ConvertError) return thrown;
    throw thrown;
  }
}
