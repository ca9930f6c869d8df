// Owns what a message is once it was let in: checked, and as a witness is told of it. ARCHITECTURE.md ("The door").

import { SdlError } from '../errors.ts';
import type { MemberFault } from '../tasks/member-fault.ts';
import type { Message, MessageContent } from '../tasks/message.ts';
import { createMessage } from '../tasks/message.ts';
import type { CallContext } from './call.ts';
import type { StartTask } from './service.ts';
import type { AcceptedMessage } from './witness.ts';

/** An id that was made here did not come in the message. */
export function acceptedStart(
  call: CallContext,
  { message, kind, idempotency }: StartTask,
): AcceptedMessage {
  const isNamed = idempotency !== undefined && idempotency.isDerived !== true;
  return {
    call,
    operation: 'start',
    message: readMessage(message),
    ...(isNamed && { taskId: call.received?.taskId ?? idempotency.id }),
    ...(kind !== undefined && { kind }),
  };
}

/** Throws PAYLOAD_INVALID; `details.member` and `details.expected` say what is wrong with it. */
export function readMessage(content: MessageContent): Message {
  try {
    return createMessage(content);
  } catch (cause) {
    const { message, member, expected } = cause as Error & Partial<MemberFault>;
    const details = member === undefined || expected === undefined ? {} : { member, expected };
    throw new SdlError('PAYLOAD_INVALID', message, { details, cause });
  }
}
