// Owns how a saved stream of official A2A is read: the events of Server-Sent Events, as a client or a proxy wrote them down.
// SPEC.md section 20 (#a2a-streams).

import { carrierOf } from '../../profiles/a2a/sealed/carrier.ts';
import type { JsonObject } from '../../src/codec/index.ts';
import { isJsonObject, readJson } from '../../src/codec/index.ts';

/** `undefined` for what is none. Each is an object of A2A, out of its answer of JSON-RPC. */
export function a2aEventsIn(bytes: Uint8Array): readonly JsonObject[] | undefined {
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/);
  if (!lines.some((line) => line.startsWith('data:'))) return undefined;
  try {
    const events = blocksOf(lines).map(eventIn);
    return events.every((event) => event !== undefined) ? events : undefined;
  } catch {
    return undefined;
  }
}

/** An event ends at an empty line, and its data is all of its data lines. */
function blocksOf(lines: readonly string[]): readonly string[] {
  const blocks: string[] = [];
  let data: string[] = [];
  for (const line of [...lines, '']) {
    if (line.startsWith('data:')) data.push(line.slice('data:'.length).replace(/^ /, ''));
    if (line !== '' || data.length === 0) continue;
    blocks.push(data.join('\n'));
    data = [];
  }
  return blocks;
}

function eventIn(text: string): JsonObject | undefined {
  const value = readJson(new TextEncoder().encode(text));
  if (!isJsonObject(value)) return undefined;
  // Throws for what is nothing of A2A.
  carrierOf(value);
  return value;
}
