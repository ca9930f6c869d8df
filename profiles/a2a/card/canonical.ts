// Owns the bytes under the signature of a card: the form of the specification, and those that the SDKs make instead.
// SPEC.md section 21 (#a2a-card-signature).

import type { JsonObject, JsonValue } from '../../../src/codec/index.ts';
import { isJsonObject, writeJcs, writePythonJson } from '../../../src/codec/index.ts';
import { withoutEmpty } from './empty.ts';
import { MEMBERS_0_3, MEMBERS_1_0, MEMBERS_OF_BOTH, membersOf } from './members.ts';

/** What a reader of one version sees of a card, and the bytes by which it verifies just that. */
export interface CardView {
  readonly form: 'spec' | 'sdk';
  /** All that the bytes cover, and nothing else. */
  readonly card: JsonObject;
  readonly payload: Uint8Array;
}

/** Everything that is known of either version. */
export function wholeView(card: JsonObject): CardView {
  return specView(membersOf(card, MEMBERS_OF_BOTH));
}

/** What 1.0 knows. */
export function currentView(card: JsonObject): CardView {
  return specView(membersOf(card, MEMBERS_1_0));
}

/** What 1.0 knows, without anything empty: what the SDKs of 1.0 make of it. */
export function currentSdkView(card: JsonObject): CardView {
  const full = fullOf(membersOf(card, MEMBERS_1_0));
  return { form: 'sdk', card: full, payload: writeJcs(full) };
}

/** The JavaScript SDK reads a card that it has read before once more, and so loses the schemes before it verifies. */
export function schemelessSdkView(card: JsonObject): CardView {
  const { securitySchemes: _, ...others } = card;
  return currentSdkView(others);
}

/** What 0.3 knows. */
export function legacyView(card: JsonObject): CardView {
  return specView(membersOf(card, MEMBERS_0_3));
}

/** The Python SDK of 0.3 leaves out what is the default of its model, and escapes what is not ASCII. */
export function legacySdkView(card: JsonObject): CardView {
  const signed = fullOf(withoutDefaults(membersOf(card, MEMBERS_0_3)));
  return { form: 'sdk', card: withDefaults(signed), payload: asciiOf(writePythonJson(signed)) };
}

function specView(card: JsonObject): CardView {
  return { form: 'spec', card, payload: writeJcs(card) };
}

function fullOf(card: JsonObject): JsonObject {
  return (withoutEmpty(card) ?? {}) as JsonObject;
}

const LEGACY_DEFAULTS: JsonObject = { protocolVersion: '0.3.0', preferredTransport: 'JSONRPC' };

function withoutDefaults(card: JsonObject): JsonObject {
  const told = Object.entries(card).filter(([name, value]) => LEGACY_DEFAULTS[name] !== value);
  return mapSchemes(Object.fromEntries(told), ({ type, ...scheme }) =>
    type === undefined || type === typeOfScheme(scheme) ? scheme : { type, ...scheme },
  );
}

/** Nothing is invented: these are the only values that the bytes leave out. */
function withDefaults(card: JsonObject): JsonObject {
  return mapSchemes({ ...LEGACY_DEFAULTS, ...card }, (scheme) => ({
    type: typeOfScheme(scheme),
    ...scheme,
  }));
}

function mapSchemes(card: JsonObject, change: (scheme: JsonObject) => JsonObject): JsonObject {
  const { securitySchemes } = card;
  if (securitySchemes === undefined || !isJsonObject(securitySchemes)) return card;
  const schemes = Object.entries(securitySchemes).map(([name, scheme]): [string, JsonValue] => [
    name,
    isJsonObject(scheme) ? change(scheme) : scheme,
  ]);
  return { ...card, securitySchemes: Object.fromEntries(schemes) };
}

/** The type is under the signature only by what the other members are. */
function typeOfScheme(scheme: JsonObject): string {
  if (Object.hasOwn(scheme, 'in')) return 'apiKey';
  if (Object.hasOwn(scheme, 'scheme')) return 'http';
  if (Object.hasOwn(scheme, 'flows')) return 'oauth2';
  return Object.hasOwn(scheme, 'openIdConnectUrl') ? 'openIdConnect' : 'mutualTLS';
}

/** Each unit of UTF-16 that is not printable ASCII as its escape; the others stand there already. */
function asciiOf(json: Uint8Array): Uint8Array {
  const text = new TextDecoder().decode(json);
  const ascii = text.replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return new TextEncoder().encode(ascii);
}
