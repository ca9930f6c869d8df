// Owns `toolcall.v1`: one tool is run, and whatever becomes of it is told by a `toolresult.v1`.
// SPEC.md sections 8 and 9 (#exchange, #content-types).

import type { JsonObject } from '../../codec/value.ts';
import type { ContentHandler } from '../../content.ts';
import { isAnswer } from '../answer.ts';
import type { ToolCallOptions } from './call.ts';
import { callTool } from './call.ts';

export function createToolCallHandler(options: ToolCallOptions): ContentHandler {
  const { tools } = options;
  return {
    ct: 'toolcall.v1',
    isRead: (payload) => tools.find((payload as unknown as CallPayload).tool)?.isRead === true,
    async *handle(payload, context) {
      const { tool: name, call_id: callId, args } = payload as unknown as CallPayload;
      const { now, call } = context;
      const startedMs = now();
      const told = yield* callTool({ tool: name, callId, args }, context, options);
      const { result, error, logs } = told;
      if (isAnswer(result)) {
        yield result;
        return;
      }
      const metrics = {
        latency_ms: Math.max(0, Math.round(now() - startedMs)),
        // Only where it is a name of ours: an error repeats no text of the sender's.
        tool: tools.find(name)?.name ?? '',
        agent_id: call.principal.id,
      };
      yield {
        ct: 'toolresult.v1',
        payload: {
          call_id: callId,
          ok: error === undefined,
          result: error === undefined ? result : { error: { ...error } },
          // v1 peers look for the reason among the lines of the log.
          logs: error === undefined ? logs : [...logs, error.message],
          metrics,
        },
      };
    },
  };
}

/** What the schema of `toolcall.v1` makes sure of. */
interface CallPayload {
  readonly tool: string;
  readonly call_id: string;
  readonly args: JsonObject;
}
