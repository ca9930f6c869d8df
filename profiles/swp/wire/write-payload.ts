// Owns writing the P1 payload: each message in its member, fields in their order, defaults left out.
// SPEC.md section 19 (#swp-payload).

import { ByteWriter, octetsLength, uvarintLength } from './byte-writer.ts';
import type { SwpMessage } from './message.ts';
import { MESSAGE_TYPES } from './message.ts';

/** A field with octets: its number and what it holds. */
interface Field {
  readonly number: number;
  readonly value: string | Uint8Array | true;
  readonly length: number;
}

const OCTETS = 2;

export function typeNumber({ type }: Pick<SwpMessage, 'type'>): number {
  return MESSAGE_TYPES.indexOf(type) + 1;
}

export function writePayload(message: SwpMessage): Uint8Array {
  const fields = fieldsOf(message);
  const inner = fields.reduce((sum, { value, length }) => {
    return sum + (value === true ? 2 : 1 + octetsLength(length));
  }, 0);
  const writer = new ByteWriter(1 + uvarintLength(inner) + inner);
  writer.uvarint((typeNumber(message) << 3) | OCTETS);
  writer.uvarint(inner);
  for (const { number, value, length } of fields) {
    writer.uvarint((number << 3) | (value === true ? 0 : OCTETS));
    if (value === true) writer.uvarint(1);
    else if (typeof value === 'string') writer.text(value, length);
    else writer.octets(value);
  }
  return writer.bytes;
}

function fieldsOf(message: SwpMessage): readonly Field[] {
  switch (message.type) {
    case 'handshake':
      return [
        ...text(1, message.agentId),
        ...message.capabilities.map((capability) => textField(2, capability)),
      ];
    case 'task':
      return [...octets(1, message.taskId), ...text(2, message.kind), ...octets(3, message.input)];
    case 'event':
      return [
        ...octets(1, message.taskId),
        ...text(2, message.message),
        ...octets(3, message.eventPayload),
      ];
    default:
      return [
        ...octets(1, message.taskId),
        ...(message.ok ? [{ number: 2, value: true, length: 1 } as const] : []),
        ...octets(3, message.output),
        ...text(4, message.errorMessage),
      ];
  }
}

function octets(number: number, value: Uint8Array): readonly Field[] {
  return value.length === 0 ? [] : [{ number, value, length: value.length }];
}

function text(number: number, value: string): readonly Field[] {
  return value === '' ? [] : [textField(number, value)];
}

/** An empty one among several counts too. */
function textField(number: number, value: string): Field {
  return { number, value, length: Buffer.byteLength(value) };
}
