// Owns the operations of the door by name: which rights each needs, and what is told of it to the log, the counters and
// the embedder. ARCHITECTURE.md ("The door").

import type { NewAuditEntry } from '../audit/entry.ts';
import type { ErrorCode, SdlError } from '../errors.ts';
import type { Wish } from './rights.ts';
import type { EvidenceHashes } from './witness.ts';

export type OperationName =
  'start' | 'message' | 'get' | 'list' | 'follow' | 'cancel' | 'hook' | 'hooks' | 'unhook';

/** To do one of these with a task it is enough to be allowed to start tasks, or to call the tool of that name. */
export const WISHES: Readonly<Record<OperationName, readonly Wish[]>> = {
  start: [{ ct: 'task.v1' }],
  message: [{ ct: 'task.v1' }, { tool: 'task.send' }, { tool: 'task.reply' }],
  get: [{ ct: 'task.v1' }, { tool: 'task.get' }],
  list: [{ ct: 'task.v1' }, { tool: 'task.list' }],
  follow: [{ ct: 'task.v1' }, { tool: 'task.watch' }],
  cancel: [{ ct: 'task.v1' }, { tool: 'task.cancel' }],
  // Who has hooks follows a task from outside.
  hook: [{ ct: 'task.v1' }, { tool: 'task.watch' }],
  hooks: [{ ct: 'task.v1' }, { tool: 'task.watch' }],
  unhook: [{ ct: 'task.v1' }, { tool: 'task.watch' }],
};

/** What became of one call through the door. For the local log and counters. */
export interface DoorOutcome {
  readonly face: string;
  readonly operation: OperationName;
  /** The id of the principal. */
  readonly from: string;
  readonly taskId?: string;
  readonly error?: SdlError;
  readonly durationMs: number;
}

interface OperationFacts extends Pick<DoorOutcome, 'face' | 'operation' | 'from'> {
  readonly taskId: string | undefined;
}

/** The entry of one operation; written before it is done, with the verdict of the door. */
export function operationEntry(
  id: string,
  { face, operation, from, taskId }: OperationFacts,
  verdict: 'ok' | ErrorCode,
  evidence?: EvidenceHashes,
): NewAuditEntry {
  return {
    kind: 'operation',
    id,
    from,
    face,
    operation,
    ...(taskId !== undefined && { task: taskId }),
    verdict,
    ...(evidence !== undefined && { evidence: evidence.content }),
    ...(evidence?.raw !== undefined && { raw: evidence.raw }),
  };
}
