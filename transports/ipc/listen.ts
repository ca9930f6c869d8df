// Owns how IPC connections are accepted. SPEC.md section 11 (#transport-ipc, #transport-timeouts).

import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import type { ListenContext, Listener } from '../../src/transport.ts';
import { IpcChannel } from './channel.ts';
import type { IpcAddress, IpcSettings } from './options.ts';
import { formatIpcUrl } from './options.ts';
import { listenAtPath } from '../net/socket-file.ts';
import { plainAddress } from '../net/peer-facts.ts';
import { ServedChannels } from '../channel/served-channels.ts';

/** Clients of a Unix socket have no address of their own. */
const LOCAL = 'local';

export async function listenIpc(settings: IpcSettings, context: ListenContext): Promise<Listener> {
  const { address: wanted, frameTimeoutMs } = settings;
  if (wanted === undefined) {
    throw new TypeError('"path" or "port" expected: ipc() has to know where to listen');
  }
  const channels = new ServedChannels(context, settings);
  const server = createServer({ noDelay: true });
  server.on('connection', (socket: Socket) => {
    const address = 'path' in wanted ? LOCAL : plainAddress(socket.remoteAddress);
    if (channels.isClosing || !channels.hasRoomFor(address)) {
      socket.destroy();
      return;
    }
    const channel = new IpcChannel(socket, context.limits.maxBytes, frameTimeoutMs);
    channels.add(channel, { transport: 'ipc', address });
  });
  // If a connection cannot be accepted, for example without free file handles, the others go on.
  server.on('error', () => {});
  const { address, remove } = await bind(server, wanted, settings.mode);
  let closing: Promise<void> | undefined;
  const close = async (graceMs: number): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    // Before the connections end, so that a new client learns at once that nobody listens.
    await remove();
    await channels.close(graceMs);
    await closed;
  };
  return {
    name: 'path' in wanted ? 'ipc' : 'ipc-tcp',
    urls: [formatIpcUrl(address)],
    close: (graceMs) => (closing ??= close(graceMs)),
  };
}

interface Bound {
  readonly address: IpcAddress;
  readonly remove: () => Promise<void>;
}

async function bind(server: Server, address: IpcAddress, mode: number): Promise<Bound> {
  if ('path' in address) return { address, remove: await listenAtPath(server, address.path, mode) };
  server.listen(address.port, address.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: { host: address.host, port }, remove: () => Promise.resolve() };
}
