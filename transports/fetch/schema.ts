// Owns how a schema is fetched from a URI that a peer chose. The caller checks by hash that these are the right bytes.
// SPEC.md section 5.1 (#schema-uri).

import { SdlError, TransportError } from '../../src/transport.ts';
import { createGuardedFetch } from './guarded.ts';
import type { SchemaFetchOptions } from './options.ts';

const HEADERS = { Accept: 'application/schema+json, application/json' };

/**
 * Makes a fetcher for schema URIs. Every failure is an `SdlError` with the code `SCHEMA_URI`; it never
 * carries anything of the response but its status.
 */
export function createSchemaFetch(
  options: SchemaFetchOptions = {},
): (uri: string, signal?: AbortSignal) => Promise<Uint8Array> {
  const guarded = createGuardedFetch(options);
  return async (uri, signal) => {
    const { status, body } = await guarded(uri, {
      headers: HEADERS,
      wantsBody: isWhole,
      ...(signal !== undefined && { signal }),
    }).catch((thrown: unknown) => {
      throw thrown instanceof TransportError ? refusal(thrown.message, thrown.cause) : thrown;
    });
    if (!isWhole(status)) throw refusal(`the server answered with status ${status}`);
    return body;
  };
}

function isWhole(status: number): boolean {
  return status === 200;
}

function refusal(reason: string, cause?: unknown): SdlError {
  return new SdlError('SCHEMA_URI', reason, { cause });
}
