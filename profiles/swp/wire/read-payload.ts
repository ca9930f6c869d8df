// Owns reading the P1 payload: exactly one of its four members, all of it parsed, in the wire format of proto3.
// SPEC.md section 17 (#swp-payload).

import { isUtf8 } from 'node:buffer';
import { ByteReader, ReadFault } from './byte-reader.ts';
import type { SwpMessage } from './message.ts';
import {
  MAX_CAPABILITIES,
  MAX_TEXT_BYTES,
  MESSAGE_TYPES,
  checkMessage,
  invalid,
} from './message.ts';
import { SwpRefusal } from './refusal.ts';

const VARINT = 0;
const FIXED64 = 1;
const OCTETS = 2;
const FIXED32 = 5;
/** A key is a field number behind three bits: 2²⁹ − 1 is the last number there is. */
const MAX_KEY = 0xffff_ffff;

const EMPTY = Buffer.alloc(0);

/** Field → wire type of it. */
type Fields = readonly (number | undefined)[];
const FIELDS: readonly Fields[] = [
  [],
  [undefined, OCTETS, OCTETS],
  [undefined, OCTETS, OCTETS, OCTETS],
  [undefined, OCTETS, OCTETS, OCTETS],
  [undefined, OCTETS, VARINT, OCTETS, OCTETS],
];
const MEMBERS: Fields = [undefined, OCTETS, OCTETS, OCTETS, OCTETS];

/** The message of a payload of this type. Throws a refusal. */
export function readPayload(payload: Uint8Array, msgType: bigint): SwpMessage {
  if (msgType < 1n || msgType > BigInt(MESSAGE_TYPES.length)) {
    throw new SwpRefusal('UNSUPPORTED_MSG_TYPE', `there is no message of type ${msgType}`);
  }
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
  try {
    const message = read(bytes, Number(msgType));
    checkMessage(message);
    return message;
  } catch (thrown) {
    throw thrown instanceof ReadFault ? invalid(thrown.message) : thrown;
  }
}

function read(bytes: Buffer, type: number): SwpMessage {
  const reader = new ByteReader(bytes);
  let message: SwpMessage | undefined;
  while (reader.rest > 0) {
    const key = keyIn(reader, MEMBERS);
    const number = key >>> 3;
    if (number > MESSAGE_TYPES.length) {
      skip(reader, key & 7);
      continue;
    }
    if (message !== undefined) throw invalid('a payload has one member');
    if (number !== type) throw invalid('the member is not that of msg_type');
    const length = reader.plain();
    const start = reader.at;
    reader.skip(length);
    message = readMember(new ByteReader(bytes, start, start + length), type);
  }
  if (message === undefined) throw invalid('the payload has no member');
  return message;
}

/** The last of a repeated singular field counts; each must be well formed. */
function readMember(reader: ByteReader, type: number): SwpMessage {
  const fields = FIELDS[type]!;
  // Field 1 of a Handshake is text, of the others octets; field 2 of all but a Result text.
  let first: Uint8Array = EMPTY;
  let text: Uint8Array = EMPTY;
  let third: Uint8Array = EMPTY;
  let fourth: Uint8Array = EMPTY;
  let ok = false;
  const capabilities: string[] = [];
  while (reader.rest > 0) {
    const key = keyIn(reader, fields);
    const number = key >>> 3;
    if (number >= fields.length) skip(reader, key & 7);
    else if (number === 1 && type === 1) text = textIn(reader);
    else if (number === 1) first = reader.octets();
    else if (number === 2 && type === 1) addCapability(capabilities, textIn(reader));
    else if (number === 2 && type === 4) ok = reader.plain() !== 0;
    else if (number === 2) text = textIn(reader);
    else if (number === 3) third = reader.octets();
    else fourth = textIn(reader);
  }
  switch (MESSAGE_TYPES[type - 1]!) {
    case 'handshake':
      return { type: 'handshake', agentId: nameOf('agent_id', text), capabilities };
    case 'task':
      return { type: 'task', taskId: first, kind: nameOf('kind', text), input: third };
    case 'event':
      return { type: 'event', taskId: first, message: decoded(text), eventPayload: third };
    default:
      return { type: 'result', taskId: first, ok, output: third, errorMessage: decoded(fourth) };
  }
}

/** A known field has the wire type that it always has; an unknown one any that can be skipped. */
function keyIn(reader: ByteReader, fields: Fields): number {
  const key = reader.plain();
  const number = key > MAX_KEY ? 0 : key >>> 3;
  if (number === 0) throw invalid('a field number is out of range');
  const expected = fields[number];
  if (expected !== undefined && expected !== (key & 7)) {
    throw invalid(`field ${number} has another wire type`);
  }
  return key;
}

function skip(reader: ByteReader, wireType: number): void {
  if (wireType === VARINT) reader.plain();
  else if (wireType === FIXED64) reader.skip(8);
  else if (wireType === OCTETS) reader.skip(reader.plain());
  else if (wireType === FIXED32) reader.skip(4);
  else throw invalid('a field has a wire type that cannot be skipped');
}

/** Octets that are text. Only those that count in the end become one. */
function textIn(reader: ByteReader): Uint8Array {
  const octets = reader.octets();
  if (!isUtf8(octets)) throw invalid('a text is not UTF-8');
  return octets;
}

/** Every one of them counts, so that too many are refused before they are held. */
function addCapability(capabilities: string[], octets: Uint8Array): void {
  if (capabilities.length === MAX_CAPABILITIES) {
    throw invalid(`more than ${MAX_CAPABILITIES} capabilities`);
  }
  capabilities.push(nameOf('a capability', octets));
}

function nameOf(field: string, octets: Uint8Array): string {
  if (octets.length > MAX_TEXT_BYTES) {
    throw invalid(`${field} of more than ${MAX_TEXT_BYTES} octets`);
  }
  return decoded(octets);
}

/** A byte order mark stays: a decoder would take it away. */
function decoded(octets: Uint8Array): string {
  return (octets as Buffer).toString('utf8');
}
