// Owns the four messages of the A2A profile, and what each must say. SPEC.md section 19 (#swp-messages).

import { SwpRefusal } from './refusal.ts';

export interface HandshakeMessage {
  readonly type: 'handshake';
  /** A claim: nothing proves it. */
  readonly agentId: string;
  readonly capabilities: readonly string[];
}

export interface TaskMessage {
  readonly type: 'task';
  readonly taskId: Uint8Array;
  readonly kind: string;
  readonly input: Uint8Array;
}

export interface EventMessage {
  readonly type: 'event';
  readonly taskId: Uint8Array;
  readonly message: string;
  readonly eventPayload: Uint8Array;
}

export interface ResultMessage {
  readonly type: 'result';
  readonly taskId: Uint8Array;
  readonly ok: boolean;
  readonly output: Uint8Array;
  readonly errorMessage: string;
}

export type SwpMessage = HandshakeMessage | TaskMessage | EventMessage | ResultMessage;

/** By their numbers, which are also those of the members of a payload. */
export const MESSAGE_TYPES = ['handshake', 'task', 'event', 'result'] as const;

const MAX_TASK_ID_BYTES = 256;
/** Of a kind, an agent_id and each capability. */
export const MAX_TEXT_BYTES = 1_024;
export const MAX_CAPABILITIES = 1_024;

/** White_Space of Unicode: a byte order mark is none, and the line end of EBCDIC is. */
const BLANK = /^\p{White_Space}*$/u;

function isBlank(text: string): boolean {
  const first = text.charCodeAt(0);
  // Most texts begin with a letter of ASCII.
  return !(first > 0x20 && first < 0x7f) && BLANK.test(text);
}

/** Throws a refusal for a message that does not say what it must, or says too much. */
export function checkMessage(message: SwpMessage): void {
  if (message.type === 'handshake') {
    checkName('agent_id', message.agentId);
    if (message.capabilities.length > MAX_CAPABILITIES) {
      throw invalid(`more than ${MAX_CAPABILITIES} capabilities`);
    }
    for (const capability of message.capabilities) checkLength('a capability', capability);
    return;
  }
  const { length } = message.taskId;
  if (length === 0) throw invalid('task_id is missing');
  if (length > MAX_TASK_ID_BYTES)
    throw invalid(`a task_id of more than ${MAX_TASK_ID_BYTES} octets`);
  if (message.type === 'task') checkName('kind', message.kind);
  if (message.type === 'event' && isBlank(message.message) && message.eventPayload.length === 0) {
    throw invalid('an Event says something');
  }
  if (message.type === 'result' && !message.ok && isBlank(message.errorMessage)) {
    throw invalid('a failure needs its reason in error_message');
  }
}

function checkName(field: string, text: string): void {
  checkLength(field, text);
  if (isBlank(text)) throw invalid(`${field} is missing`);
}

function checkLength(field: string, text: string): void {
  // No text has fewer octets than UTF-16 units.
  const isTooLong =
    text.length > MAX_TEXT_BYTES ||
    (text.length * 3 > MAX_TEXT_BYTES && Buffer.byteLength(text) > MAX_TEXT_BYTES);
  if (isTooLong) throw invalid(`${field} of more than ${MAX_TEXT_BYTES} octets`);
}

export function invalid(words: string): SwpRefusal {
  return new SwpRefusal('INVALID_PROFILE_PAYLOAD', words);
}
