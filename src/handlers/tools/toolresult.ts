// Owns `toolresult.v1` that comes by itself: the result of a call that its caller no longer waits for.
// SPEC.md section 9 (#content-types).

import type { JsonObject, JsonValue } from '../../codec/value.ts';
import type { ContentHandler, RequestContext } from '../../content.ts';
import type { MaybePromise } from '../../crypto/provider.ts';
import { acknowledge } from '../acknowledge.ts';

/** The payload of `toolresult.v1`. */
interface ToolResult {
  readonly call_id: string;
  readonly ok: boolean;
  readonly result: JsonValue;
  readonly logs: readonly string[];
  readonly metrics: JsonObject;
}

export type OnToolResult = (result: ToolResult, context: RequestContext) => MaybePromise<void>;

export function createToolResultHandler(onToolResult: OnToolResult): ContentHandler {
  return {
    ct: 'toolresult.v1',
    async handle(payload, context) {
      await onToolResult(payload as unknown as ToolResult, context);
      return acknowledge(context);
    },
  };
}
