// Owns `toolcall.v1`: one tool is run, and whatever becomes of it is told by a `toolresult.v1`.
// SPEC.md sections 8, 9 and 12 (#exchange, #content-types, #errors-no-data).

import type { JsonObject, JsonValue } from '../../codec/value.ts';
import type { Answer, ContentHandler, RequestContext } from '../../content.ts';
import { toErrorPayload } from '../../envelope/error-payload.ts';
import { toSdlError } from '../../errors.ts';
import { plainText } from '../../tasks/plain-text.ts';
import { isAnswer, isAsyncIterable } from '../answer.ts';
import { streamTool } from './stream.ts';
import { ToolError } from './tool.ts';
import type { ToolContext } from './tool.ts';
import type { RegisteredTool, ToolRegistry } from './registry.ts';
import { abortError, untilAborted } from '../until-aborted.ts';

/** A call that gave no result; for the local log. */
export interface ToolFailure {
  /** As the caller wrote it, when there is no such tool. */
  readonly tool: string;
  readonly callId: string;
  /** The caller. */
  readonly agentId: string;
  readonly error: unknown;
}

export interface ToolCallOptions {
  readonly tools: ToolRegistry;
  /** Learns of every call that failed, with the error as it was thrown. @default nothing */
  readonly onFailure?: (failure: ToolFailure) => void;
}

const MAX_LOG_LINES = 100;
const MAX_LINE_LENGTH = 1_000;
const MAX_MESSAGE_LENGTH = 2_000;

export function createToolCallHandler({ tools, onFailure }: ToolCallOptions): ContentHandler {
  return {
    ct: 'toolcall.v1',
    isRead: (payload) => tools.find((payload as unknown as ToolCall).tool)?.isRead === true,
    async *handle(payload, context) {
      const { tool: name, call_id: callId, args } = payload as unknown as ToolCall;
      const startedMs = context.now();
      const logs: string[] = [];
      const tool = tools.find(name);
      let ok = false;
      let result: JsonValue | Answer;
      try {
        if (tool === undefined) throw new ToolError('there is no such tool', UNKNOWN_TOOL);
        const call = { ...context, callId, log: (line: string) => keepLine(logs, line) };
        result = yield* runTool(tool, args, call);
        ok = true;
      } catch (error) {
        onFailure?.({ tool: name, callId, agentId: context.peer.agentId, error });
        const told = describe(error);
        // v1 peers look for the reason among the lines of the log.
        logs.push(told.message);
        result = { error: { ...told } };
      }
      if (isAnswer(result)) {
        yield result;
        return;
      }
      const metrics = metricsOf(context, startedMs, tool);
      yield { ct: 'toolresult.v1', payload: { call_id: callId, ok, result, logs, metrics } };
    },
  };
}

/** What the schema of `toolcall.v1` makes sure of. */
interface ToolCall {
  readonly tool: string;
  readonly call_id: string;
  readonly args: JsonObject;
}

interface ToldError {
  readonly code: string;
  readonly message: string;
  readonly details: JsonObject;
  readonly retryable: boolean;
}

const UNKNOWN_TOOL = { code: 'TOOL_UNKNOWN' } as const;

async function* runTool(
  tool: RegisteredTool,
  args: JsonObject,
  context: ToolContext,
): AsyncGenerator<Answer, JsonValue | Answer> {
  const { signal } = context;
  const parsed = await untilAborted(tool.parseArgs(args), signal);
  if (signal.aborted) throw abortError(signal);
  const output = tool.run(parsed, context);
  const returned = isAsyncIterable(output)
    ? yield* streamTool(output as AsyncIterable<JsonValue | Answer>, context)
    : await untilAborted(output, signal);
  if (isAnswer(returned)) return returned;
  const result = returned ?? null;
  await tool.checkResult(result);
  return result;
}

/** As in `error.v1`. The words of an unexpected error may hold anything, so the caller gets those of INTERNAL. */
function describe(thrown: unknown): ToldError {
  if (!(thrown instanceof ToolError)) {
    return toErrorPayload(toSdlError(thrown)) as unknown as ToldError;
  }
  const { code, message, retryable } = thrown;
  return { code, message: plainText(message, MAX_MESSAGE_LENGTH), details: {}, retryable };
}

/** `tool` only where it is a name of ours: an error repeats no text of the sender's. */
function metricsOf(
  { now, peer }: RequestContext,
  startedMs: number,
  tool: RegisteredTool | undefined,
): JsonObject {
  const latency = Math.max(0, Math.round(now() - startedMs));
  return { latency_ms: latency, tool: tool?.name ?? '', agent_id: peer.agentId };
}

function keepLine(logs: string[], line: string): void {
  if (logs.length < MAX_LOG_LINES) logs.push(plainText(line, MAX_LINE_LENGTH));
}
