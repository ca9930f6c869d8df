// Owns a receiver of web hooks that is as simple as those of the suites: it reads as many octets as Content-Length says.

import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { JsonObject } from '../../../src/codec/value.ts';

export interface Delivery {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** Empty where no length was said. */
  readonly body: JsonObject;
}

export interface Webhook {
  /** By its name, not its number. */
  readonly url: string;
  /** Resolves with all of them once one fits. */
  until(fits: (delivery: Delivery) => boolean): Promise<readonly Delivery[]>;
  close(): Promise<void>;
}

const LONGEST_MS = 30_000;

/** @param failures so many deliveries are refused first. */
export async function openWebhook(failures = 0): Promise<Webhook> {
  const deliveries: Delivery[] = [];
  let refusals = failures;
  const server = createServer((request, response) => {
    const length = Number(request.headers['content-length'] ?? 0);
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    request.on('end', () => {
      const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, length));
      const { method = '', headers } = request;
      const status = refusals > 0 ? 503 : 200;
      refusals -= 1;
      deliveries.push({
        method,
        headers,
        body: text === '' ? {} : (JSON.parse(text) as JsonObject),
      });
      response.writeHead(status).end();
      server.emit('delivery');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}/hook`,
    until: async (fits) => {
      const signal = AbortSignal.timeout(LONGEST_MS);
      while (!deliveries.some(fits)) await once(server, 'delivery', { signal });
      return deliveries;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
