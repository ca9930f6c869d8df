// Owns what an agent can ask of another: any content type, a task, a tool. SPEC.md sections 8 and 9 (#exchange, #content-types).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import type { Content } from '../envelope/build.ts';
import { uuidV7 } from '../envelope/uuid.ts';
import { SdlError, fineCode } from '../errors.ts';
import { isCapHash } from '../handlers/negotiation/cap-hash.ts';
import type { ClientServices, ExchangeOptions, Received } from './exchange.ts';
import { runExchange, sendEvent } from './exchange.ts';
import type { Target } from './target.ts';
import type { TaskExchange } from './task-exchange.ts';
import { taskUpdates } from './task-exchange.ts';

/** One exchange. Iterate it for the events and the `res`, or wait for the `res` alone; it is sent once, by the first. */
export interface Exchange extends AsyncIterable<Received> {
  result(): Promise<Received>;
}

/** What `task.v1` needs; the rest has defaults. */
export interface TaskInput {
  readonly goal: string;
  readonly inputs?: JsonObject;
  readonly constraints?: JsonObject;
  readonly deliverables?: readonly JsonObject[];
  readonly acceptance?: readonly string[];
  readonly context?: JsonObject;
  /** Of the task. @default made here, so that a retry is the same task */
  readonly id?: string;
}

export interface RemoteAgent {
  readonly agentId: string;
  request(content: Content, options?: ExchangeOptions): Exchange;
  /** Streams by default: iterate it for progress and output. */
  task(task: TaskInput | string, options?: ExchangeOptions): TaskExchange;
  /** The `result` of a tool. Throws a {@link ToolCallError} when the tool failed. */
  call(tool: string, args?: JsonObject, options?: ExchangeOptions): Promise<JsonValue>;
  notify(content: Content, options?: ExchangeOptions): Promise<void>;
  /** Asks what the agent can do. Throws BINDING_INVALID when it has not seen what we announced, or we not what it did (W19). */
  negotiate(options?: ExchangeOptions): Promise<JsonObject>;
}

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

/** `services` are asked for with the first request: connecting opens nothing. */
export function createRemoteAgent(
  target: Target,
  services: () => Promise<ClientServices>,
): RemoteAgent {
  const request = (content: Content, options: ExchangeOptions = {}): Exchange => {
    return exchangeOf(run(target, withAuthz(content, options), options, services));
  };
  return {
    agentId: target.agentId,
    request,
    task: (task, options) => {
      const content = { ct: 'task.v1', payload: taskPayload(task) };
      return exchangeOf(taskUpdates(request(content, { stream: true, ...options })));
    },
    async call(tool, args = {}, options = {}) {
      const payload = { tool, call_id: newId(), args, expect: {} };
      const received = await request({ ct: 'toolcall.v1', payload }, options).result();
      const result = isJsonObject(received.payload) ? received.payload : {};
      if (received.ct !== 'toolresult.v1' || result['call_id'] !== payload.call_id) {
        throw new SdlError('ENVELOPE_INVALID', 'the answer is not the result of this call');
      }
      if (result['ok'] !== true) throw new ToolCallError(tool, result['result'] ?? null);
      return result['result'] ?? null;
    },
    async negotiate(options) {
      const payload = { need: {}, have: {}, ask: [], supported_ct: [] };
      const received = await request({ ct: 'negotiation.v1', payload }, options).result();
      const offer = isJsonObject(received.payload) ? received.payload : {};
      if (!isCapHash(offer['cap_hash'], received.request.cap, received.envelope.cap)) {
        throw new SdlError(
          'BINDING_INVALID',
          'the two agents have not seen the same announcements',
        );
      }
      return offer;
    },
    notify: (content, options = {}) => notify(target, content, options, services),
  };
}

function exchangeOf<T>(messages: AsyncGenerator<T>): AsyncIterable<T> & { result(): Promise<T> } {
  return {
    [Symbol.asyncIterator]: () => messages,
    async result() {
      let last: T | undefined;
      for await (const one of messages) last = one;
      if (last === undefined) throw new SdlError('INTERNAL', 'the exchange was read already');
      return last;
    },
  };
}

async function* run(
  target: Target,
  content: Content,
  options: ExchangeOptions,
  services: () => Promise<ClientServices>,
): AsyncGenerator<Received> {
  yield* runExchange(target, content, options, await services());
}

async function notify(
  target: Target,
  content: Content,
  options: ExchangeOptions,
  services: () => Promise<ClientServices>,
): Promise<void> {
  await sendEvent(target, content, options, await services());
}

function withAuthz({ ct, payload }: Content, { authz }: ExchangeOptions): Content {
  return authz !== undefined && isJsonObject(payload)
    ? { ct, payload: { ...payload, authz } }
    : { ct, payload };
}

function newId(): string {
  return uuidV7(Date.now(), (length) => globalThis.crypto.getRandomValues(new Uint8Array(length)));
}

/** The payload of `task.v1` with every member that v1 peers ask for. */
function taskPayload(task: TaskInput | string): JsonObject {
  const input = typeof task === 'string' ? { goal: task } : task;
  const context = input.context ?? {};
  const known = isJsonObject(context['task']) ? context['task'] : {};
  return {
    kind: 'task.v1',
    goal: input.goal,
    inputs: input.inputs ?? {},
    constraints: { time_budget_s: 60, compute_budget: 'low', safety: {}, ...input.constraints },
    deliverables: [...(input.deliverables ?? [])],
    acceptance: [...(input.acceptance ?? [])],
    context: { ...context, task: { id: input.id ?? newId(), ...known } },
  };
}
