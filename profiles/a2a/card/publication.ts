// Owns what caches need of a document that is served: a tag of its bytes, when it changed, and who has it already.
// SPEC.md section 21 (#a2a-card-served).

import { createHash } from 'node:crypto';

import type { JsonObject } from '../../../src/codec/index.ts';
import { writeJson } from '../../../src/codec/index.ts';
import type { HttpCall, HttpHeaders } from '../../../transports/http/index.ts';

export interface Publication {
  readonly document: JsonObject;
  readonly bytes: Uint8Array;
  readonly etag: string;
  /** Whole seconds, as HTTP tells them. */
  readonly modifiedMs: number;
}

const SECOND_MS = 1_000;

/** Later than what was served before, even within one second: who has the earlier one must not take it for this. */
export function publish(
  document: JsonObject,
  nowMs: number,
  earlier: Publication | undefined,
): Publication {
  const bytes = writeJson(document);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  if (earlier?.etag === etag) return earlier;
  const secondMs = nowMs - (nowMs % SECOND_MS);
  const modifiedMs = Math.max(secondMs, (earlier?.modifiedMs ?? -SECOND_MS) + SECOND_MS);
  return { document, bytes, etag, modifiedMs };
}

export async function servePublication(
  call: HttpCall,
  published: Publication,
  { maxAgeSeconds, vary }: { readonly maxAgeSeconds: number; readonly vary?: string },
): Promise<void> {
  const headers: HttpHeaders = {
    etag: published.etag,
    'last-modified': new Date(published.modifiedMs).toUTCString(),
    'cache-control': `public, max-age=${maxAgeSeconds}`,
    ...(vary !== undefined && { vary }),
  };
  if (isKnown(call.headers, published)) return call.answer(304, headers);
  return call.answer(200, { ...headers, 'content-type': 'application/json' }, published.bytes);
}

/** The tag decides where one is sent; the time only without. RFC 9110, section 13.2.2. */
function isKnown(headers: HttpHeaders, { etag, modifiedMs }: Publication): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
  }
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return since >= modifiedMs;
}
