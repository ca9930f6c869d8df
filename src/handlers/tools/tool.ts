// Owns what a tool is to its author: arguments that were checked, a result, and how to fail with words for the caller.
// SPEC.md section 9 (#content-types).

import type { JsonObject, JsonValue } from '../../codec/value.ts';
import type { Answer, RequestContext } from '../../content.ts';
import type { MaybePromise } from '../../crypto/provider.ts';
import type { Schema } from '../../schema/descriptor.ts';
import type { StandardOutput, StandardSchema } from '../custom/standard-schema.ts';

/** What a tool knows of every call. `signal` aborts when nobody waits for the result any more. */
type AnyCall = Pick<
  RequestContext,
  'call' | 'agentId' | 'signal' | 'now' | 'wantsStream' | 'takesParts'
>;

/** What it knows besides, where a message of the SDL wire asks for the call: a task may go on without one. */
type MessageFacts = Partial<
  Pick<RequestContext, 'request' | 'peer' | 'mode' | 'keyThumbprint' | 'afterGeneration'>
>;

export interface ToolContext extends AnyCall, MessageFacts {
  readonly callId: string;
  /** May the caller call this tool, too, now? */
  readonly mayCall: (tool: string) => boolean;
  /** Adds a line to `logs` of the result, which the caller reads: at most 100 lines of 1000 characters are kept. */
  readonly log: (line: string) => void;
}

/**
 * One value is the result. Of an iterable every value that it yields is progress and goes out at once, an explicit
 * answer as it is; the result is what it returns, or else the last value that it yielded.
 */
export type ToolOutput =
  MaybePromise<JsonValue | Answer | undefined | void> | AsyncIterable<JsonValue | Answer>;

interface ToolOptions {
  /** 1 to 128 letters, digits and `_ . : / -`. */
  readonly name: string;
  /** A few words for people. */
  readonly title?: string;
  /** What it does, for people and for programs that choose a tool. */
  readonly description?: string;
  /**
   * It changes nothing and tells of what goes on: a call ends with its connection, its result is not kept, and a retry
   * of the call runs it again. @default false
   */
  readonly isRead?: boolean;
  /**
   * What the result must fit: a JSON Schema, or a validator of another library. A result that does not is an error of
   * the tool; one that does goes out as the tool gave it. @default anything
   */
  readonly result?: Schema | StandardSchema;
  /**
   * The arguments and the result as others are told of them, for a validator that cannot write a JSON Schema; it
   * checks nothing. @default what `args` and `result` say themselves, else anything
   */
  readonly jsonSchema?: { readonly args?: Schema; readonly result?: Schema };
}

/** A tool whose arguments fit a JSON Schema. It gets them as they were read: no number has changed. */
export interface JsonTool extends ToolOptions {
  readonly args: Schema;
  readonly run: (args: JsonObject, context: ToolContext) => ToolOutput;
}

/** A tool whose arguments fit a validator of another library. It gets the validator's output. */
export interface StandardTool<S extends StandardSchema> extends ToolOptions {
  readonly args: S;
  readonly run: (args: StandardOutput<S>, context: ToolContext) => ToolOutput;
}

/** A tool of either kind. {@link defineTool} makes one whose `run` knows the type of its arguments. */
export interface Tool extends ToolOptions {
  readonly args: Schema | StandardSchema;
  readonly run: (args: never, context: ToolContext) => ToolOutput;
}

/** Gives a tool back as it is; for the types. */
export function defineTool<S extends StandardSchema>(tool: StandardTool<S>): Tool;
export function defineTool(tool: JsonTool): Tool;
export function defineTool(tool: Tool): Tool {
  return tool;
}

export interface ToolErrorOptions {
  /** Capital letters, digits and `_`, for the caller's program. @default 'TOOL_FAILED' */
  readonly code?: string;
  /** The same call may succeed later. @default false */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

const CODE = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Thrown by a tool to fail: the caller reads the message. The words of any other error stay here. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: string;
  readonly retryable: boolean;

  constructor(message: string, options: ToolErrorOptions = {}) {
    const { code = 'TOOL_FAILED', retryable = false, cause } = options;
    super(message, cause === undefined ? undefined : { cause });
    if (!CODE.test(code)) throw new TypeError('"code" expected capital letters, digits and "_"');
    this.code = code;
    this.retryable = retryable;
  }
}
