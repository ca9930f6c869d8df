// Owns how a schema is fetched from a URI that a peer chose: one request to one vetted host, nothing followed, nothing kept.
// The caller checks by hash that these are the right bytes. SPEC.md section 5.1 (#schema-uri).

import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import type { RequestOptions } from 'node:https';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { SdlError } from '../../src/transport.ts';
import type { HostAddress, SchemaFetchOptions } from './options.ts';
import type { Policy, FetchAddress } from './policy.ts';
import { parseAddress, refusal, resolvePolicy } from './policy.ts';

export type { HostAddress, SchemaFetchOptions } from './options.ts';

const MAX_HEADER_BYTES = 16_384;

/**
 * Makes a fetcher for schema URIs. Every failure is an `SdlError` with the code `SCHEMA_URI`; it never
 * carries anything of the response but its status.
 */
export function createSchemaFetch(
  options: SchemaFetchOptions = {},
): (uri: string, signal?: AbortSignal) => Promise<Uint8Array> {
  const policy = resolvePolicy(options);
  return async (uri, signal) => {
    const target = parseAddress(uri, policy);
    const deadline = startDeadline(policy.timeoutMs, signal);
    try {
      deadline.signal.throwIfAborted();
      const addresses = await orAbort(resolveHost(target.host, policy), deadline.signal);
      return await download(target, addresses, policy, deadline.signal);
    } catch (thrown) {
      if (thrown instanceof SdlError) throw thrown;
      // After an abort the connection fails too: the abort is the real reason.
      deadline.signal.throwIfAborted();
      // Not kept as the cause: errors of the HTTP parser and of TLS carry what the server sent.
      throw refusal(`the connection failed (${codeOf(thrown)})`);
    } finally {
      deadline.stop();
    }
  };
}

function codeOf(thrown: unknown): string {
  const code: unknown = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : 'no code';
}

interface Deadline {
  /** Aborts with the `SdlError` to throw. */
  readonly signal: AbortSignal;
  readonly stop: () => void;
}

/** One signal for the time limit and the caller's; `stop` leaves neither a timer nor a listener behind. */
function startDeadline(timeoutMs: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(refusal(`the schema had not arrived after ${timeoutMs} ms`));
  }, timeoutMs);
  const onAbort = (): void => {
    controller.abort(refusal('the caller aborted the fetch', caller?.reason));
  };
  if (caller?.aborted === true) onAbort();
  else caller?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    stop: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', onAbort);
    },
  };
}

/** For work that cannot be cancelled: its result is ignored once the signal has aborted. */
function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as SdlError), { once: true });
    work.then(resolve, reject);
  });
}

/** The only look-up of a fetch. One address that is not allowed makes the whole answer invalid. */
async function resolveHost(host: string, policy: Policy): Promise<readonly HostAddress[]> {
  const answers = isIP(host) === 0 ? await lookUp(host, policy) : [host];
  if (answers.length === 0) throw refusal('the host has no address');
  if (!answers.every(policy.isAllowedAddress))
    throw refusal('the host is not on the public network');
  return answers.map((address) => ({ address, family: isIP(address) === 4 ? 4 : 6 }));
}

async function lookUp(host: string, policy: Policy): Promise<readonly string[]> {
  try {
    return (await policy.lookup(host)).map(({ address }) => address);
  } catch (cause) {
    throw refusal('the host could not be looked up', cause);
  }
}

async function download(
  target: FetchAddress,
  addresses: readonly HostAddress[],
  policy: Policy,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const options: RequestOptions & Pick<ConnectionOptions, 'secureContext'> = {
    method: 'GET',
    host: target.host,
    port: target.port,
    path: target.path,
    headers: { Accept: 'application/schema+json, application/json', 'Accept-Encoding': 'identity' },
    // A connection of its own: none is taken from a pool, none is given back, no proxy is asked.
    agent: false,
    lookup: answerWith(addresses),
    servername: isIP(target.host) === 0 ? target.host : '',
    secureContext: policy.secureContext,
    // Set here explicitly, because an environment variable can switch both off for the whole process.
    rejectUnauthorized: true,
    insecureHTTPParser: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
  };
  const request = target.isSecure ? httpsRequest(options) : httpRequest(options);
  try {
    const response = await answerTo(request);
    checkHead(response, policy.maxBytes);
    return await readBody(response, policy.maxBytes);
  } finally {
    request.destroy();
  }
}

/** Pins the connection: whatever name Node asks for, it gets the vetted addresses. */
function answerWith(addresses: readonly HostAddress[]): LookupFunction {
  return (_host, { all }, answer) => {
    const { address, family } = addresses[0]!;
    if (all === true) answer(null, [...addresses]);
    else answer(null, address, family);
  };
}

function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve);
    request.on('error', reject);
    // A switch of protocols ends the request without a response and without an error.
    request.on('close', () => reject(refusal('the connection ended without an answer')));
    request.end();
  });
}

function checkHead({ statusCode = 0, headers }: IncomingMessage, maxBytes: number): void {
  if (statusCode >= 300 && statusCode < 400) {
    throw refusal(`the server redirects (status ${statusCode}), which is not followed`);
  }
  if (statusCode !== 200) throw refusal(`the server answered with status ${statusCode}`);
  const transfer = headers['transfer-encoding']?.toLowerCase() ?? 'chunked';
  if (headers['content-encoding'] !== undefined || transfer !== 'chunked') {
    throw refusal('the server compressed the schema, which was not asked for');
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
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

function tooLarge(maxBytes: number): SdlError {
  return refusal(`the schema is larger than ${maxBytes} bytes`);
}
