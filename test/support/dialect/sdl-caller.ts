// Owns the driver of the SDL wire, the same over every transport: `task.v1` and the tools for tasks, read as they stand
// on the wire and not through the client's own view of them.

import type { RemoteAgent } from '../../../src/client/remote-agent.ts';
import { RemoteError } from '../../../src/client/remote-error.ts';
import { ToolCallError } from '../../../src/client/tool-call.ts';
import type { Received } from '../../../src/client/exchange.ts';
import type { JsonObject, JsonValue, Part, TaskState } from '../../../src/door/index.ts';
import { formatTimestamp } from '../../../src/envelope/timestamp.ts';
import { SdlError } from '../../../src/errors.ts';
import { INITIAL_STATE, applyState } from '../../../src/state/document.ts';
import { readMessage } from '../../../src/tasks/part-json.ts';
import { TransportError, readJson, writeJson } from '../../../src/transport.ts';
import type { Ask, Caller, Listed, Made, Said, Told, View } from './caller.ts';
import { GONE, Refused, outputOf, textOf } from './caller.ts';

export interface SdlWay {
  readonly owner: string;
  readonly peer: RemoteAgent;
  readonly close: () => Promise<void>;
}

const LONG_MS = 60_000;
/** A connection that was not used for a while may be gone. */
const RETRIES = 2;
const ALL_HISTORY = 10_000;
const RESTS: ReadonlySet<string> = new Set(['input-required', 'auth-required']);
const ENDS: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled', 'rejected']);
/** What an item says of its kind where nothing else was said of the part. */
const USUAL_TYPES = new Set(['text/plain', 'application/octet-stream', 'application/json']);

export function sdlCaller({ owner, peer, close }: SdlWay): Caller {
  const call = async (tool: string, args: JsonObject): Promise<JsonObject> =>
    (await told(peer.call(tool, args, { retries: RETRIES, timeoutMs: LONG_MS }))) as JsonObject;
  const whole = async (document: JsonObject): Promise<View> => {
    const { id } = document['task'] as { readonly id: string };
    const { history } = await call('task.get', { id, history_length: ALL_HISTORY });
    return viewOf(document, history);
  };
  const send = async (ask: Ask | string, waitMs: number): Promise<View> => {
    const content = { ct: 'task.v1', payload: payloadOf(ask, waitMs) };
    const { payload } = await told(
      peer.request(content, { retries: RETRIES, timeoutMs: LONG_MS }).result(),
    );
    return whole(applyState(INITIAL_STATE, payload).value as JsonObject);
  };
  return {
    owner,
    start: (ask) => send(ask, 0),
    run: (ask, waitMs = 30_000) => send(ask, waitMs),
    say: async (id, words) => {
      const parts = typeof words === 'string' ? [{ text: words }] : words;
      return whole(await call('task.send', { id, message: { parts: parts.map(partForm) } }));
    },
    get: async (id) => {
      const document = await call('task.get', { id, history_length: ALL_HISTORY });
      return viewOf(document, document['history']);
    },
    list: async ({ contextId, since, pageSize, ...filter } = {}) => {
      const page = await call('task.list', {
        ...filter,
        ...(contextId !== undefined && { context_id: contextId }),
        ...(since !== undefined && { since: formatTimestamp(since) }),
        ...(pageSize !== undefined && { limit: pageSize }),
      });
      return pageOf(page);
    },
    follow: (id, after, signal) =>
      followed(peer, id, signal, async () => {
        if (after !== undefined) return after;
        const { task } = await call('task.get', { id });
        return (task as { readonly generation: number }).generation;
      }),
    cancel: async (id) => whole(await call('task.cancel', { id })),
    close,
  };
}

/** Refusals in the words of the wire; of a security error those tell no more than that. */
async function told<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (thrown) {
    throw refusedOf(thrown);
  }
}

function refusedOf(thrown: unknown): unknown {
  if (thrown instanceof ToolCallError) {
    return new Refused(thrown.code, thrown.retryable, textIn(thrown.result));
  }
  if (thrown instanceof RemoteError) {
    const { code, retryable, details, message } = thrown;
    return new Refused(code, retryable, textIn({ code, message, details: { ...details } }));
  }
  if (thrown instanceof TransportError && ['lost', 'unreachable'].includes(thrown.fault)) {
    return new Refused(GONE, true, '');
  }
  // A WebSocket is closed with the code for that.
  if (thrown instanceof TransportError && thrown.message.endsWith('it is too large')) {
    return new Refused('LIMIT_BYTES', false, thrown.message);
  }
  // What cannot be written is refused before it is sent.
  if (thrown instanceof SdlError) return new Refused(thrown.code, false, thrown.row.words);
  return thrown;
}

function textIn(value: JsonValue): string {
  return new TextDecoder().decode(writeJson(value));
}

function payloadOf(ask: Ask | string, waitMs: number): JsonObject {
  const {
    text,
    parts = [{ text }],
    id,
    contextId,
    deadline,
  }: Ask = typeof ask === 'string' ? { text: ask } : ask;
  const named = {
    ...(id !== undefined && { id }),
    ...(contextId !== undefined && { context_id: contextId }),
    ...(deadline !== undefined && { deadline: formatTimestamp(deadline) }),
  };
  return {
    kind: 'task.v1',
    goal: text.slice(0, 100),
    inputs: {},
    constraints: { time_budget_s: Math.ceil(waitMs / 1_000), compute_budget: 'low', safety: {} },
    deliverables: [],
    acceptance: [],
    context: { task: named, message: { parts: parts.map(partForm) } },
  };
}

/** A watch ends where the task waits for its owner; who follows goes on. */
async function* followed(
  peer: RemoteAgent,
  id: string,
  signal: AbortSignal | undefined,
  after: () => Promise<number>,
): AsyncGenerator<Told> {
  let seen = -1;
  let from = await after();
  for (;;) {
    let document = INITIAL_STATE;
    const payload = {
      tool: 'task.watch',
      call_id: crypto.randomUUID(),
      args: { id, whole: true, after: from },
      expect: {},
    };
    const exchange = peer.request(
      { ct: 'toolcall.v1', payload },
      {
        stream: true,
        keepsEvents: true,
        retries: RETRIES,
        timeoutMs: LONG_MS,
        ...(signal !== undefined && { signal }),
      },
    );
    let state: string | undefined;
    try {
      for await (const received of exchange) {
        const step = received.type === 'res' ? resultOf(received) : undefined;
        if (step === undefined && received.ct === 'state.v1') {
          document = applyState(document, received.payload);
        }
        const one = step ?? stepOf(received, document.value as JsonObject, seen);
        state = one.state ?? state;
        // The answer, and the first step of a further watch, repeat what was told.
        if (one.generation <= seen) continue;
        seen = one.generation;
        yield one;
      }
    } catch (thrown) {
      throw refusedOf(thrown);
    }
    if (state !== undefined && ENDS.has(state)) return;
    if (state === undefined || !RESTS.has(state)) throw new Error(`a watch ended while ${state}`);
    from = seen;
  }
}

function resultOf({ payload }: Received): Told {
  const { ok, result } = payload as { readonly ok: boolean; readonly result: JsonObject };
  if (!ok) throw new ToolCallError('task.watch', result);
  return { type: 'whole', ...factsOf(result) };
}

function stepOf({ ct, payload }: Received, document: JsonObject, seen: number): Told {
  if (ct === 'state.v1') {
    const { generation, state, text } = factsOf(document);
    if (!Object.hasOwn(document, 'artifacts')) return { type: 'state', generation, state };
    return { type: 'whole', generation, state, text };
  }
  const { items } = payload as { readonly items: readonly JsonObject[] };
  return { type: 'output', generation: seen + 1, text: outputOf({ artifacts: madeOf(items) }) };
}

function factsOf(document: JsonObject): Required<Pick<Told, 'generation' | 'state' | 'text'>> {
  const { generation } = document['task'] as { readonly generation: number };
  const items = (document['artifacts'] ?? []) as readonly JsonObject[];
  const text = outputOf({ artifacts: madeOf(items) });
  return { generation, state: document['status'] as TaskState, text };
}

function pageOf({ tasks, next, total }: JsonObject): Listed {
  return {
    tasks: (tasks as readonly JsonObject[]).map(({ id, status, generation }) => ({
      id: id as string,
      state: status as TaskState,
      generation: generation as number,
    })),
    ...(next !== undefined && { next: next as string }),
    total: total as number,
  };
}

function viewOf(document: JsonObject, history: JsonValue | undefined): View {
  const { id } = document['task'] as { readonly id: string };
  const { generation, state } = factsOf(document);
  const { question, progress, answer, error } = document as Record<string, JsonObject | undefined>;
  const said = question?.['message'] ?? answer?.['message'];
  const words = said === undefined ? progress?.['message'] : textOf(readMessage(said, '').parts);
  return {
    id,
    state,
    generation,
    words: (words as string | undefined) ?? '',
    history: (history as readonly JsonValue[]).map(saidOf),
    artifacts: madeOf((document['artifacts'] ?? []) as readonly JsonObject[]),
    ...(error !== undefined && {
      failure: { code: error['code'] as string, message: error['message'] as string },
    }),
  };
}

function saidOf(value: JsonValue): Said {
  const { id, role, parts } = readMessage(value, 'message');
  return { id, role, parts };
}

/** Items are parts: those of one artifact follow each other. */
function madeOf(items: readonly JsonObject[]): Made[] {
  const made = new Map<string, Made & { readonly parts: Part[] }>();
  for (const item of items) {
    const { id, name } = item as { readonly id: string; readonly name: string };
    const artifact = made.get(id) ?? { id, name, parts: [] };
    made.set(id, artifact);
    artifact.parts.push(partOf(item));
  }
  return [...made.values()];
}

function partOf(item: JsonObject): Part {
  const { text, data, uri, json, media_type: mediaType, filename, part_metadata: metadata } = item;
  const facts = {
    ...(typeof mediaType === 'string' && !USUAL_TYPES.has(mediaType) && { mediaType }),
    ...(filename !== undefined && { filename: filename as string }),
    ...(metadata !== undefined && { metadata: metadata as JsonObject }),
  };
  if (json === true) {
    return { ...facts, data: readJson(new TextEncoder().encode(text as string)) };
  }
  if (data !== undefined) {
    return { ...facts, bytes: new Uint8Array(Buffer.from(data as string, 'base64url')) };
  }
  return uri === undefined ? { ...facts, text: text as string } : { ...facts, url: uri as string };
}

/** As it is given, so that what is wrong is wrong on the wire too. */
function partForm(part: Part): JsonObject {
  const { mediaType, bytes, ...rest } = part as Partial<Record<string, JsonValue>> & {
    readonly bytes?: Uint8Array;
  };
  return {
    ...rest,
    ...(mediaType !== undefined && { media_type: mediaType }),
    ...(bytes !== undefined && { bytes: Buffer.from(bytes).toString('base64url') }),
  };
}
