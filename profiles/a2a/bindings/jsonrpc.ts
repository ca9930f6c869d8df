// Owns A2A over JSON-RPC: its envelope, the order of its checks, and its answers. SPEC.md section 20 (#a2a-jsonrpc).

import type { JsonObject, JsonValue } from '../../../src/door/index.ts';
import { isJsonObject, writeJson } from '../../../src/transport.ts';
import type { HttpCall } from '../../../transports/http/index.ts';
import type { A2aError } from '../errors/a2a-error.ts';
import { invalidInput, refusal } from '../errors/a2a-error.ts';
import { jsonRpcError, jsonRpcHttpStatusOf } from '../errors/forms.ts';
import { WIRES } from '../wires/wires.ts';
import { bodyOf } from './body.ts';
import type { Service, Writer } from './exchange.ts';
import { Exchange, refusalHeaders } from './exchange.ts';
import { JSON_TYPE } from './media.ts';
import { operationOf, rpcWireOf } from './methods.ts';
import { versionOf, versionRefusal } from './version.ts';

const HEADERS = { 'content-type': JSON_TYPE };
const EMPTY: JsonObject = Object.freeze({});

interface Envelope {
  readonly id: JsonValue;
  readonly method: string;
  readonly params: JsonValue | undefined;
}

export async function serveJsonRpc(http: HttpCall, service: Service): Promise<void> {
  const exchange = new Exchange(http, service);
  let id: JsonValue = null;
  try {
    if (http.method !== 'POST') throw notAllowed();
    await exchange.identify();
    const body = await bodyOf(http, service.context.limits);
    id = idIn(body);
    const { method, params } = envelopeOf(body);
    const version = versionOf(http);
    if (version === 'other') throw versionRefusal();
    const name = rpcWireOf(version, method, params);
    const operation = operationOf(name, method);
    if (operation === undefined) throw noMethod();
    const value = paramsOf(params);
    const isAlwaysStream = name === 'v03-jsonrpc' && operation === 'subscribe';
    await exchange.perform(
      { wire: WIRES[name], operation, value },
      writerFor(http, id, isAlwaysStream),
    );
  } catch (thrown) {
    await refuseJsonRpc(http, exchange.told(thrown), id);
  }
}

export function refuseJsonRpc(
  http: HttpCall,
  error: A2aError,
  id: JsonValue = null,
): Promise<void> {
  const headers = { ...HEADERS, ...refusalHeaders(error) };
  return http.answer(jsonRpcHttpStatusOf(error.kind), headers, writeJson(refusalOf(id, error)));
}

function writerFor(http: HttpCall, id: JsonValue, isAlwaysStream: boolean): Writer {
  const resultOf = (result: JsonObject): JsonObject => ({ jsonrpc: '2.0', id, result });
  return {
    answer: (body, headers) =>
      http.answer(200, { ...HEADERS, ...headers }, writeJson(resultOf(body))),
    frame: resultOf,
    refusal: (error) => ({ data: writeJson(refusalOf(id, error)) }),
    isAlwaysStream,
  };
}

function refusalOf(id: JsonValue, error: A2aError): JsonObject {
  return { jsonrpc: '2.0', id, error: jsonRpcError(error) };
}

/** As far as there is one that can be said again. */
function idIn(body: JsonValue | undefined): JsonValue {
  const id = isJsonObject(body) ? body['id'] : undefined;
  return isScalarId(id) ? (id ?? null) : null;
}

/** A request without an id is done and answered, too: there are clients that wait for it. */
function envelopeOf(body: JsonValue | undefined): Envelope {
  if (!isJsonObject(body)) throw noRequest('the body is no JSON-RPC request');
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0') throw noRequest('"jsonrpc" expected "2.0"');
  if (!isScalarId(id)) throw noRequest('"id" expected a string, a number or null');
  if (typeof method !== 'string') throw noRequest('"method" expected a string');
  return { id: id ?? null, method, params };
}

function isScalarId(id: JsonValue | undefined): boolean {
  if (id === undefined || id === null || typeof id === 'string') return true;
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
