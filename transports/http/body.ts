// Owns how a body is read within a limit, and let go of unread. SPEC.md section 11 (#transport-http).

import type { IncomingMessage } from 'node:http';
import { ByteCollector } from './byte-collector.ts';

const NO_BYTES = new Uint8Array(0);

/** Somebody else has begun to read it, such as a body parser of the server that the agent is mounted in. */
export function isBodyTaken(request: IncomingMessage): boolean {
  return request.readableDidRead || request.readableEnded;
}

/** What somebody else has made of it, as bytes again. `undefined` where nothing was kept. */
export function parsedBody(request: IncomingMessage): Uint8Array | undefined {
  const { body } = request as { readonly body?: unknown };
  if (body instanceof Uint8Array) return body;
  if (typeof body !== 'string' && (typeof body !== 'object' || body === null)) return undefined;
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Its headers announce a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Undefined for a body beyond the limit: by its announced length before it is read, else as soon as it shows. */
export function readBody(
  message: IncomingMessage,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve(undefined);
  if (message.readableEnded) return Promise.resolve(NO_BYTES);
  if (message.destroyed) return Promise.reject(message.errored ?? brokenOff());
  // Not by its iterator: that costs as much as all else that is done with a short body.
  return new Promise((resolve, reject) => {
    let first: Uint8Array | undefined;
    let body: ByteCollector | undefined;
    // To take listeners off costs more than to let them find out that they came late.
    let isOver = false;
    const onData = (chunk: Uint8Array): void => {
      if (isOver) return;
      if (first === undefined && chunk.length <= maxBytes) {
        first = chunk;
        return;
      }
      if (body === undefined) {
        body = new ByteCollector(maxBytes);
        if (first !== undefined) body.add(first);
      }
      if (body.add(chunk)) return;
      isOver = true;
      // Left open, so that the answer can still be written.
      message.pause();
      resolve(undefined);
    };
    const onEnd = (): void => {
      if (isOver) return;
      isOver = true;
      resolve(body?.take() ?? (first === undefined ? NO_BYTES : plainView(first)));
      // The request may stay for as long as its answer does.
      first = undefined;
      body = undefined;
    };
    const onError = (cause: Error): void => {
      if (isOver) return;
      isOver = true;
      reject(cause);
    };
    const onClose = (): void => {
      if (!isOver) onError(brokenOff());
    };
    message.on('data', onData);
    message.on('end', onEnd);
    message.on('error', onError);
    message.on('close', onClose);
  });
}

function brokenOff(): Error {
  return new Error('the connection ended inside of the body');
}

/** As what Node gives it is a Buffer, whose `slice` is no copy. */
function plainView({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
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
