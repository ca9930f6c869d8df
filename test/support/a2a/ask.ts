// Owns requests of plain HTTP to an agent that speaks official A2A, and what comes back of them.

import { TOKENS } from './agent.ts';

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

export interface Answer {
  readonly status: number;
  /** The media type. */
  readonly type: string;
  readonly headers: Headers;
  readonly text: string;
  /** `null` where there is none. */
  readonly body: Json;
}

/** One server-sent event. */
export interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data: Json;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** As it is, or as JSON. */
  readonly body?: string | Json;
  /** The name of the caller. @default nobody */
  readonly as?: string | undefined;
  readonly signal?: AbortSignal;
}

export async function fetchFrom(url: string, given: Ask = {}): Promise<Response> {
  const { method = 'GET', headers = {}, body, as, signal } = given;
  const shown = as === undefined ? {} : { authorization: `Bearer ${TOKENS[as] ?? as}` };
  return fetch(url, {
    method,
    headers: {
      ...shown,
      ...(body !== undefined && typeof body !== 'string' && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
}

export async function answerOf(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  const type = (headers.get('content-type') ?? '').split(';')[0]!;
  const isJson = type.endsWith('json') && text !== '';
  return { status, type, headers, text, body: isJson ? (JSON.parse(text) as Json) : null };
}

export async function ask(url: string, given: Ask = {}): Promise<Answer> {
  return answerOf(await fetchFrom(url, given));
}

/** Leaving the loop closes the connection. */
export async function* framesOf(response: Response): AsyncGenerator<Frame> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const frame = frameOf(text.slice(0, end));
      text = text.slice(end + 2);
      if (frame !== undefined) yield frame;
    }
  }
}

export async function allFrames(response: Response): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of framesOf(response)) frames.push(frame);
  return frames;
}

function frameOf(lines: string): Frame | undefined {
  const fields = new Map(
    lines.split('\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return undefined;
  const [id, event] = [fields.get('id'), fields.get('event')];
  return {
    ...(id !== undefined && { id }),
    ...(event !== undefined && { event }),
    data: JSON.parse(data) as Json,
  };
}

/** What stands at a path such as `result.task.parts.0`; `undefined` where nothing does. */
export function at(value: Json | undefined, path: string): Json | undefined {
  return path
    .split('.')
    .reduce<Json | undefined>(
      (inner, name) => (inner as Readonly<Record<string, Json>> | null | undefined)?.[name],
      value,
    );
}

/** The same as text: what is no text or number is empty. */
export function textAt(value: Json | undefined, path: string): string {
  const found = at(value, path);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
}
