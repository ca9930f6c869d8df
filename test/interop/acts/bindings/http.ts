// Owns what JSON-RPC and REST share: headers of a request, and frames of a stream that is left when its reader leaves.

import type { JsonObject } from '../../../../src/codec/value.ts';
import { framesOf } from '../../../support/a2a/ask.ts';

/** A stream that says nothing for so long, and a request that takes so long, have failed. */
const LONGEST_MS = 30_000;

function headersFor(token: string | undefined): Record<string, string> {
  return {
    'A2A-Version': '1.0',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
}

export function post(
  url: string,
  body: JsonObject,
  token?: string,
  accept?: string,
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(accept !== undefined && { accept }),
      ...headersFor(token),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(LONGEST_MS),
  });
}

export function ask(
  method: string,
  url: string,
  token?: string,
  accept?: string,
): Promise<Response> {
  const headers = { ...headersFor(token), ...(accept !== undefined && { accept }) };
  return fetch(url, { method, headers, signal: AbortSignal.timeout(LONGEST_MS) });
}

export function isStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/** What each frame says. */
export async function* dataOf(response: Response): AsyncGenerator<JsonObject, void> {
  for await (const { data } of framesOf(response)) yield data as JsonObject;
}
