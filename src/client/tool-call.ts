// Owns the result of a tool as its caller gets it: the value, or how the tool failed. SPEC.md section 9 (#content-types).

import type { JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import { fineCode } from '../errors.ts';

/** The tool ran and failed: `toolresult.v1` with `ok: false`. */
export class ToolCallError extends Error {
  override readonly name = 'ToolCallError';
  /** The finest code that the other end tells: one of the error table or of the tool's own, else {@link wireCode}. */
  readonly code: string;
  /** As the result names it: a wire code, `TOOL_UNKNOWN`, `TOOL_FAILED`, or one of the tool's own. */
  readonly wireCode: string;
  /** Such as `path`, the place of an argument that does not fit, and `keyword`, what it does not fit. */
  readonly details: Readonly<Record<string, JsonValue>>;
  readonly retryable: boolean;
  /** As it came; v1 peers have their own forms. */
  readonly result: JsonValue;

  constructor(tool: string, result: JsonValue) {
    const error = isJsonObject(result) && isJsonObject(result['error']) ? result['error'] : {};
    const { code, message, retryable } = error;
    const details = isJsonObject(error['details']) ? error['details'] : {};
    super(`the tool "${tool}" failed${typeof message === 'string' ? `: ${message}` : ''}`);
    this.wireCode = typeof code === 'string' ? code : 'TOOL_FAILED';
    this.code = fineCode(this.wireCode, details);
    this.details = details;
    this.retryable = retryable === true;
    this.result = result;
  }
}

/** What a `toolresult.v1` brings. Throws a {@link ToolCallError} when the tool failed. */
export function resultIn(tool: string, payload: JsonValue): JsonValue {
  const { ok, result = null } = isJsonObject(payload) ? payload : {};
  if (ok !== true) throw new ToolCallError(tool, result);
  return result;
}
