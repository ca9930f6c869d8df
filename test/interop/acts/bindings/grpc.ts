// Owns requests over gRPC, by a protobuf runtime that others wrote. What protobuf does not send because it is empty is
// there, where it has to be.

import { V1 } from '../../../../profiles/a2a/fields/v1.ts';
import type { JsonObject, JsonValue } from '../../../../src/codec/value.ts';
import { isJsonObject } from '../../../../src/codec/value.ts';
import type { Json } from '../../../support/a2a/ask.ts';
import type { GrpcAsk } from '../../../support/a2a/grpc-client.ts';
import { GrpcClient } from '../../../support/a2a/grpc-client.ts';
import type { ToldError } from '../errors.ts';
import { nameOf } from '../errors.ts';
import { ActsFailure } from '../judge.ts';
import { ANSWERS } from '../requests.ts';
import type { Binding } from './binding.ts';

const LONGEST_MS = 30_000;
const EMPTY: Readonly<Record<string, JsonValue>> = { string: '', int32: 0, bool: false };

type End = Pick<Awaited<ReturnType<GrpcClient['ask']>>, 'status' | 'words' | 'details'>;

/** @param address host and port, as the card says them. */
export function grpc(address: string): Binding {
  const client = new GrpcClient(address);
  return {
    name: 'grpc',
    call: async (method, request, token) => {
      const answer = await client.ask(method, request as Json, askingAs(token));
      const { status, body } = answer;
      const headers = new Headers();
      if (body === undefined) return { status, headers, error: toldBy(answer) };
      return { status, headers, value: whole(ANSWERS[method], body as JsonObject) };
    },
    stream: async (method, request, token) => {
      const stream = client.stream(method, request as Json, askingAs(token));
      const frames = stream[Symbol.asyncIterator]();
      const first = await frames.next();
      if (first.done === true) {
        const end = await stream.end;
        return end.status === 'OK' ? { events: nothing() } : { error: toldBy(end) };
      }
      return { events: following(first.value as JsonObject, stream, frames) };
    },
    close: () => client.close(),
  };
}

function askingAs(token: string | undefined): GrpcAsk {
  return {
    ...(token !== undefined && { as: token }),
    metadata: { 'a2a-version': '1.0' },
    deadline: Date.now() + LONGEST_MS,
  };
}

function toldBy({ status, words, details }: End): ToldError {
  const data = details as readonly JsonValue[];
  return { name: nameOf('grpc', status, data), message: words, data };
}

async function* nothing(): AsyncGenerator<JsonObject, void> {}

/** Leaving them ends the call. */
async function* following(
  first: JsonObject,
  stream: ReturnType<GrpcClient['stream']>,
  frames: AsyncIterator<Json>,
): AsyncGenerator<JsonObject, void> {
  try {
    yield first;
    for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
      yield next.value as JsonObject;
    }
    const { status, words } = await stream.end;
    if (status !== 'OK') throw new ActsFailure(`the stream ended with ${status}: ${words}`);
  } finally {
    stream.cancel();
  }
}

/** With what is required and empty. */
function whole(message: string | undefined, value: JsonObject): JsonObject {
  const fields = message === undefined ? undefined : V1.messages[message];
  if (fields === undefined) return value;
  const members = fields.flatMap(({ json, type, isRepeated, isRequired }) => {
    const found = value[json] ?? (isRequired ? (isRepeated ? [] : EMPTY[type]) : undefined);
    return found === undefined ? [] : [[json, wholeIn(type, found)] as const];
  });
  return { ...value, ...Object.fromEntries(members) };
}

function wholeIn(type: string, value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((one) => wholeIn(type, one));
  return isJsonObject(value) ? whole(type, value) : value;
}
