// Owns one HTTP request on its way out, and what each of its failures is called. Redirects are not followed.
// SPEC.md section 11 (#transport-http).

import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { TransportFault } from '../../src/transport.ts';
import { TransportError } from '../../src/transport.ts';
import type { TlsOptions } from '../net/tls-options.ts';
import { abortedError } from '../net/aborted.ts';
import { speaksTlsError, tlsErrorOf } from '../net/tls-failure.ts';
import { clientTls } from '../net/tls.ts';

const MAX_HEADER_BYTES = 16_384;

interface HttpCall {
  readonly method: 'GET' | 'POST';
  readonly headers: OutgoingHttpHeaders;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

/** Connections that are kept open between calls. */
export interface HttpPool {
  /** The answer as soon as its headers are there; the caller reads or destroys it. Throws a {@link TransportError}. */
  call(url: URL, call: HttpCall): Promise<IncomingMessage>;
  /** The {@link TransportError} for what a read of an answer threw. */
  faultOf(thrown: unknown, signal: AbortSignal): TransportError;
  close(): void;
}

export interface HttpPoolOptions {
  readonly tls: TlsOptions;
  readonly maxSockets: number;
  readonly connectTimeoutMs: number;
}

/** The address as a URL of ours; a `TypeError` for one that cannot be dialed. */
export function parseHttpUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new TypeError('"url" expected an http or https address');
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new TypeError('"url" expected an address without a user name or password');
  }
  return parsed;
}

/** For URLs of one scheme. */
export function createHttpPool(isSecure: boolean, options: HttpPoolOptions): HttpPool {
  const pooling = { keepAlive: true, maxSockets: options.maxSockets };
  const agent = isSecure
    ? new HttpsAgent({ ...pooling, ...clientTls(options.tls) })
    : new HttpAgent(pooling);
  /** The other end has answered over this scheme, or was asked whether it speaks the other one. */
  let isSchemeSettled = isSecure;
  return {
    call: async (url, call) => {
      const { method, headers, signal } = call;
      const settings = { agent, method, headers, signal, maxHeaderSize: MAX_HEADER_BYTES };
      // Set here explicitly, because an environment variable can switch it on for the whole process.
      const init = { ...settings, insecureHTTPParser: false };
      const request = isSecure ? httpsRequest(url, init) : httpRequest(url, init);
      try {
        const answer = await answerTo(request, call, isSecure, options.connectTimeoutMs);
        isSchemeSettled = true;
        return answer;
      } catch (thrown) {
        if (isSchemeSettled || !isCutUnheard(thrown, request)) throw thrown;
        isSchemeSettled = true;
        throw (await speaksTlsError(url)) ?? thrown;
      }
    },
    faultOf: (thrown, signal) => faultOf(thrown, signal, true),
    close: () => agent.destroy(),
  };
}

function answerTo(
  request: ClientRequest,
  { body, signal }: HttpCall,
  isSecure: boolean,
  connectTimeoutMs: number,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let isConnected = false;
    request.on('socket', (socket: Socket) => {
      isConnected = request.reusedSocket;
      if (isConnected) return;
      const connecting = setTimeout(() => {
        const words = `no connection came about in ${connectTimeoutMs} ms`;
        request.destroy(new TransportError('unreachable', words));
      }, connectTimeoutMs);
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        isConnected = true;
        clearTimeout(connecting);
      });
      request.once('close', () => clearTimeout(connecting));
    });
    request.on('response', resolve);
    request.on('error', (error) => reject(faultOf(error, signal, isConnected)));
    // A switch of protocols ends the request without a response and without an error.
    request.on('close', () => {
      reject(new TransportError('lost', 'the connection ended without an answer'));
    });
    request.end(body);
  });
}

/** The other end closed the connection without sending a byte, as a server that expects TLS does. */
function isCutUnheard(thrown: unknown, { socket }: ClientRequest): boolean {
  return thrown instanceof TransportError && thrown.fault === 'lost' && socket?.bytesRead === 0;
}

function faultOf(thrown: unknown, signal: AbortSignal, isConnected: boolean): TransportError {
  if (thrown instanceof TransportError) return thrown;
  if (signal.aborted) return abortedError(signal);
  const failure = tlsErrorOf(thrown);
  if (failure !== undefined) return failure;
  const code = codeOf(thrown);
  // Not kept as the cause: errors of the HTTP parser and of TLS carry what the other end sent.
  return new TransportError(faultByCode(code, isConnected), `the connection failed (${code})`);
}

function faultByCode(code: string, isConnected: boolean): TransportFault {
  if (code.startsWith('HPE_')) return 'protocol';
  if (isConnected) return code.startsWith('ERR_SSL_') ? 'refused' : 'lost';
  // Trying again helps neither against a bad certificate nor against a server without TLS.
  return /^E[A-Z0-9]+$/.test(code) && code !== 'EPROTO' ? 'unreachable' : 'refused';
}

function codeOf(thrown: unknown): string {
  const code: unknown = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : 'no code';
}
