// Owns following a task of an agent through lost connections: every event once, in order, until the task has ended.

import type { JsonObject, JsonValue } from '../../src/codec/index.ts';
import { isJsonObject } from '../../src/codec/index.ts';
import { RemoteError, ToolCallError } from '../../src/client/index.ts';
import { contentHash } from '../../src/schema/index.ts';
import type { StateDocument } from '../../src/state/index.ts';
import { INITIAL_STATE, applyState } from '../../src/state/index.ts';
import { TransportError } from '../../src/transport.ts';
import type { TaskPeer } from './client.ts';
import type { Patience } from './patience.ts';
import { ENDED, textIn } from './view.ts';

/** An event of the task, or all of it at its end. */
export interface TaskStep {
  readonly generation: number;
  readonly ct: string;
  readonly payload: JsonValue;
  /** The task after it. */
  readonly document: JsonObject;
  readonly isEnd: boolean;
}

/** One exchange follows for so long; the next one goes on where it was. */
const FOLLOW_MS = 300_000;

/** Ends without an end of the task only when the user interrupts. */
export async function* followTask(
  peer: TaskPeer,
  args: JsonObject,
  patience: Patience,
): AsyncGenerator<TaskStep> {
  const { signal } = peer.how;
  // Patches start from what came before, so all of it is read, whatever is shown.
  let state: StateDocument = INITIAL_STATE;
  let generation = 0;
  while (!signal.aborted) {
    const payload = {
      tool: 'task.watch',
      call_id: `after-${generation}`,
      args: { ...args, after: generation },
      expect: {},
    };
    const how = { ...peer.how, timeoutMs: FOLLOW_MS, stream: true };
    try {
      // The watch itself may have nothing to say for long.
      if (patience.isWaiting) {
        await peer.call('task.get', args);
        patience.answered();
      }
      for await (const message of peer.agent.request({ ct: 'toolcall.v1', payload }, how)) {
        const { ct } = message;
        patience.answered();
        if (message.type === 'res') {
          const document = resultOf(message.payload);
          generation = Math.max(generation, generationOf(document));
          state = withoutOutput(document);
          const isEnd = ENDED.has(textIn(document, 'status') ?? '');
          if (isEnd) yield { generation, ct, payload: message.payload, document, isEnd };
          if (isEnd) return;
          break;
        }
        generation += 1;
        if (ct === 'state.v1') state = applyState(state, message.payload);
        const document = isJsonObject(state.value) ? state.value : {};
        yield { generation, ct, payload: message.payload, document, isEnd: false };
      }
    } catch (thrown) {
      if (signal.aborted) return;
      if (isQuiet(thrown)) await patience.pause();
      else await patience.pauseAfter(thrown);
    }
  }
}

/** Nothing happened for as long as one exchange follows, or as the agent lets anybody wait. */
function isQuiet(thrown: unknown): boolean {
  if (thrown instanceof TransportError) return thrown.fault === 'timeout';
  return thrown instanceof RemoteError && thrown.code === 'DEADLINE';
}

function resultOf(payload: JsonValue): JsonObject {
  const { ok, result } = isJsonObject(payload) ? payload : {};
  if (ok !== true) throw new ToolCallError('task.watch', result ?? null);
  return isJsonObject(result) ? result : {};
}

function generationOf({ task }: JsonObject): number {
  return isJsonObject(task) ? Number(task['generation'] ?? 0) : 0;
}

/** What the next patch starts from: events carry the output by itself. */
function withoutOutput(document: JsonObject): StateDocument {
  const { artifacts: _output, error: _failure, ...value } = document;
  return { value, hash: contentHash(value) };
}
