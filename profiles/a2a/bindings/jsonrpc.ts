// Owns A2A over JSON-RPC: its envelope, the order of its checks, and its answers. SPEC.md section 20 (#a2a-jsonrpc).

import type { JsonObject, JsonValue } from '../../../src/door/index.ts';
import { isJsonObject, writeJsonText } from '../../../src/transport.ts';
import type { HttpCall } from '../../../transports/http/index.ts';
import type { A2aError } from '../errors/a2a-error.ts';
import { invalidInput, refusal } from '../errors/a2a-error.ts';
import { jsonRpcError, jsonRpcHttpStatusOf } from '../errors/forms.ts';
import { WIRES } from '../wires/wires.ts';
import { bodyOf } from './body.ts';
import type { Exchange } from './exchange.ts';
import type { Begun, Writer } from './http-answer.ts';
import { beginHttp, refusalHeaders, tellHttp } from './http-answer.ts';
import { JSON_TYPE, mediaTypeOf } from './media.ts';
import { operationOf, rpcWireOf } from './methods.ts';
import { versionOf, versionRefusal } from './version.ts';

const HEADERS = { 'content-type': JSON_TYPE };
/** It is said again in every frame of a stream. */
const MAX_ID_LENGTH = 1_024;
const EMPTY: JsonObject = Object.freeze({});

interface Envelope {
  readonly id: JsonValue;
  readonly method: string;
  readonly params: JsonValue | undefined;
}

export async function serveJsonRpc(http: HttpCall, exchange: Exchange): Promise<void> {
  let id: JsonValue = null;
  try {
    if (http.method !== 'POST') throw notAllowed();
    await exchange.identify();
    await tellHttp(http, exchange, await ask(http, exchange, (known) => (id = known)));
  } catch (thrown) {
    await refuseJsonRpc(http, exchange.told(thrown), id);
  }
}

/** @param onId told the id of the request, for what is refused afterwards. */
async function ask(
  http: HttpCall,
  exchange: Exchange,
  onId: (id: JsonValue) => void,
): Promise<Begun> {
  const { service } = exchange;
  const { bytes, value: body } = await bodyOf(http, service.context.limits);
  if (body === undefined) throw refusal('PARSE_ERROR', 'ENCODING_INVALID', 'the body is empty');
  onId(idIn(body));
  const { id, method, params } = envelopeOf(body);
  const version = versionOf(http);
  if (version === 'other') throw versionRefusal();
  const name = rpcWireOf(version, method, params);
  const operation = operationOf(name, method);
  if (operation === undefined) throw noMethod();
  const value = paramsOf(params);
  const writer = writerFor(http, id, name === 'v03-jsonrpc' && operation === 'subscribe');
  const carrier = { binding: 'JSONRPC', bytes, mediaType: mediaTypeOf(http) } as const;
  const asked = { wire: WIRES[name], operation, value, carrier };
  return beginHttp(exchange, asked, writer);
}

export function refuseJsonRpc(
  http: HttpCall,
  error: A2aError,
  id: JsonValue = null,
): Promise<void> {
  const headers = { ...HEADERS, ...refusalHeaders(error) };
  return http.answer(jsonRpcHttpStatusOf(error.kind), headers, writeJsonText(refusalOf(id, error)));
}

/** @param isOldStream who goes on with a stream in 0.3 takes nothing else, but for what HTTP itself says. */
function writerFor(http: HttpCall, id: JsonValue, isOldStream: boolean): Writer {
  const resultOf = (result: JsonValue): JsonObject => ({ jsonrpc: '2.0', id, result });
  return {
    answer: (body, headers) =>
      http.answer(200, { ...HEADERS, ...headers }, writeJsonText(resultOf(body))),
    frame: resultOf,
    refusal: (error) => ({ data: writeJsonText(refusalOf(id, error)) }),
    tellsInStream: ({ kind }) => isOldStream && jsonRpcHttpStatusOf(kind) === 200,
  };
}

function refusalOf(id: JsonValue, error: A2aError): JsonObject {
  return { jsonrpc: '2.0', id, error: jsonRpcError(error) };
}

/** As far as there is one that can be said again. */
function idIn(body: JsonValue): JsonValue {
  const id = isJsonObject(body) ? body['id'] : undefined;
  return isScalarId(id) ? (id ?? null) : null;
}

/** A request without an id is done and answered, too: there are clients that wait for it. */
function envelopeOf(body: JsonValue): Envelope {
  if (!isJsonObject(body)) throw noRequest('the body is no JSON-RPC request');
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0') throw noRequest('"jsonrpc" expected "2.0"');
  if (!isScalarId(id))
    throw noRequest(
      `"id" expected a string of at most ${MAX_ID_LENGTH} characters, a number or null`,
    );
  if (typeof method !== 'string') throw noRequest('"method" expected a string');
  return { id: id ?? null, method, params };
}

function isScalarId(id: JsonValue | undefined): boolean {
  if (typeof id === 'string') return id.length <= MAX_ID_LENGTH;
  if (id === undefined || id === null) return true;
  return typeof id !== 'boolean' && !Array.isArray(id) && !isJsonObject(id);
}

function paramsOf(params: JsonValue | undefined): JsonObject {
  if (params === undefined || params === null) return EMPTY;
  if (isJsonObject(params)) return params;
  throw invalidInput([{ field: 'params', description: 'expected an object' }]);
}

function noRequest(words: string): A2aError {
  return refusal('INVALID_REQUEST', 'ENVELOPE_INVALID', words);
}

function noMethod(): A2aError {
  return refusal('METHOD_NOT_FOUND', 'ADDRESS_WRONG', 'there is no such method');
}

function notAllowed(): A2aError {
  const words = 'JSON-RPC is spoken with POST here';
  return refusal('METHOD_NOT_ALLOWED', 'ADDRESS_WRONG', words, { allow: ['POST'] });
}
