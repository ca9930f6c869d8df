// Owns what tests ask over gRPC in each version, and where what comes back stands.

import type { Json } from './ask.ts';
import { at, textAt } from './ask.ts';
import type { PushWish } from './pushes.ts';
import { pushMember, pushObject } from './pushes.ts';

type GrpcVersion = '1.0' | '0.3';

interface SendWish {
  readonly text?: string;
  readonly id?: string;
  readonly contextId?: string;
  readonly isWaiting?: boolean;
  readonly historyLength?: number;
  readonly tenant?: string;
  /** In the form of the version. @default the text alone */
  readonly parts?: readonly Json[];
  /** The web hook that it brings. */
  readonly push?: PushWish;
}

export interface GrpcWords {
  readonly version: GrpcVersion;
  /** The name of the call that subscribes. */
  readonly subscribe: string;
  readonly send: (wish?: SendWish) => Json;
  /** A request that names a task. */
  readonly task: (id: string, more?: Readonly<Record<string, Json>>) => Json;
  readonly stateOf: (word: string) => string;
  /** The member of a message that holds its parts. */
  readonly content: string;
}

let messages = 0;

function wordsOf(version: GrpcVersion): GrpcWords {
  const isV1 = version === '1.0';
  const wire = isV1 ? 'v1' : 'v03';
  const content = isV1 ? 'parts' : 'content';
  return {
    version,
    content,
    subscribe: isV1 ? 'SubscribeToTask' : 'TaskSubscription',
    send: ({
      text = 'hello',
      id,
      contextId,
      isWaiting = true,
      historyLength,
      tenant,
      parts,
      push,
    } = {}) => ({
      message: {
        messageId: `message-${(messages += 1)}`,
        role: 'ROLE_USER',
        [content]: parts ?? [{ text }],
        ...(id !== undefined && { taskId: id }),
        ...(contextId !== undefined && { contextId }),
      },
      configuration: {
        ...(isV1 ? { returnImmediately: !isWaiting } : { blocking: isWaiting }),
        ...(historyLength !== undefined && { historyLength }),
        ...(push !== undefined && { [pushMember(wire, 'rest')]: pushObject(wire, push) }),
      },
      ...(tenant !== undefined && { tenant }),
    }),
    task: (id, more = {}) => ({ ...(isV1 ? { id } : { name: `tasks/${id}` }), ...more }),
    stateOf: (word) => {
      const name = !isV1 && word === 'canceled' ? 'cancelled' : word;
      return `TASK_STATE_${name.toUpperCase().replaceAll('-', '_')}`;
    },
  };
}

export const GRPC_WORDS: readonly GrpcWords[] = [wordsOf('1.0'), wordsOf('0.3')];

/** The id of the task in an answer. */
export function taskIdIn(body: Json | undefined): string {
  return textAt(body, 'task.id');
}

export function stateIn(task: Json | undefined): Json | undefined {
  return at(task, 'status.state');
}
