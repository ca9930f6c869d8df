// Owns the tools that a task may use: those that its sender could call itself, and no others.
// SPEC.md sections 10 and 13 (#grant, #checks).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import type { Answer, RequestContext } from '../content.ts';
import { SdlError } from '../errors.ts';
import { authorize } from '../security/authorize.ts';
import type { ToolBox } from '../tasks/task-context.ts';
import { TaskError } from '../tasks/task-error.ts';
import type { ToolCallOptions } from './toolcall.ts';
import { createToolCallHandler } from './toolcall.ts';

/** For `toolsFor` of the task handler: calls go the way of `toolcall.v1`, with the task's own signal. */
export function createToolsFor(options: ToolCallOptions): (context: RequestContext) => ToolBox {
  const { handle } = createToolCallHandler(options);
  return (context) => {
    const has = (name: string): boolean =>
      options.tools.find(name) !== undefined && mayCall(name, context);
    return {
      has,
      list: () => options.tools.names().filter(has),
      call: async (name, args, signal) => {
        if (!has(name)) throw new TaskError('there is no such tool', { code: 'TOOL_UNKNOWN' });
        const payload = { tool: name, call_id: 'task', args, expect: {} };
        const answers = handle(payload, { ...context, signal, wantsStream: false });
        for await (const answer of answers as AsyncIterable<Answer>) return resultOf(answer);
        throw new TaskError('the tool gave no result', { code: 'TOOL_FAILED' });
      },
    };
  };
}

function mayCall(tool: string, { peer, granted }: RequestContext): boolean {
  try {
    authorize({ ct: 'toolcall.v1', payload: { tool } }, peer, granted);
    return true;
  } catch (error) {
    if (error instanceof SdlError) return false;
    throw error;
  }
}

/** The result; a tool's failure becomes the failure of the task unless its author catches it. */
function resultOf({ ct, payload }: Answer): JsonValue {
  if (ct !== 'toolresult.v1') {
    throw new TaskError('the tool answers in a way that a task cannot use', {
      code: 'TOOL_FAILED',
    });
  }
  const { ok, result } = payload as JsonObject;
  if (ok === true) return result!;
  const error = isJsonObject(result) ? result['error'] : undefined;
  const { code, message } = error as { readonly code: string; readonly message: string };
  throw new TaskError(message, { code });
}
