// Compiled in an empty project that has installed the packed tarball: are the types whole?

import { SdlError } from 'a2a-sdl';
import { readJson } from 'a2a-sdl/codec';
import type { ErrorCode, JsonValue, Limits } from 'a2a-sdl';
import type { Envelope } from 'a2a-sdl/envelope';
import { chooseProvider } from 'a2a-sdl/security';
import type { CryptoProvider, Peer } from 'a2a-sdl/security';
import type { Store } from 'a2a-sdl/stores';
import { createSchemaFetch } from 'a2a-sdl/transports/fetch';
import type { SchemaFetchOptions } from 'a2a-sdl/transports/fetch';

export const options: SchemaFetchOptions = { maxBytes: 1_000 };
export const fetchSchema: (uri: string, signal?: AbortSignal) => Promise<Uint8Array> =
  createSchemaFetch(options);

export const crypto: CryptoProvider = chooseProvider('noble');
export type Known = { readonly peer: Peer; readonly store: Store };

export function idOf(bytes: Uint8Array, limits: Limits): string | undefined {
  try {
    const value: JsonValue = readJson(bytes, limits);
    return (value as unknown as Envelope).id;
  } catch (thrown) {
    const code: ErrorCode | undefined = thrown instanceof SdlError ? thrown.code : undefined;
    if (code === 'LIMIT_BYTES') return undefined;
    throw thrown;
  }
}
