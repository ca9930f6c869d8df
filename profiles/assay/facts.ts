// Owns what a packet says, member by member, however it came about: read from bytes, or seen at the door.
// SPEC.md section 17 (#assay-packet).

import type { JsonValue } from '../../src/codec/index.ts';
import { isJsonArray, isJsonObject } from '../../src/codec/index.ts';

/** Text, or nothing: what has another type is not there, and an empty text is. */
type Text = string | undefined;

export interface Facts {
  readonly protocol: Text;
  readonly version: Text;
  readonly eventType: Text;
  readonly timestamp: Text;
  readonly agent: {
    readonly id: Text;
    readonly name?: Text;
    readonly role?: Text;
    /** In any order. */
    readonly capabilities?: readonly string[] | undefined;
  };
  readonly task?: { readonly id: Text; readonly status?: Text; readonly kind?: Text };
  readonly artifact?: { readonly id: Text; readonly name?: Text; readonly mediaType?: Text };
  readonly message?: { readonly id: Text; readonly role?: Text };
  readonly attributes?: JsonValue | undefined;
  /** Members at the top that have no place. */
  readonly unknownMembers: number;
}

const KNOWN = new Set([
  'protocol',
  'version',
  'event_type',
  'timestamp',
  'agent',
  'task',
  'artifact',
  'message',
  'attributes',
]);

export function factsIn(packet: JsonValue): Facts {
  const at = (holder: string, name: string): Text => textIn(memberOf(packet, holder), name);
  const capabilities = memberOf(memberOf(packet, 'agent'), 'capabilities');
  return {
    protocol: textIn(packet, 'protocol'),
    version: textIn(packet, 'version'),
    eventType: textIn(packet, 'event_type'),
    timestamp: textIn(packet, 'timestamp'),
    agent: {
      id: at('agent', 'id'),
      name: at('agent', 'name'),
      role: at('agent', 'role'),
      capabilities: isJsonArray(capabilities)
        ? capabilities.filter((item) => typeof item === 'string')
        : undefined,
    },
    task: { id: at('task', 'id'), status: at('task', 'status'), kind: at('task', 'kind') },
    artifact: {
      id: at('artifact', 'id'),
      name: at('artifact', 'name'),
      mediaType: at('artifact', 'media_type'),
    },
    message: { id: at('message', 'id'), role: at('message', 'role') },
    attributes: memberOf(packet, 'attributes'),
    unknownMembers: isJsonObject(packet)
      ? Object.keys(packet).filter((name) => !KNOWN.has(name)).length
      : 0,
  };
}

function textIn(value: JsonValue | undefined, name: string): Text {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : undefined;
}

export function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
