// Owns what the operations work with: the tasks of the agent, and what its operator chose. SPEC.md section 20
// (#a2a-semantics).

import type { TaskService } from '../../../src/door/index.ts';
import type { Cards } from '../card/cards.ts';
import type { UrlGuard } from '../push/config.ts';
import type { SealedTasks } from '../sealed-tasks/sealed-tasks.ts';

/** An extension of the protocol that the agent knows. */
export interface KnownExtension {
  readonly uri: string;
  /** Who sends without asking for it is refused. @default false */
  readonly required?: boolean;
}

export interface Rules {
  /** Streams are served. */
  readonly streaming: boolean;
  /** Media types of parts that are taken; `undefined` for all. */
  readonly inputModes: readonly string[] | undefined;
  /** Callers may make up the ids of contexts. */
  readonly contextIds: 'accept' | 'refuse';
  readonly extensions: readonly KnownExtension[];
}

export interface Desk {
  readonly tasks: TaskService;
  readonly rules: Rules;
  /** Which web hooks are taken; `undefined` for none. */
  readonly push: UrlGuard | undefined;
  /** What the caller gets who asks for the extended card. */
  readonly extendedCard: Cards['extended'];
  /** `undefined` where no message is taken for a sealed one. */
  readonly sealed: SealedTasks | undefined;
}
