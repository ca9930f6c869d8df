// Owns what an agent can ask of another: any content type, a task, a tool. SPEC.md sections 8 and 9 (#exchange, #content-types).

import type { JsonObject, JsonValue } from '../codec/value.ts';
import { isJsonObject } from '../codec/value.ts';
import type { Content } from '../envelope/build.ts';
import { SdlError } from '../errors.ts';
import { isCapHash } from '../handlers/negotiation/cap-hash.ts';
import type { ClientServices, ExchangeOptions, Received } from './exchange.ts';
import { runExchange, sendEvent } from './exchange.ts';
import type { RemoteTasks } from './remote-tasks.ts';
import { createRemoteTasks } from './remote-tasks.ts';
import type { Target } from './target.ts';
import type { TaskContent, TaskInput } from './task-content.ts';
import { newId, taskContent } from './task-content.ts';
import type { TaskOptions } from './task-exchange.ts';
import { sendTask } from './task-exchange.ts';
import type { TaskExchange } from './task-update.ts';
import { resultIn } from './tool-call.ts';
import { understandingOf } from './understanding.ts';

/** One exchange. Iterate it for the events and the `res`, or wait for the `res` alone; it is sent once, by the first. */
export interface Exchange extends AsyncIterable<Received> {
  result(): Promise<Received>;
}

export interface RemoteAgent {
  /** Of an agent of another dialect, which has no agent id, its address. */
  readonly agentId: string;
  /** `sdl`, or the name of another dialect, such as `a2a`: then it may be told less. */
  readonly dialect: string;
  request(content: Content, options?: ExchangeOptions): Exchange;
  /**
   * Streams by default: iterate it for progress and output. A lost connection is made again, and every event is told
   * once. Aborting `signal` leaves the task alone: `tasks.cancel` ends it.
   */
  task(task: TaskInput | string, options?: TaskOptions): TaskExchange;
  /** The tasks that were given to it. */
  readonly tasks: RemoteTasks;
  /** The `result` of a tool. Throws a {@link ToolCallError} when the tool failed. */
  call(tool: string, args?: JsonObject, options?: ExchangeOptions): Promise<JsonValue>;
  notify(content: Content, options?: ExchangeOptions): Promise<void>;
  /** Asks what the agent can do. Throws BINDING_INVALID when it has not seen what we announced, or we not what it did (W19). */
  negotiate(options?: ExchangeOptions): Promise<JsonObject>;
}

/** `services` are asked for with the first request: connecting opens nothing. */
export function createRemoteAgent(
  target: Target,
  services: () => Promise<ClientServices>,
): RemoteAgent {
  const request = (content: Content, options: ExchangeOptions = {}): Exchange =>
    exchangeOf(run(target, withAuthz(content, options), options, services));
  const call = async (
    tool: string,
    args: JsonObject = {},
    options: ExchangeOptions = {},
  ): Promise<JsonValue> => {
    const content = toolCall(tool, args);
    return resultOf(tool, content, await request(content, options).result());
  };
  const negotiate = async (options: ExchangeOptions = {}): Promise<JsonObject> => {
    const payload = { need: {}, have: {}, ask: [], supported_ct: [] };
    const received = await request({ ct: 'negotiation.v1', payload }, options).result();
    const offer = isJsonObject(received.payload) ? received.payload : {};
    if (!isCapHash(offer['cap_hash'], received.request.cap, received.envelope.cap)) {
      throw new SdlError('BINDING_INVALID', 'the two agents have not seen the same announcements');
    }
    return offer;
  };
  const understanding = understandingOf(target.agentId, services, negotiate);
  async function* give(
    { needsParts, ...content }: TaskContent,
    options: ExchangeOptions,
  ): AsyncGenerator<Received> {
    if (needsParts) await understanding.assertParts(options);
    yield* request(content, options);
  }
  return {
    agentId: target.agentId,
    dialect: 'sdl',
    request,
    task: (task, options = {}) => {
      const content = taskContent(task);
      return exchangeOf(sendTask((how) => give(content, how), options, services));
    },
    tasks: createRemoteTasks({
      call,
      stream: (tool, args, options) =>
        request(toolCall(tool, args), { ...options, stream: true, keepsEvents: true }),
      services,
      understanding,
    }),
    call,
    negotiate,
    notify: (content, options = {}) => notify(target, content, options, services),
  };
}

/** Read once: by who iterates it, or by `result`. */
export function exchangeOf<T>(
  messages: AsyncGenerator<T>,
): AsyncIterable<T> & { result(): Promise<T> } {
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

function toolCall(tool: string, args: JsonObject): Content & { readonly payload: JsonObject } {
  return { ct: 'toolcall.v1', payload: { tool, call_id: newId(), args, expect: {} } };
}

function resultOf(
  tool: string,
  { payload }: Content & { readonly payload: JsonObject },
  received: Received,
): JsonValue {
  const told = isJsonObject(received.payload) ? received.payload : {};
  if (received.ct !== 'toolresult.v1' || told['call_id'] !== payload['call_id']) {
    throw new SdlError('ENVELOPE_INVALID', 'the answer is not the result of this call');
  }
  return resultIn(tool, told);
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
