// Owns frames of the SWP wire for tests: short ways to write one.

import { encodeFrame } from '../../../profiles/swp/index.ts';
import type { SwpEnvelopeForm, SwpMessageForm } from '../../../profiles/swp/index.ts';

let made = 0;

export function hex(text: string | Uint8Array): string {
  return Buffer.from(text as string).toString('hex');
}

export function textOf(digits: string): string {
  return Buffer.from(digits, 'hex').toString('utf8');
}

/** A frame with a msg_id of its own. */
export function frame(
  message: SwpMessageForm,
  envelope: Partial<SwpEnvelopeForm> = {},
): Uint8Array {
  made += 1;
  const msgId = `00000000${made.toString(16).padStart(8, '0')}`.padEnd(32, '0');
  return encodeFrame({ envelope: { msg_id: msgId, ...envelope }, message });
}

export function task(taskId: string, kind: string, input = ''): SwpMessageForm {
  return { type: 'task', task_id: hex(taskId), kind, input: hex(input) };
}

export function event(taskId: string, message: string): SwpMessageForm {
  return { type: 'event', task_id: hex(taskId), message, event_payload: '' };
}

export function result(taskId: string, output: string): SwpMessageForm {
  return {
    type: 'result',
    task_id: hex(taskId),
    ok: true,
    output: hex(output),
    error_message: '',
  };
}

export function failed(taskId: string, reason: string): SwpMessageForm {
  return {
    type: 'result',
    task_id: hex(taskId),
    ok: false,
    output: '',
    error_message: reason,
  };
}

export function handshake(agentId: string, ...capabilities: string[]): SwpMessageForm {
  return { type: 'handshake', agent_id: agentId, capabilities };
}
