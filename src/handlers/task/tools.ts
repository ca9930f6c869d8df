// Owns the tools that a task may use: those that its sender could call itself, and no others.
// SPEC.md sections 10 and 13 (#grant, #checks).

import type { JsonObject, JsonValue } from '../../codec/value.ts';
import { isJsonObject } from '../../codec/value.ts';
import type { Answer, RequestContext, VerifiedRequest } from '../../content.ts';
import { formatTimestamp } from '../../envelope/timestamp.ts';
import type { Envelope } from '../../envelope/types.ts';
import { contentHash } from '../../schema/content-hash.ts';
import type { GrantedScope } from '../../security/policy/grant-shape.ts';
import type { Peer } from '../../security/peers/peer.ts';
import type { ToolBox } from '../../tasks/context.ts';
import { NO_TOOLS } from '../../tasks/engine/options.ts';
import { TaskError } from '../../tasks/error.ts';
import type { Task } from '../../tasks/task.ts';
import { mayCall } from '../tools/may-call.ts';
import type { ToolCallOptions } from '../tools/toolcall.ts';
import { createToolCallHandler } from '../tools/toolcall.ts';

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

/** What a grant of the request allows and until when, kept with its task: the tools of a later attempt depend on it. */
export function grantMetadata({ granted }: RequestContext): JsonObject {
  if (granted === undefined) return {};
  const { ct, tools, notAfterMs } = granted;
  return { grant: { ct, tools, notAfterMs } };
}

export interface LaterToolsOptions extends ToolCallOptions {
  /** The agent that works on tasks: ourselves. */
  readonly agentId: string;
  /** The owner as it is known now; one that is not known any more has no tools. */
  readonly peerOf: (agentId: string) => Peer | undefined;
  readonly now: () => number;
}

/** For `toolsFor` of the task engine: the tools of a task whose request is no longer at hand. */
export function createLaterTools(options: LaterToolsOptions): (task: Task) => ToolBox {
  const { agentId, peerOf, now } = options;
  const toolsFor = createToolsFor(options);
  return (task) => {
    const peer = peerOf(task.owner);
    if (peer === undefined) return NO_TOOLS;
    const { grant } = task.metadata;
    return toolsFor({
      request: requestOf(task, agentId),
      peer,
      mode: 'sig',
      ...(grant !== undefined && { granted: grant as unknown as GrantedScope }),
      agentId,
      wantsStream: false,
      signal: new AbortController().signal,
      now,
    });
  };
}

/** What the checks let through when the task was started, as far as it was kept. */
function requestOf({ id, owner, request, createdAt }: Task, agentId: string): VerifiedRequest {
  const rest = { name: 'unknown', instance: 'unknown', role: 'unknown' };
  const envelope: Envelope = {
    v: 1,
    id,
    ts: formatTimestamp(createdAt),
    type: 'req',
    from: { agent_id: owner, ...rest },
    to: { agent_id: agentId, ...rest },
    cap: {},
    ct: 'task.v1',
    schema: { kind: 'embedded', id: contentHash(true), embedded: true },
    payload: request.payload,
  };
  return envelope as VerifiedRequest;
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
