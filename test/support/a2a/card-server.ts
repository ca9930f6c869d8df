// Owns a server that has nothing but a card: for agents whose interfaces are elsewhere.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Json } from './ask.ts';

export async function startCardServer(
  card: Json,
): Promise<{ readonly origin: string; readonly stop: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const isCard = request.url === '/.well-known/agent-card.json';
    response.writeHead(isCard ? 200 : 404, { 'content-type': 'application/json' });
    response.end(isCard ? JSON.stringify(card) : undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
