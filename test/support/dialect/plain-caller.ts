// Owns the driver of the plain-JSON face: what a caller asks, as requests of HTTP.

import type { JsonObject, JsonValue, Part } from '../../../src/door/index.ts';
import { readJson, writeJson } from '../../../src/transport.ts';
import type { Ask, Caller, Filter, Listed, Told, View } from './caller.ts';
import { GONE, Refused, outputOf, textOf } from './caller.ts';

export interface PlainWay {
  /** Of `/plain/tasks`. */
  readonly url: string;
  readonly owner: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A tenant that it asks for by name. */
  readonly tenant?: string;
}

/** As large as a test makes it. */
const LIMITS = { maxBytes: 16_000_000, maxStringBytes: 16_000_000 };

export function plainCaller(way: PlainWay): Caller {
  const open = new AbortController();

  async function ask(
    path: string,
    body?: JsonObject,
    headers = {},
    signal: AbortSignal = open.signal,
  ): Promise<Response> {
    const tenant =
      way.tenant === undefined ? '' : `${path.includes('?') ? '&' : '?'}tenant=${way.tenant}`;
    const response = await fetch(`${way.url}${path}${tenant}`, {
      headers: { ...way.headers, ...headers },
      signal: AbortSignal.any([open.signal, signal]),
      ...(body !== undefined && { method: 'POST', body: writeJson(body) }),
    }).catch((cause: unknown) => {
      throw open.signal.aborted || signal.aborted ? cause : new Refused(GONE, true, '');
    });
    if (response.ok) return response;
    const text = await response.text();
    throw refusedOf(readJson(new TextEncoder().encode(text)), text, response.status);
  }

  async function read(path: string, body?: JsonObject, headers = {}): Promise<JsonObject> {
    const response = await ask(path, body, headers);
    return readJson(new Uint8Array(await response.arrayBuffer()), LIMITS) as JsonObject;
  }

  const begin = async (given: Ask | string, wait: number): Promise<View> => {
    const {
      text,
      parts = [{ text }],
      id,
      contextId,
      deadline,
    }: Ask = typeof given === 'string' ? { text: given } : given;
    const body = {
      message: { parts: parts.map(partForm), ...(id !== undefined && { id: `message of ${id}` }) },
      ...(contextId !== undefined && { contextId }),
      ...(deadline !== undefined && { deadline }),
    };
    return viewOf(
      await read(`?wait=${wait}`, body, id === undefined ? {} : { 'idempotency-key': id }),
    );
  };

  return {
    owner: way.owner,
    start: (given) => begin(given, 0),
    run: (given, waitMs = 30_000) => begin(given, waitMs),
    say: async (id, words) => {
      const message = typeof words === 'string' ? words : { parts: words.map(partForm) };
      return viewOf(await read(`/${id}/messages`, { message }));
    },
    get: async (id) => viewOf(await read(`/${id}`)),
    list: async (filter = {}) => pageOf(await read(`?${queryOf(filter)}`)),
    follow: (id, after, signal) => {
      const from = after === undefined ? '' : `?after=${after}`;
      return followed(() => ask(`/${id}/events${from}`, undefined, {}, signal));
    },
    cancel: async (id) => viewOf(await read(`/${id}/cancel`, {})),
    close: async () => open.abort(),
  };
}

function refusedOf(value: JsonValue, text: string, status: number): Refused {
  const { error, retryable } = value as { error?: string; retryable?: boolean };
  return new Refused(error ?? String(status), retryable === true, text);
}

/** Closing the iterator closes the connection. */
async function* followed(ask: () => Promise<Response>): AsyncGenerator<Told> {
  const { body } = await ask();
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body!) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const told = toldOf(text.slice(0, end));
      text = text.slice(end + 2);
      if (told !== undefined) yield told;
    }
  }
}

function toldOf(lines: string): Told | undefined {
  const fields = new Map(
    lines
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const data = fields.get('data');
  if (data === undefined) return undefined;
  const value = readJson(new TextEncoder().encode(data), LIMITS) as JsonObject;
  const event = fields.get('event');
  if (event === 'refused') throw refusedOf(value, data, 200);
  const generation = Number(fields.get('id'));
  if (event === 'task') {
    const view = viewOf(value);
    return { type: 'whole', generation, state: view.state, text: outputOf(view) };
  }
  if (event === 'artifact') {
    return {
      type: 'output',
      generation,
      text: textOf(partsOf((value['artifact'] as JsonObject)['parts'])),
    };
  }
  const { state } = (value['status'] ?? {}) as unknown as Partial<View>;
  return { type: 'state', generation, ...(state !== undefined && { state }) };
}

function queryOf(filter: Filter): string {
  return new URLSearchParams(
    Object.entries(filter).map(([name, value]) => [name, String(value)] as [string, string]),
  ).toString();
}

function pageOf({ tasks, next, total }: JsonObject): Listed {
  return {
    tasks: (tasks as readonly JsonObject[]).map(viewOf),
    ...(next !== undefined && { next: next as string }),
    total: total as number,
  };
}

function viewOf(form: JsonObject): View {
  const { status, history = [], artifacts = [] } = form as unknown as TaskForm;
  const { failure, message } = status;
  return {
    id: form['id'] as string,
    state: status.state,
    generation: form['generation'] as number,
    words: message === undefined ? '' : textOf(partsOf(message.parts)),
    history: history.map(({ id, role, parts }) => ({ id, role, parts: partsOf(parts) })),
    artifacts: artifacts.map(({ id, name, parts }) => ({
      id,
      name: name ?? id,
      parts: partsOf(parts),
    })),
    ...(failure !== undefined && { failure: { code: failure.code, message: failure.message } }),
  };
}

interface TaskForm {
  readonly status: {
    readonly state: View['state'];
    readonly failure?: NonNullable<View['failure']>;
    readonly message?: { readonly parts: JsonValue };
  };
  readonly history?: readonly {
    readonly id: string;
    readonly role: 'user' | 'agent';
    readonly parts: JsonValue;
  }[];
  readonly artifacts?: readonly {
    readonly id: string;
    readonly name?: string;
    readonly parts: JsonValue;
  }[];
}

function partsOf(value: JsonValue | undefined): readonly Part[] {
  return (value as readonly JsonObject[]).map(partOf);
}

function partOf({ bytes, ...part }: JsonObject): Part {
  if (bytes === undefined) return part as unknown as Part;
  return { ...part, bytes: new Uint8Array(Buffer.from(bytes as string, 'base64')) };
}

function partForm(part: Part): JsonObject {
  if (!('bytes' in part)) return part as unknown as JsonObject;
  return { ...part, bytes: Buffer.from(part.bytes).toString('base64') };
}
