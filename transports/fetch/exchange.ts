// Owns one request on the wire: to vetted addresses only, its answer read within the limits, the connection ended with it.
// SPEC.md section 5.1 (#guarded-fetch).

import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import type { RequestOptions } from 'node:https';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import { TransportError } from '../../src/transport.ts';
import { TlsError, tlsErrorOf } from '../net/tls-failure.ts';
import type { GuardedAnswer, GuardedRequest, HostAddress } from './options.ts';
import type { FetchAddress, Policy } from './policy.ts';

/** A request whose options have been checked. */
export interface CheckedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly wantsBody: (status: number) => boolean;
  readonly tellsHeaders: readonly string[];
}

const MAX_HEADER_BYTES = 16_384;
/** What frames a message or steers the connection is for the fetch alone to set. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'expect',
  'upgrade',
  'trailer',
  'te',
]);
const TOLD_HEADERS = ['content-type', 'cache-control', 'etag', 'retry-after'] as const;

/** Wrong use by the programmer is a TypeError, before anything is looked up. */
export function checkRequest(request: GuardedRequest): CheckedRequest {
  const { method = 'GET', headers = {}, body, wantsBody = () => true } = request;
  const { tellsHeaders = [] } = request;
  if (!/^[A-Z]{1,16}$/.test(method) || method === 'CONNECT' || method === 'TRACE') {
    throw new TypeError('"method" expected the name of an HTTP method');
  }
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    throw new TypeError(`"body" expected nothing with ${method}`);
  }
  for (const name of Object.keys(headers)) {
    if (OWN_HEADERS.has(name.toLowerCase())) {
      throw new TypeError(`"headers" expected no ${name}: the fetch sets it`);
    }
  }
  return { method, headers: { ...headers }, body, wantsBody, tellsHeaders };
}

/** An answer of which only the head was read. */
export interface Opened extends Pick<GuardedAnswer, 'status' | 'headers'> {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
}

/** Resolves when the head of the answer is there. Whoever gets it destroys the request. */
export async function openExchange(
  target: FetchAddress,
  addresses: readonly HostAddress[],
  { method, headers, body, tellsHeaders }: CheckedRequest,
  { secureContext }: Policy,
  signal: AbortSignal,
): Promise<Opened> {
  const options: RequestOptions & { readonly secureContext: SecureContext } = {
    method,
    host: target.host,
    port: target.port,
    path: target.path,
    headers: {
      ...headers,
      'Accept-Encoding': 'identity',
      ...(body !== undefined && { 'Content-Length': body.length }),
    },
    // A connection of its own: none is taken from a pool, none is given back, no proxy is asked.
    agent: false,
    lookup: answerWith(addresses),
    servername: isIP(target.host) === 0 ? target.host : '',
    secureContext: secureContext as SecureContext,
    // Set here explicitly, because an environment variable can switch both off for the whole process.
    rejectUnauthorized: true,
    insecureHTTPParser: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
  };
  const request = target.isSecure ? httpsRequest(options) : httpRequest(options);
  const isConnected = watchConnection(request, target.isSecure);
  try {
    const response = await answerTo(request, body);
    const status = response.statusCode ?? 0;
    if (status >= 300 && status < 400) throw redirected(status);
    return { status, headers: headersOf(response, tellsHeaders), request, response };
  } catch (thrown) {
    request.destroy();
    throw connectionError(thrown, isConnected());
  }
}

/** All of the answer within the limits; the connection ends with it. */
export async function readWhole(
  { request, response }: Opened,
  { maxBytes }: Policy,
): Promise<Uint8Array> {
  try {
    return await readBody(response, maxBytes);
  } catch (thrown) {
    throw connectionError(thrown, true);
  } finally {
    request.destroy();
  }
}

/** Throws for an answer in a form that was not asked for. */
export function assertPlain({ headers }: IncomingMessage): void {
  const transfer = headers['transfer-encoding']?.toLowerCase() ?? 'chunked';
  if (headers['content-encoding'] === undefined && transfer === 'chunked') return;
  throw new TransportError('protocol', 'the server compressed the answer, which was not asked for');
}

/** What is thrown is not kept as the cause: errors of the HTTP parser and of TLS carry what the server sent. */
export function connectionError(thrown: unknown, isConnected: boolean): TransportError {
  if (thrown instanceof TransportError) return thrown;
  const words = `the connection failed (${codeOf(thrown)})`;
  const tls = isConnected ? undefined : tlsErrorOf(thrown);
  if (tls !== undefined) return new TlsError(tls.problem, words);
  return new TransportError(faultOf(thrown, isConnected), words);
}

function faultOf(thrown: unknown, isConnected: boolean): 'unreachable' | 'lost' | 'protocol' {
  if (!isConnected) return 'unreachable';
  return codeOf(thrown).startsWith('HPE_') ? 'protocol' : 'lost';
}

function codeOf(thrown: unknown): string {
  const code: unknown = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : 'no code';
}

/** Until the connection stands, with TLS where there is any, nothing of the request has been sent. */
function watchConnection(request: ClientRequest, isSecure: boolean): () => boolean {
  let isConnected = false;
  request.once('socket', (socket) => {
    socket.once(isSecure ? 'secureConnect' : 'connect', () => (isConnected = true));
  });
  return () => isConnected;
}

/** Pins the connection: whatever name Node asks for, it gets the vetted addresses. */
function answerWith(addresses: readonly HostAddress[]): LookupFunction {
  return (_host, { all }, answer) => {
    const { address, family } = addresses[0]!;
    if (all === true) answer(null, [...addresses]);
    else answer(null, address, family);
  };
}

function answerTo(request: ClientRequest, body: Uint8Array | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
    // A switch of protocols ends the request without a response and without an error.
    request.on('close', () => {
      reject(new TransportError('protocol', 'the connection ended without an answer'));
    });
    request.end(body);
  });
}

function redirected(status: number): TransportError {
  const words = `the server redirects (status ${status}), which is not followed`;
  return new TransportError('refused', words);
}

function headersOf(
  { headers }: IncomingMessage,
  further: readonly string[],
): GuardedAnswer['headers'] {
  const told = [...TOLD_HEADERS, ...further].flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, String(value)]];
  });
  return Object.fromEntries(told) as GuardedAnswer['headers'];
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  assertPlain(response);
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}

function tooLarge(maxBytes: number): TransportError {
  return new TransportError('protocol', `the answer is larger than ${maxBytes} bytes`);
}
