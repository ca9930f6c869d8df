// Owns whose a task is: on whose word it runs, and which tasks a call reaches. ARCHITECTURE.md ("The door").

import { SdlError } from '../errors.ts';
import type { TaskAuthority, TaskScope } from '../tasks/task.ts';
import type { CallContext } from './call.ts';
import { carriedScope } from './covered.ts';
import type { Principal } from './principal.ts';
import type { Standing } from './rights.ts';

/** Of a task, what its rights are asked by. */
export interface TaskFacts {
  readonly tenant: string;
  readonly owner: string;
  readonly authority: TaskAuthority;
}

/** Whom the task belongs to, as its rights are asked for: what was shown at its start counts no more. */
export function ownerOf({ tenant, owner, authority }: TaskFacts): Principal {
  const { scheme, caller } = authority;
  return { id: owner, tenant, scheme, ...(caller !== undefined && { caller }) };
}

export function authorityOf({ principal, ceiling }: CallContext): TaskAuthority {
  const { scheme, caller } = principal;
  return {
    scheme,
    ...(caller !== undefined && { caller }),
    ...(ceiling !== undefined && { ceiling }),
  };
}

/**
 * The tasks of the caller, or of the owner that an administrator names; of a task that the caller carries, its owner's.
 * @param taskId of the one that is asked for. @default a list
 */
export function scopeOf(
  call: CallContext,
  owner: string | undefined,
  standing: Standing,
  taskId?: string,
): TaskScope {
  const carried = taskId === undefined ? undefined : carriedScope(call, taskId);
  if (carried !== undefined) return carried;
  const { id, tenant } = call.principal;
  if (owner === undefined || owner === id) return { owner: id, tenant };
  assertAdmin(standing);
  return { owner, tenant };
}

/** Its own tasks. */
export function ownScope({ id, tenant }: Principal): Required<TaskScope> {
  return { owner: id, tenant };
}

export function assertAdmin({ isAdmin }: Standing): void {
  if (isAdmin) return;
  throw new SdlError('NOT_AUTHORIZED', 'only an administrator may see the tasks of others');
}
