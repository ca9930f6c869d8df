// Owns how an IPC connection is made. SPEC.md section 11 (#transport-ipc, #transport-timeouts).

import { once } from 'node:events';
import { connect } from 'node:net';
import type { Connection, DialOptions } from '../../src/transport.ts';
import { TransportError } from '../../src/transport.ts';
import { demultiplex } from '../channel/demux.ts';
import { IpcChannel } from './channel.ts';
import type { IpcSettings } from './options.ts';
import { parseIpcUrl } from './options.ts';

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;

export async function dialIpc(
  { frameTimeoutMs, stallTimeoutMs }: IpcSettings,
  url: string,
  { limits, connectTimeoutMs = DEFAULT_CONNECT_TIMEOUT_MS }: DialOptions,
): Promise<Connection> {
  const socket = connect({ ...parseIpcUrl(url), noDelay: true });
  const deadline = AbortSignal.timeout(connectTimeoutMs);
  try {
    await once(socket, 'connect', { signal: deadline });
  } catch (cause) {
    socket.destroy();
    const words = deadline.aborted ? 'there was no connection in time' : 'nobody listens there';
    throw new TransportError('unreachable', words, cause);
  }
  return demultiplex(new IpcChannel(socket, limits.maxBytes, frameTimeoutMs), {
    limits,
    stallTimeoutMs,
  });
}
