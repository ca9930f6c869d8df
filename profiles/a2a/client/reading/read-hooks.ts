// Owns how the web hooks of a task are read: each wire has a form of its own for them. SPEC.md section 20
// (#a2a-client-reading).

import type { JsonObject, JsonValue } from '../../../../src/door/index.ts';
import { isJsonObject } from '../../../../src/transport.ts';
import type { A2aHook } from '../model.ts';
import { noAnswer } from './protocol-fault.ts';

/** Flat in 1.0, and inside `pushNotificationConfig` in the others. */
export function readHook(value: JsonValue | undefined): A2aHook {
  const outer = isJsonObject(value ?? null) ? (value as JsonObject) : {};
  const inner = outer['pushNotificationConfig'];
  const hook = inner !== undefined && isJsonObject(inner) ? inner : outer;
  const { id, url, token, authentication } = hook;
  if (typeof url !== 'string' || url === '') throw noAnswer('its web hook has no url');
  const scheme = schemeOf(authentication);
  return {
    ...(typeof id === 'string' && id !== '' && { id }),
    url,
    ...(typeof token === 'string' && token !== '' && { token }),
    ...(scheme !== undefined && { authentication: scheme }),
  };
}

export function readHooks(value: JsonValue | undefined): readonly A2aHook[] {
  const list = isJsonObject(value ?? null) ? ((value as JsonObject)['configs'] ?? []) : value;
  if (!Array.isArray(list)) throw noAnswer('its list of web hooks is no list');
  return (list as readonly JsonValue[]).map(readHook);
}

function schemeOf(authentication: JsonValue | undefined): A2aHook['authentication'] {
  if (authentication === undefined || !isJsonObject(authentication)) return undefined;
  const { scheme, schemes, credentials } = authentication;
  const [first] = Array.isArray(schemes) ? (schemes as readonly JsonValue[]) : [scheme];
  if (typeof first !== 'string' || first === '') return undefined;
  return { scheme: first, ...(typeof credentials === 'string' && { credentials }) };
}
