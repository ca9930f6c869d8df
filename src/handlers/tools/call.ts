// Owns one call of a tool, whoever asks for it: the caller's rights, the arguments, the run, and how a failure is told.
// SPEC.md sections 8, 9 and 12 (#exchange, #content-types, #errors-no-data).

import type { JsonObject, JsonValue } from '../../codec/value.ts';
import type { Answer } from '../../content.ts';
import type { Rights } from '../../door/rights.ts';
import { toErrorPayload } from '../../envelope/error-payload.ts';
import { SdlError, toSdlError } from '../../errors.ts';
import { plainText } from '../../tasks/plain-text.ts';
import { isAnswer, isAsyncIterable } from '../answer.ts';
import { abortError, untilAborted } from '../until-aborted.ts';
import { mayCall } from './may-call.ts';
import type { RegisteredTool, ToolRegistry } from './registry.ts';
import { streamTool } from './stream.ts';
import type { ToolContext } from './tool.ts';
import { ToolError } from './tool.ts';

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
  /** Asked at each call. */
  readonly rights: Rights;
  /** Learns of every call that failed, with the error as it was thrown. @default nothing */
  readonly onFailure?: (failure: ToolFailure) => void;
}

/** Who calls, and how; the rest of a tool's context follows from the call itself. */
export type ToolCaller = Omit<ToolContext, 'callId' | 'log' | 'mayCall'>;

export interface ToolCall {
  readonly tool: string;
  readonly callId: string;
  readonly args: JsonObject;
}

/** As in `error.v1`. */
interface ToldError {
  readonly code: string;
  readonly message: string;
  readonly details: JsonObject;
  readonly retryable: boolean;
}

export interface ToolOutcome {
  readonly result: JsonValue | Answer;
  /** Why there is no result. */
  readonly error?: ToldError;
  /** What the tool wrote for the caller. */
  readonly logs: readonly string[];
}

const MAX_LOG_LINES = 100;
const MAX_LINE_LENGTH = 1_000;
const MAX_MESSAGE_LENGTH = 2_000;

/** Yields what the tool tells on the way, and returns what became of the call. It does not throw. */
export async function* callTool(
  { tool: name, callId, args }: ToolCall,
  caller: ToolCaller,
  { tools, rights, onFailure }: ToolCallOptions,
): AsyncGenerator<Answer, ToolOutcome> {
  const { call, now } = caller;
  const logs: string[] = [];
  const context: ToolContext = {
    ...caller,
    callId,
    log: (line) => keepLine(logs, line),
    mayCall: (other) => mayCall(other, call, rights, now()),
  };
  try {
    const tool = tools.find(name);
    if (tool === undefined) throw new ToolError('there is no such tool', { code: 'TOOL_UNKNOWN' });
    if (!context.mayCall(name)) {
      throw new SdlError('NOT_AUTHORIZED', 'the caller may not use this tool now');
    }
    return { result: yield* runTool(tool, args, context), logs };
  } catch (error) {
    onFailure?.({ tool: name, callId, agentId: call.principal.id, error });
    return { result: null, error: describe(error), logs };
  }
}

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

/** The words of an unexpected error may hold anything, so the caller gets those of INTERNAL. */
function describe(thrown: unknown): ToldError {
  if (!(thrown instanceof ToolError)) {
    return toErrorPayload(toSdlError(thrown)) as unknown as ToldError;
  }
  const { code, message, retryable } = thrown;
  return { code, message: plainText(message, MAX_MESSAGE_LENGTH), details: {}, retryable };
}

function keepLine(logs: string[], line: string): void {
  if (logs.length < MAX_LOG_LINES) logs.push(plainText(line, MAX_LINE_LENGTH));
}
