// Owns how a WebSocket connection is made. SPEC.md section 11 (#transport-ws, #transport-timeouts).

import { Agent } from 'node:https';
import type { ClientOptions, WebSocket } from 'ws';
import type { Connection, DialOptions } from '../../src/transport.ts';
import { TransportError } from '../../src/transport.ts';
import { demultiplex } from '../channel/demux.ts';
import { speaksTlsError, tlsErrorOf } from '../net/tls-failure.ts';
import { clientTls } from '../net/tls.ts';
import { maxPayloadOf, WS_PROTOCOL, WsChannel } from './channel.ts';
import type { WsSettings } from './options.ts';

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;
/** The other end has no room now; nothing was sent to it. */
const BUSY = new Set([429, 503]);

export async function dialWs(
  settings: WsSettings,
  url: string,
  { limits, connectTimeoutMs = DEFAULT_CONNECT_TIMEOUT_MS }: DialOptions,
): Promise<Connection> {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target === undefined || !/^wss?:$/.test(target.protocol) || target.hash !== '') {
    throw new TypeError('"url" expected an address such as "ws://127.0.0.1:8787/a2a"');
  }
  const ws = await import('ws');
  const options: ClientOptions = {
    ...(target.protocol === 'wss:' && { agent: new Agent(clientTls(settings.tls)) }),
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: maxPayloadOf(limits.maxBytes),
    followRedirects: false,
  };
  const deadline = AbortSignal.timeout(connectTimeoutMs);
  const connect = (protocols: string[]): Promise<Connection> =>
    opened(new ws.WebSocket(target, protocols, options), deadline, (socket) =>
      demultiplex(new WsChannel(socket, settings.pingIntervalMs), {
        limits,
        stallTimeoutMs: settings.stallTimeoutMs,
      }),
    );
  try {
    return await connect([WS_PROTOCOL]);
  } catch (thrown) {
    if (thrown === PROTOCOL_IGNORED) return await connect([]);
    if (target.protocol === 'wss:' || !isReset(thrown)) throw thrown;
    throw (await speaksTlsError(target)) ?? thrown;
  }
}

/** The server upgrades but chooses no sub-protocol, which the library takes for an error when one was offered. */
const PROTOCOL_IGNORED = new TransportError('refused', 'the server chose no sub-protocol');

function opened(
  socket: WebSocket,
  deadline: AbortSignal,
  toConnection: (socket: WebSocket) => Connection,
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    let isProtocolIgnored = false;
    const fail = (error: TransportError): void => {
      deadline.removeEventListener('abort', onTimeout);
      reject(error);
      socket.terminate();
    };
    const onTimeout = (): void => {
      fail(new TransportError('unreachable', 'there was no connection in time'));
    };
    socket.on('upgrade', ({ headers }) => {
      isProtocolIgnored = headers['sec-websocket-protocol'] === undefined;
    });
    socket.on('unexpected-response', (_request, { statusCode = 0 }) => {
      const fault = BUSY.has(statusCode) ? 'unreachable' : 'refused';
      fail(new TransportError(fault, `the server answered with status ${statusCode}`));
    });
    socket.on('error', (cause) => {
      if (isProtocolIgnored) fail(PROTOCOL_IGNORED);
      else fail(tlsErrorOf(cause) ?? notMade(cause));
    });
    socket.on('open', () => {
      deadline.removeEventListener('abort', onTimeout);
      socket.removeAllListeners('error');
      resolve(toConnection(socket));
    });
    deadline.addEventListener('abort', onTimeout, { once: true });
    if (deadline.aborted) onTimeout();
  });
}

function notMade(cause: Error): TransportError {
  return new TransportError('unreachable', 'the connection could not be made', cause);
}

/** Did the other end cut the connection, as a server that expects TLS does? */
function isReset(thrown: unknown): boolean {
  const cause = thrown instanceof TransportError ? thrown.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNRESET';
}
