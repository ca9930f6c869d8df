// Owns how an object of JSON becomes a frame again: what is left out has its default, what is wrong is named.
// SPEC.md section 19 (#swp-form).

import type { Envelope } from './envelope.ts';
import { VERSION } from './envelope.ts';
import type { SwpFrameInput } from './form.ts';
import type { SwpMessage } from './message.ts';
import { A2A_PROFILE } from './rules.ts';
import { typeNumber, writePayload } from './write-payload.ts';

type Members = Readonly<Record<string, unknown>>;

const MAX_UINT64 = 0xffff_ffff_ffff_ffffn;

/**
 * The envelope that an object describes; `payload` counts more than `message`. Wrong use is a TypeError that names the
 * member. What is well formed but wrong, such as another version, is written as it is told.
 */
export function envelopeIn(frame: SwpFrameInput): Envelope {
  const { envelope, message } = membersOf('frame', frame);
  const parts = membersOf('envelope', envelope ?? {});
  const said = message === undefined ? undefined : messageIn(membersOf('message', message));
  const { payload } = parts;
  if (payload === undefined && said === undefined) {
    throw new TypeError('"envelope.payload" or "message" expected');
  }
  return {
    version: numberIn(parts, 'version', VERSION),
    profileId: numberIn(parts, 'profile_id', said === undefined ? undefined : A2A_PROFILE),
    msgType: numberIn(parts, 'msg_type', said && BigInt(typeNumber(said))),
    flags: numberIn(parts, 'flags', 0n),
    tsUnixMs: numberIn(parts, 'ts_unix_ms', 0n),
    msgId: octetsIn('envelope.msg_id', parts['msg_id']),
    extensions: extensionsIn(parts['extensions'] ?? []),
    payload: payload === undefined ? writePayload(said!) : octetsIn('envelope.payload', payload),
  };
}

function messageIn(members: Members): SwpMessage {
  const text = (name: string): string => textIn(`message.${name}`, members[name] ?? '');
  const octets = (name: string): Uint8Array => octetsIn(`message.${name}`, members[name] ?? '');
  switch (members['type']) {
    case 'handshake':
      return {
        type: 'handshake',
        agentId: text('agent_id'),
        capabilities: listIn('message.capabilities', members['capabilities'] ?? []).map(
          (value, at) => textIn(`message.capabilities[${at}]`, value),
        ),
      };
    case 'task':
      return {
        type: 'task',
        taskId: octets('task_id'),
        kind: text('kind'),
        input: octets('input'),
      };
    case 'event':
      return {
        type: 'event',
        taskId: octets('task_id'),
        message: text('message'),
        eventPayload: octets('event_payload'),
      };
    case 'result': {
      const { ok = false } = members;
      if (typeof ok !== 'boolean') throw new TypeError('"message.ok" expected true or false');
      return {
        type: 'result',
        taskId: octets('task_id'),
        ok,
        output: octets('output'),
        errorMessage: text('error_message'),
      };
    }
    default:
      throw new TypeError('"message.type" expected handshake, task, event or result');
  }
}

function extensionsIn(value: unknown): Envelope['extensions'] {
  return listIn('envelope.extensions', value).map((extension, at) => {
    const where = `envelope.extensions[${at}]`;
    const members = membersOf(where, extension);
    return {
      type: uint64(`${where}.type`, members['type']),
      value: octetsIn(`${where}.value`, members['value']),
    };
  });
}

function numberIn(parts: Members, name: string, otherwise: bigint | undefined): bigint {
  const value = parts[name];
  return value === undefined && otherwise !== undefined
    ? otherwise
    : uint64(`envelope.${name}`, value);
}

/** A decimal text; a number where it is exact. */
function uint64(where: string, value: unknown): bigint {
  const isUsable =
    (typeof value === 'string' && /^\d{1,20}$/.test(value)) ||
    (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0);
  const number = isUsable ? BigInt(value) : -1n;
  if (number >= 0n && number <= MAX_UINT64) return number;
  throw new TypeError(`"${where}" expected a decimal number of at most 64 bits`);
}

function octetsIn(where: string, value: unknown): Uint8Array {
  if (typeof value === 'string' && /^(?:[0-9a-f]{2})*$/i.test(value)) {
    return Buffer.from(value, 'hex');
  }
  throw new TypeError(`"${where}" expected octets as hexadecimal digits`);
}

function textIn(where: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`"${where}" expected text`);
}

function listIn(where: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError(`"${where}" expected a list`);
}

function membersOf(where: string, value: unknown): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Members;
  }
  throw new TypeError(`"${where}" expected an object`);
}
