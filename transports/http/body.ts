// Owns how a body is read within a limit, and let go of unread. SPEC.md section 11 (#transport-http).

import type { IncomingMessage } from 'node:http';
import { ByteCollector } from './byte-collector.ts';

/** Somebody else has begun to read it, such as a body parser of the server that the agent is mounted in. */
export function isBodyTaken(request: IncomingMessage): boolean {
  return request.readableDidRead || request.readableEnded;
}

/** Its headers announce a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Undefined for a body beyond the limit: by its announced length before it is read, else as soon as it shows. */
export async function readBody(
  message: IncomingMessage,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) return undefined;
  const body = new ByteCollector(maxBytes);
  // Left open on the way out, so that the answer can still be written.
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    if (!body.add(chunk as Uint8Array)) return undefined;
  }
  return body.take();
}

/** Reads on without keeping anything, so that the client gets to read its answer before the connection ends. */
export function discardBody(request: IncomingMessage, maxBytes: number): Promise<void> {
  return new Promise((resolve) => {
    if (request.readableEnded || request.destroyed) return resolve();
    let length = 0;
    request.on('data', (chunk: Uint8Array) => {
      length += chunk.length;
      if (length > maxBytes) resolve();
    });
    request.on('end', resolve);
    request.on('close', resolve);
    request.resume();
  });
}
