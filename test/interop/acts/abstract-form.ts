// Owns in what the shapes of ACTS differ from those of the protocol: parts that are files, and the name of REST.

import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { isJsonObject } from '../../../src/codec/value.ts';

/** The same, with `file` and `fileUrl` in parts that are files, and `REST` for `HTTP+JSON`. */
export function abstractForm(value: JsonObject): JsonObject {
  return formOf(value, '') as JsonObject;
}

function formOf(value: JsonValue, member: string): JsonValue {
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((one) => {
      const form = formOf(one, '');
      return member === 'parts' && isJsonObject(form) ? partForm(form) : form;
    });
  }
  if (member === 'protocolBinding' && value === 'HTTP+JSON') return 'REST';
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, formOf(one, name)]));
}

function partForm(part: JsonObject): JsonObject {
  const { raw, url, filename, mediaType } = part;
  const facts = {
    ...(filename !== undefined && { name: filename }),
    ...(mediaType !== undefined && { mediaType }),
  };
  return {
    ...part,
    ...(raw !== undefined && { file: { raw, ...facts } }),
    ...(url !== undefined && { fileUrl: { url, ...facts } }),
  };
}
