// Owns a frame as people and programs read it: an object of JSON with numbers as decimal texts and octets as hexadecimal
// digits, and the way back. SPEC.md section 19 (#swp-form).

import type { Envelope } from './envelope.ts';
import type { SwpMessage } from './message.ts';
import type { SwpCode, SwpDetail } from './refusal.ts';

/** Numbers are decimal texts, octets lower-case hexadecimal digits. */
export interface SwpEnvelopeForm {
  readonly version: string;
  readonly profile_id: string;
  readonly msg_type: string;
  readonly flags: string;
  readonly ts_unix_ms: string;
  readonly msg_id: string;
  readonly extensions: readonly { readonly type: string; readonly value: string }[];
  readonly payload: string;
}

export type SwpMessageForm =
  | {
      readonly type: 'handshake';
      readonly agent_id: string;
      readonly capabilities: readonly string[];
    }
  | {
      readonly type: 'task';
      readonly task_id: string;
      readonly kind: string;
      readonly input: string;
    }
  | {
      readonly type: 'event';
      readonly task_id: string;
      readonly message: string;
      readonly event_payload: string;
    }
  | {
      readonly type: 'result';
      readonly task_id: string;
      readonly ok: boolean;
      readonly output: string;
      readonly error_message: string;
    };

/** What became of one frame. */
export interface SwpFrameForm {
  readonly outcome: 'accept' | 'reject';
  /** `OK`, or why not. */
  readonly code: 'OK' | SwpCode;
  /** Only of one that is refused. */
  readonly error?: `ERR_${SwpCode}`;
  readonly detail?: SwpDetail;
  /** Only where all eight fields were read. */
  readonly envelope?: SwpEnvelopeForm;
  /** Only of profile 2. */
  readonly message?: SwpMessageForm;
}

/** What a frame can be made of: what was read, or less. */
export interface SwpFrameInput {
  readonly envelope?: Partial<SwpEnvelopeForm>;
  readonly message?: SwpMessageForm;
}

export function envelopeForm(envelope: Envelope): SwpEnvelopeForm {
  const { version, profileId, msgType, flags, tsUnixMs, msgId, extensions, payload } = envelope;
  return {
    version: String(version),
    profile_id: String(profileId),
    msg_type: String(msgType),
    flags: String(flags),
    ts_unix_ms: String(tsUnixMs),
    msg_id: toHex(msgId),
    extensions: extensions.map(({ type, value }) => ({ type: String(type), value: toHex(value) })),
    payload: toHex(payload),
  };
}

/** With all fields, also those that have their default. */
export function messageForm(message: SwpMessage): SwpMessageForm {
  switch (message.type) {
    case 'handshake':
      return {
        type: 'handshake',
        agent_id: message.agentId,
        capabilities: [...message.capabilities],
      };
    case 'task':
      return {
        type: 'task',
        task_id: toHex(message.taskId),
        kind: message.kind,
        input: toHex(message.input),
      };
    case 'event':
      return {
        type: 'event',
        task_id: toHex(message.taskId),
        message: message.message,
        event_payload: toHex(message.eventPayload),
      };
    default:
      return {
        type: 'result',
        task_id: toHex(message.taskId),
        ok: message.ok,
        output: toHex(message.output),
        error_message: message.errorMessage,
      };
  }
}

export function toHex(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('hex');
}
