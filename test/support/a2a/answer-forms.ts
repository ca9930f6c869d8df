// Owns what an answer of official A2A may look like: whatever was asked, it is one of the forms of its binding and wires.

import type { Json } from './ask.ts';
import { at, textAt } from './ask.ts';
import type { RawAnswer } from './raw.ts';

/** What is wrong with it; `undefined` for one that is in order. */
export function formFault(answer: RawAnswer, isRpc: boolean): string | undefined {
  const { status, type, text } = answer;
  if (status >= 500) return `status ${status}`;
  if (/<html|<!doctype|    at .*\.ts:/i.test(text)) return 'HTML, or a place in the code';
  if (type === 'text/event-stream') return status === 200 ? streamFault(text, isRpc) : 'a stream';
  // 0.3 and the draft say so that a web hook is dropped.
  if (status === 204 && !isRpc) return text === '' ? undefined : 'a body with 204';
  // The host's own: nobody owns the path, or it is no request that can be read.
  if (text === '') return [400, 404, 408, 431].includes(status) ? undefined : `empty ${status}`;
  let body: Json;
  try {
    body = JSON.parse(text) as Json;
  } catch {
    return `no JSON: ${text.slice(0, 100)}`;
  }
  if (isRpc) return type === 'application/json' ? rpcFault(body) : `the type ${type}`;
  if (status < 300) return /^application\/(a2a\+)?json$/.test(type) ? undefined : `type ${type}`;
  return restFault(body, status, type);
}

function rpcFault(body: Json): string | undefined {
  if (at(body, 'jsonrpc') !== '2.0') return 'no JSON-RPC';
  const id = at(body, 'id');
  if (id === undefined || typeof id === 'boolean' || (typeof id === 'object' && id !== null)) {
    return 'an id that is none';
  }
  const [result, error] = [at(body, 'result'), at(body, 'error')];
  if ((result === undefined) === (error === undefined)) return 'not one of result and error';
  return error === undefined ? undefined : errorFault(error);
}

/** The error of JSON-RPC, and the body of 0.3 over REST. */
function errorFault(error: Json): string | undefined {
  const code = at(error, 'code');
  if (typeof code !== 'number' || !Number.isInteger(code) || code >= -31_999) return 'no code';
  if (code === -32_603) return 'an internal error';
  return wordsFault(at(error, 'message')) ?? detailsFault(at(error, 'data'));
}

function restFault(body: Json, status: number, type: string): string | undefined {
  if (type === 'application/problem+json') {
    if (at(body, 'status') !== status) return 'another status in the problem';
    if (!textAt(body, 'type').startsWith('https://a2a-protocol.org/errors/')) return 'no type';
    return wordsFault(at(body, 'title')) ?? wordsFault(at(body, 'detail'));
  }
  if (!/^application\/(a2a\+)?json$/.test(type)) return `the type ${type}`;
  const error = at(body, 'error');
  if (error === undefined) return errorFault(body);
  if (at(error, 'code') !== status) return 'another status in the error';
  if (!/^[A-Z_]+$/.test(textAt(error, 'status'))) return 'no status of RPC';
  return wordsFault(at(error, 'message')) ?? detailsFault(at(error, 'details'));
}

function wordsFault(words: Json | undefined): string | undefined {
  return typeof words === 'string' && words !== '' ? undefined : 'no words';
}

function detailsFault(details: Json | undefined): string | undefined {
  if (!Array.isArray(details) || details.length === 0) return 'no details';
  const [info] = details as readonly Json[];
  const isInfo =
    textAt(info, '@type').endsWith('google.rpc.ErrorInfo') &&
    /^[A-Z_]+$/.test(textAt(info, 'reason')) &&
    typeof at(info, 'domain') === 'string';
  return isInfo ? undefined : 'no ErrorInfo at first';
}

function streamFault(text: string, isRpc: boolean): string | undefined {
  for (const event of text.split('\n\n').slice(0, -1)) {
    if (/^(:.*)?$/.test(event)) continue;
    const data = /^data: (.*)$/m.exec(event)?.[1];
    if (data === undefined) return `an event without data: ${event}`;
    const frame = JSON.parse(data) as Json;
    const fault = isRpc ? rpcFault(frame) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}
