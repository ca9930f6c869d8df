// Owns data in wires that carry only objects: any other value travels inside one, with a mark that tells so.
// SPEC.md section 20 (#a2a-03).

import type { JsonObject, JsonValue } from '../../../src/door/index.ts';
import { isJsonObject } from '../../../src/transport.ts';

/** The mark that the official SDKs set. */
const MARK = 'data_part_compat';

export interface WrappedData {
  readonly data: JsonObject;
  readonly metadata?: JsonObject;
}

export function wrapData(data: JsonValue, metadata: JsonObject | undefined): WrappedData {
  if (isJsonObject(data)) return { data, ...(metadata !== undefined && { metadata }) };
  return { data: { value: data }, metadata: { ...metadata, [MARK]: true } };
}

export function unwrapData(
  data: JsonObject,
  metadata: JsonObject | undefined,
): { readonly data: JsonValue; readonly metadata?: JsonObject } {
  if (metadata?.[MARK] !== true || data['value'] === undefined) {
    return { data, ...(metadata !== undefined && { metadata }) };
  }
  const { [MARK]: _mark, ...rest } = metadata;
  return { data: data['value'], ...(Object.keys(rest).length > 0 && { metadata: rest }) };
}
