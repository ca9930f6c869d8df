// Owns requests over JSON-RPC.

import { randomUUID } from 'node:crypto';

import type { JsonObject } from '../../../../src/codec/value.ts';
import type { ToldError } from '../errors.ts';
import { nameOf } from '../errors.ts';
import { ActsFailure } from '../judge.ts';
import type { Binding } from './binding.ts';
import { dataOf, isStream, post } from './http.ts';

export function jsonRpc(url: string): Binding {
  const send = async (
    method: string,
    params: JsonObject,
    token: string | undefined,
    accept?: string,
  ) => {
    const id = randomUUID();
    const response = await post(url, { jsonrpc: '2.0', id, method, params }, token, accept);
    return { id, response };
  };
  return {
    name: 'jsonrpc',
    call: async (method, request, token) => {
      const { id, response } = await send(method, request, token);
      const told = opened((await response.json()) as JsonObject, id);
      return { status: response.status, headers: response.headers, ...told };
    },
    stream: async (method, request, token) => {
      const { id, response } = await send(method, request, token, 'text/event-stream');
      if (isStream(response)) return { events: results(response, id) };
      const told = opened((await response.json()) as JsonObject, id);
      if ('error' in told) return told;
      throw new ActsFailure('the stream is none');
    },
    close: () => undefined,
  };
}

async function* results(response: Response, id: string): AsyncGenerator<JsonObject, void> {
  for await (const frame of dataOf(response)) {
    const told = opened(frame, id);
    if ('error' in told) throw new ActsFailure(`the stream told an error: ${told.error.message}`);
    yield told.value;
  }
}

function opened(
  envelope: JsonObject,
  asked: string,
): { readonly value: JsonObject } | { readonly error: ToldError } {
  const { jsonrpc, id, result, error } = envelope;
  const isWhole = jsonrpc === '2.0' && (result === undefined) !== (error === undefined);
  // Who is not let in is refused before the id is read.
  if (!isWhole || (id !== asked && !(error !== undefined && id === null))) {
    throw new ActsFailure(`no answer of JSON-RPC: ${JSON.stringify(envelope)}`);
  }
  if (error === undefined) return { value: result as JsonObject };
  const { code, message, data } = error as JsonObject;
  return {
    error: { name: nameOf('jsonrpc', code as number, data), message: message as string, data },
  };
}
