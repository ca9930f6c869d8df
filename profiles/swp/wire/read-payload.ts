// Owns reading the P1 payload: exactly one of its four members, all of it parsed, in the wire format of proto3.
// SPEC.md section 19 (#swp-payload).

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

const SHORT_BYTES = 64;

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
/** The field with text, by the type of the message; a Handshake has another, for its capabilities. */
const TEXT_FIELDS = [0, 1, 2, 2, 4];
const MEMBERS: Fields = [undefined, OCTETS, OCTETS, OCTETS, OCTETS];

/** The message of a payload of this type. Throws a refusal. */
export function readPayload(payload: Uint8Array, msgType: bigint): SwpMessage {
  if (msgType < 1n || msgType > BigInt(MESSAGE_TYPES.length)) {
    throw new SwpRefusal('UNSUPPORTED_MSG_TYPE', `there is no message of type ${msgType}`);
  }
  const bytes = Buffer.isBuffer(payload)
    ? payload
    : Buffer.from(payload.buffer, payload.byteOffset, payload.length);
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
    message = readMember(new ByteReader(bytes, start, start + length), bytes, type);
  }
  if (message === undefined) throw invalid('the payload has no member');
  return message;
}

/** The last of a repeated singular field counts; each must be well formed. */
function readMember(reader: ByteReader, bytes: Buffer, type: number): SwpMessage {
  const fields = FIELDS[type]!;
  const capabilities: string[] = [];
  // Octets of fields 1 and 3; of the one field with text only where it stands, since a later one may take its place.
  let first: Uint8Array = EMPTY;
  let third: Uint8Array = EMPTY;
  let ok = false;
  let textStart = 0;
  let textEnd = 0;
  while (reader.rest > 0) {
    const key = keyIn(reader, fields);
    const number = key >>> 3;
    if (number >= fields.length) skip(reader, key & 7);
    else if (number === 2 && type === 4) ok = reader.plain() !== 0;
    else if (number === 2 && type === 1) addCapability(capabilities, reader, bytes);
    else if (number === TEXT_FIELDS[type]) {
      textStart = textIn(reader);
      textEnd = reader.at;
    } else if (number === 1) first = reader.octets();
    else third = reader.octets();
  }
  switch (type) {
    case 1:
      return {
        type: 'handshake',
        agentId: nameOf('agent_id', bytes, textStart, textEnd),
        capabilities,
      };
    case 2:
      return {
        type: 'task',
        taskId: first,
        kind: nameOf('kind', bytes, textStart, textEnd),
        input: third,
      };
    case 3:
      return {
        type: 'event',
        taskId: first,
        message: decoded(bytes, textStart, textEnd),
        eventPayload: third,
      };
    default:
      return {
        type: 'result',
        taskId: first,
        ok,
        output: third,
        errorMessage: decoded(bytes, textStart, textEnd),
      };
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

/** Where the text begins; the reader stands behind it. Only the one that counts in the end is made a string. */
function textIn(reader: ByteReader): number {
  const length = reader.plain();
  const start = reader.at;
  reader.skip(length);
  const { bytes, at: end } = reader;
  if (!isShortAscii(bytes, start, end) && !isUtf8(bytes.subarray(start, end))) {
    throw invalid('a text is not UTF-8');
  }
  return start;
}

/** Every one of them counts, so that too many are refused before they are held. */
function addCapability(capabilities: string[], reader: ByteReader, bytes: Buffer): void {
  if (capabilities.length === MAX_CAPABILITIES) {
    throw invalid(`more than ${MAX_CAPABILITIES} capabilities`);
  }
  const start = textIn(reader);
  capabilities.push(nameOf('a capability', bytes, start, reader.at));
}

function nameOf(field: string, bytes: Buffer, start: number, end: number): string {
  if (end - start > MAX_TEXT_BYTES) {
    throw invalid(`${field} of more than ${MAX_TEXT_BYTES} octets`);
  }
  return decoded(bytes, start, end);
}

/** A byte order mark stays: a decoder would take it away. */
function decoded(bytes: Buffer, start: number, end: number): string {
  if (start === end) return '';
  return bytes.toString(isShortAscii(bytes, start, end) ? 'latin1' : 'utf8', start, end);
}

/** For these a look here costs less than asking Node. */
function isShortAscii(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > SHORT_BYTES) return false;
  for (let at = start; at < end; at += 1) if (bytes[at]! > 0x7f) return false;
  return true;
}
