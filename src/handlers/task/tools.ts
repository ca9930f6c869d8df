// Owns the tools that a task may use: those that its owner may call at that moment, in the first attempt and in later
// ones alike. SPEC.md sections 10 and 13 (#grant, #checks).

import type { JsonValue } from '../../codec/value.ts';
import type { CallContext } from '../../door/call.ts';
import { uuidV7 } from '../../envelope/uuid.ts';
import type { ToolBox } from '../../tasks/context.ts';
import { TaskError } from '../../tasks/error.ts';
import { isAnswer } from '../answer.ts';
import type { ToolCallOptions, ToolOutcome } from '../tools/call.ts';
import { callTool } from '../tools/call.ts';
import { mayCall } from '../tools/may-call.ts';

/** On whose word a task runs, and in which dialect it was asked for. */
export type TaskCaller = Pick<CallContext, 'principal' | 'face' | 'ceiling'>;

export interface TaskToolsOptions extends ToolCallOptions {
  /** The agent that works on tasks: ourselves. */
  readonly agentId: string;
  readonly now: () => number;
}

/** Rights are asked whenever a task asks for its tools: it keeps none that were taken from its owner. */
export function createToolsFor(options: TaskToolsOptions): (caller: TaskCaller) => ToolBox {
  const { tools, rights, agentId, now } = options;
  return (caller) => {
    const has = (name: string): boolean =>
      tools.find(name) !== undefined && mayCall(name, caller, rights, now());
    return {
      has,
      list: () => tools.names().filter(has),
      call: async (name, args, signal) => {
        if (!has(name)) throw new TaskError('there is no such tool', { code: 'TOOL_UNKNOWN' });
        const call: CallContext = { ...caller, agentId, signal, now };
        const context = { call, agentId, signal, now, wantsStream: false, takesParts: true };
        const running = callTool({ tool: name, callId: newCallId(now()), args }, context, options);
        for (;;) {
          const step = await running.next();
          if (step.done === true) return resultOf(step.value);
        }
      },
    };
  };
}

/** The result; a tool's failure becomes the failure of the task unless its author catches it. */
function resultOf({ result, error }: ToolOutcome): JsonValue {
  if (error !== undefined) throw new TaskError(error.message, { code: error.code });
  if (!isAnswer(result)) return result;
  throw new TaskError('the tool answers in a way that a task cannot use', { code: 'TOOL_FAILED' });
}

function newCallId(nowMs: number): string {
  return uuidV7(nowMs, (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)));
}
