// Owns the driver of official A2A 1.0 over any of its bindings: what a caller asks, as a client of A2A asks it. Tasks are
// called by the names that a case gives them, because the agent makes their ids.

import type { JsonObject, JsonValue, Part } from '../../../src/door/index.ts';
import { isJsonObject } from '../../../src/transport.ts';
import type { A2aLine } from './a2a-line.ts';
import type { Ask, Caller, Filter, Listed, Told, View } from './caller.ts';
import { Refused, outputOf, textOf } from './caller.ts';

const STATES = /^TASK_STATE_(.*)$/;

export function a2aCaller(line: A2aLine, owner: string): Caller {
  const read = (call: Parameters<A2aLine['read']>[0]): Promise<JsonObject> => line.read(call);
  const names = new Map<string, string>();
  const idOf = (name: string): string => names.get(name) ?? name;
  const nameOf = (id: string): string => [...names].find(([, known]) => known === id)?.[0] ?? id;

  async function send(given: Ask | string, isWaiting: boolean, taskId?: string): Promise<View> {
    const {
      text,
      parts = [{ text }],
      id,
      contextId,
    }: Ask = typeof given === 'string' ? { text: given } : given;
    const params = {
      message: {
        messageId: crypto.randomUUID(),
        role: 'ROLE_USER',
        parts: parts.map(partForm),
        ...(contextId !== undefined && { contextId }),
        ...(taskId !== undefined && { taskId }),
      },
      configuration: { returnImmediately: !isWaiting },
    };
    const sent = await read({ method: 'SendMessage', rest: ['POST', '/message:send'], params });
    const task = sent['task'] as JsonObject;
    if (id !== undefined) names.set(id, task['id'] as string);
    return viewOf(task);
  }

  /** The wire tells it with the events of a stream only. */
  async function generationOf(id: string): Promise<number> {
    const leaving = new AbortController();
    try {
      for await (const { generation } of subscribed(id, undefined, leaving.signal)) {
        return generation;
      }
    } catch (thrown) {
      if (!(thrown instanceof Refused) || thrown.code !== 'UNSUPPORTED_OPERATION') throw thrown;
    } finally {
      leaving.abort();
    }
    let last = 0;
    for await (const { generation } of subscribed(id, 0)) last = generation;
    return last;
  }

  async function viewOf(task: JsonObject): Promise<View> {
    const generation = await generationOf(task['id'] as string).catch(() => -1);
    return { ...viewIn(task, nameOf(task['id'] as string)), generation };
  }

  async function* subscribed(
    id: string,
    after: number | undefined,
    signal?: AbortSignal,
  ): AsyncGenerator<Told> {
    const frames = line.frames({
      method: 'SubscribeToTask',
      rest: ['POST', `/tasks/${encodeURIComponent(id)}:subscribe`],
      params: { id },
      ...(after !== undefined && { headers: { 'last-event-id': String(after) } }),
      ...(signal !== undefined && { signal }),
    });
    for await (const { frame, generation } of frames) yield toldOf(frame, generation);
  }

  /** From a generation on the wire tells what followed: what was before is put together as a client does it. */
  async function* follow(name: string, after?: number, signal?: AbortSignal): AsyncGenerator<Told> {
    const id = idOf(name);
    if (after === undefined) {
      yield* now(id, signal);
      return;
    }
    const before: Told[] = [];
    if (after > 0) {
      const leaving = new AbortController();
      for await (const told of subscribed(id, 0, leaving.signal)) {
        before.push(told);
        if (told.generation >= after) break;
      }
      leaving.abort();
    }
    const state = before.findLast((told) => told.state !== undefined)?.state ?? 'submitted';
    const text = before.map((told) => told.text ?? '').join('');
    const seen = after === 0 ? 0 : (before.at(-1)?.generation ?? after);
    const rest = subscribed(id, after, signal);
    const first = await rest.next().catch((thrown: unknown) => {
      // Nothing is left to tell.
      if (thrown instanceof Refused && thrown.code === 'UNSUPPORTED_OPERATION') return undefined;
      throw thrown;
    });
    yield { type: 'whole', generation: seen, state, text };
    if (first === undefined || first.done === true) return;
    yield first.value;
    yield* rest;
  }

  /** Of a task that has ended nothing is told any more but the task itself. */
  async function* now(id: string, signal?: AbortSignal): AsyncGenerator<Told> {
    try {
      yield* subscribed(id, undefined, signal);
    } catch (thrown) {
      const hasEnded = thrown instanceof Refused && thrown.code === 'UNSUPPORTED_OPERATION';
      if (!hasEnded) throw thrown;
      const view = await get(id);
      const { generation, state } = view;
      yield { type: 'whole', generation, state, text: outputOf(view) };
    }
  }

  async function get(name: string): Promise<View> {
    const id = idOf(name);
    const path = `/tasks/${encodeURIComponent(id)}`;
    return viewOf(await read({ method: 'GetTask', rest: ['GET', path], params: { id } }));
  }

  return {
    owner,
    start: (given) => send(given, false),
    run: async (given, waitMs) => {
      if (waitMs === undefined) return send(given, true);
      const { id } = await send(given, false);
      const over = AbortSignal.timeout(waitMs);
      await untilRest(follow(id, undefined, over)).catch((thrown: unknown) => {
        if (!over.aborted) throw thrown;
      });
      return get(id);
    },
    say: (name, words) =>
      send(typeof words === 'string' ? words : { text: '', parts: words }, false, idOf(name)),
    get,
    list: async (filter = {}) => {
      const params = filterForm(filter);
      const query = new URLSearchParams(Object.entries(params) as [string, string][]).toString();
      const page = await read({ method: 'ListTasks', rest: ['GET', `/tasks?${query}`], params });
      return pageOf(page, nameOf);
    },
    follow,
    cancel: async (name) => {
      const id = idOf(name);
      const path = `/tasks/${encodeURIComponent(id)}:cancel`;
      return viewOf(await read({ method: 'CancelTask', rest: ['POST', path], params: { id } }));
    },
    close: async () => line.close(),
  };
}

async function untilRest(steps: AsyncIterable<Told>): Promise<void> {
  for await (const { state } of steps) {
    if (/required|completed|failed|canceled|rejected/.test(state ?? '')) return;
  }
}

function toldOf(frame: JsonObject, generation: number): Told {
  const { task, artifactUpdate, statusUpdate } = frame;
  if (isJsonObject(task)) {
    const view = viewIn(task, '');
    return { type: 'whole', generation, state: view.state, text: outputOf(view) };
  }
  if (isJsonObject(artifactUpdate)) {
    const { parts } = artifactUpdate['artifact'] as JsonObject;
    return { type: 'output', generation, text: textOf(partsOf(parts)) };
  }
  const status = (statusUpdate as JsonObject)['status'] as JsonObject;
  return { type: 'state', generation, state: stateOf(status) };
}

function stateOf({ state }: JsonObject): View['state'] {
  const [, word = ''] = STATES.exec(state as string) ?? [];
  return word.toLowerCase().replaceAll('_', '-') as View['state'];
}

function filterForm({ state, since, cursor, ...rest }: Filter): JsonObject {
  return {
    ...rest,
    ...(state !== undefined && {
      status: `TASK_STATE_${state.toUpperCase().replaceAll('-', '_')}`,
    }),
    ...(since !== undefined && { statusTimestampAfter: new Date(since).toISOString() }),
    ...(cursor !== undefined && { pageToken: cursor }),
  };
}

function pageOf(
  { tasks, nextPageToken, totalSize }: JsonObject,
  nameOf: (id: string) => string,
): Listed {
  return {
    tasks: (tasks as readonly JsonObject[]).map((task) => ({
      id: nameOf(task['id'] as string),
      state: stateOf(task['status'] as JsonObject),
      generation: -1,
    })),
    ...(nextPageToken !== '' && { next: nextPageToken as string }),
    total: totalSize as number,
  };
}

function viewIn(task: JsonObject, id: string): Omit<View, 'generation'> {
  const { status, history = [], artifacts = [] } = task as Readonly<Record<string, JsonValue>>;
  const { message } = status as JsonObject;
  const said = isJsonObject(message) ? message : undefined;
  const words = said === undefined ? '' : textOf(partsOf(said['parts']));
  const { failure } = (said?.['metadata'] ?? {}) as JsonObject;
  return {
    id,
    state: stateOf(status as JsonObject),
    words,
    history: (history as readonly JsonObject[]).map(({ messageId, role, parts }) => ({
      id: messageId as string,
      role: role === 'ROLE_USER' ? 'user' : 'agent',
      parts: partsOf(parts),
    })),
    artifacts: (artifacts as readonly JsonObject[]).map(({ artifactId, name, parts }) => ({
      id: artifactId as string,
      name: (name ?? artifactId) as string,
      parts: partsOf(parts),
    })),
    ...(isJsonObject(failure) && { failure: { code: failure['code'] as string, message: words } }),
  };
}

function partsOf(value: JsonValue | undefined): readonly Part[] {
  return (value as readonly JsonObject[]).map(partOf);
}

function partOf({ raw, ...part }: JsonObject): Part {
  if (raw === undefined) return part as unknown as Part;
  return { ...part, bytes: new Uint8Array(Buffer.from(raw as string, 'base64')) };
}

function partForm(part: Part): JsonObject {
  if (!('bytes' in part)) return part as unknown as JsonObject;
  const { bytes, ...facts } = part;
  return { ...facts, raw: Buffer.from(bytes).toString('base64') };
}
