// A server process of the SWP benchmark: the runtime as it is shipped on a Unix socket for envelopes and one for SWP, or
// a bare server that only keeps its connections. It tells the memory that it uses.

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

import { createCallers } from '../../../profiles/auth/index.ts';
import { swp } from '../../../profiles/swp/index.ts';
import type { Peer } from '../../../src/security/peers/peer.ts';
import { ipc } from '../../../transports/ipc/index.ts';
import { entryFor, newAgent } from '../../support/agents/agents.ts';
import { usedBytes } from '../../support/wire/used-bytes.ts';
import { NO_BRAKES } from '../pipeline/sender.ts';

export interface SwpOrder {
  readonly kind: 'runtime' | 'bare';
  /** Paths of the sockets. */
  readonly ipc: string;
  readonly swp: string;
  readonly peers: readonly Peer[];
}

process.on('message', (question: SwpOrder | 'used') => {
  const answer = question === 'used' ? usedBytes() : start(question);
  void answer.then((value) => process.send!(value));
});
process.on('disconnect', () => process.exit());

export interface SwpReady {
  /** Where it can be reached over TCP. */
  readonly port: number;
  /** Who the runtime is; absent for a bare server. */
  readonly entry?: Peer;
}

async function start(order: SwpOrder): Promise<SwpReady> {
  if (order.kind === 'bare') {
    const server = createServer((socket) => {
      socket.on('data', () => undefined);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { port: (server.address() as AddressInfo).port };
  }
  const { identity, book, runtime } = await newAgent({
    admission: NO_BRAKES,
    callers: createCallers({ entries: [], anonymous: ['swp'] }),
    onTask: async () => 'done',
    tasks: {
      maxTasks: 1e6,
      maxTasksPerOwner: 1e6,
      maxConcurrent: 1_000,
      maxConcurrentPerOwner: 1_000,
    },
  });
  for (const peer of order.peers) book.add(peer);
  const [, , tcp] = await runtime.listen(
    ipc({ path: order.ipc }),
    swp({ path: order.swp, framesPerSecond: 0, peerFramesPerSecond: 0 }),
    swp({ port: 0, maxConnectionsPerAddress: 10_000 }),
  );
  return { port: Number(tcp!.urls[0]!.split(':')[1]), entry: entryFor(identity) };
}
