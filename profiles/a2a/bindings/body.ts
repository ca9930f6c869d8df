// Owns how the body of a request becomes JSON within the limits. SPEC.md section 20 (#a2a-input).

import type { JsonValue } from '../../../src/door/index.ts';
import type { Limits } from '../../../src/transport.ts';
import { readJson } from '../../../src/transport.ts';
import type { HttpCall } from '../../../transports/http/index.ts';
import { toA2aError } from '../errors/a2a-error.ts';
import { assertJsonBody } from './media.ts';

export interface Body {
  readonly bytes: Uint8Array;
  /** `undefined` for an empty one. */
  readonly value: JsonValue | undefined;
}

export const NO_BODY: Body = { bytes: new Uint8Array(0), value: undefined };

/** A type that is not read here is refused before anything of the body is. */
export async function bodyOf(http: HttpCall, limits: Limits): Promise<Body> {
  const hasLength = Number(http.headers['content-length'] ?? 0) > 0;
  if (hasLength || http.headers['transfer-encoding'] !== undefined) assertJsonBody(http);
  try {
    const bytes = await http.body();
    return { bytes, value: bytes.length === 0 ? undefined : readJson(bytes, limits) };
  } catch (thrown) {
    throw toA2aError(thrown);
  }
}
