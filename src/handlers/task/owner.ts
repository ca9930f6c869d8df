// Owns whose task a tool is about, and what is said when there is none. SPEC.md section 8 (#task-ids).

import type { JsonObject } from '../../codec/value.ts';
import type { OwnerOption } from '../../door/service.ts';
import { SdlError } from '../../errors.ts';

/** The door allows the tasks of others to administrators. */
export function ownerIn({ owner }: JsonObject): OwnerOption {
  return owner === undefined ? {} : { owner: owner as string };
}

export function unknownTask(): SdlError {
  return new SdlError('TASK_UNKNOWN', 'the sender has no task with this id');
}
