// Owns how `send` goes on with a task when the connection to its agent was lost: the agent is waited for, and the task is
// followed from where it was.

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonArray, isJsonObject } from '../../src/codec/index.ts';
import type { ArtifactItem, ExchangeOptions, RemoteAgent } from '../../src/client/index.ts';
import { readItems } from '../../src/client/index.ts';
import { taskLine } from '../kit/command-line.ts';
import type { CommandContext } from '../kit/command.ts';
import { followTask } from '../tasks/follow.ts';
import { Patience } from '../tasks/patience.ts';
import type { TaskScreen } from './output.ts';
import type { TaskEnd } from './result.ts';

export interface SentTask {
  readonly peer: RemoteAgent;
  readonly id: string;
  readonly how: ExchangeOptions & { readonly signal: AbortSignal };
  /** The generation that was shown last. */
  readonly seen: number;
  /** How the connection was lost. */
  readonly thrown: unknown;
  readonly leftMs: number;
}

/** The end of the task, or its question; `undefined` when the user or the time stopped it before. */
export async function followSentTask(
  { peer, id, how, seen, thrown, leftMs }: SentTask,
  screen: TaskScreen,
  context: CommandContext,
): Promise<TaskEnd | undefined> {
  const name = context.words[0]!;
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), leftMs);
  const signal = AbortSignal.any([how.signal, over.signal]);
  const next = (): string =>
    `when it runs again: ${taskLine(context, 'watch', { id, peer: name })}`;
  const patience = new Patience({ context, name, signal, next });
  const call = async (tool: string, args: JsonObject): Promise<JsonObject> => {
    const result = await peer.call(tool, args, { ...how, signal });
    return isJsonObject(result) ? result : {};
  };
  try {
    // It has answered before: that is how it is known to have the task.
    patience.answered();
    await patience.pauseAfter(thrown);
    screen.restart();
    const follower = { name, agent: peer, how: { ...how, signal }, call };
    for await (const step of followTask(follower, { id }, patience)) {
      const { ct, payload, document, generation } = step;
      const isQuestion = generation > seen && isJsonObject(document['question']);
      if (step.isEnd || isQuestion) return { document, artifacts: itemsIn(document, 'artifacts') };
      const artifacts = ct === 'artifact.v1' ? itemsIn(payload, 'items') : [];
      screen.show({ ct, payload, document, artifacts }, generation <= seen);
    }
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function itemsIn(value: JsonValue, member: string): ArtifactItem[] {
  const items = isJsonObject(value) ? value[member] : undefined;
  return isJsonArray(items) ? readItems(items.filter(isJsonObject)) : [];
}
