// A server of the A2A benchmark: node:http alone. It reads and writes the JSON of a message, or keeps a stream of events
// open; nothing is checked.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { ANSWER } from './agent.ts';
import { serve } from './child.ts';

interface Asked {
  readonly id: unknown;
  readonly method: string;
}

function answerTo({ id }: Asked): string {
  const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: ANSWER }] };
  return JSON.stringify({ jsonrpc: '2.0', id, result: { message } });
}

serve(async () => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
      const text = answerTo(asked);
      if (asked.method === 'SendMessage') {
        const length = Buffer.byteLength(text);
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
        response.end(text);
      } else {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(`data: ${text}\n\n`);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/rpc` };
});
