// Owns requests of HTTP as they stand: a path that nobody cleans, headers as they are, bytes for a body.

import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:http';

export interface RawRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export interface RawAnswer {
  readonly status: number;
  /** The media type. */
  readonly type: string;
  readonly headers: IncomingMessage['headers'];
  /** Of a stream that stays open, what came until nothing more came for a while. */
  readonly text: string;
}

/** What an answer may take at the most; nothing here works for so long. */
const PATIENCE_MS = 10_000;
const SILENCE_MS = 50;

export class RawClient {
  readonly #origin: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(origin: string) {
    this.#origin = new URL(origin);
  }

  async ask({ method, path, headers, body }: RawRequest): Promise<RawAnswer> {
    const { hostname, port } = this.#origin;
    const signal = AbortSignal.timeout(PATIENCE_MS);
    // Node says the length by itself only for methods that usually have a body.
    const length = body.length === 0 ? {} : { 'content-length': Buffer.byteLength(body) };
    const all = { ...headers, ...length };
    const sent = request({
      hostname,
      port,
      method,
      path,
      headers: all,
      agent: this.#agent,
      signal,
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const type = (response.headers['content-type'] ?? '').split(';')[0]!;
    const text = await textOf(response, type === 'text/event-stream');
    return { status: response.statusCode!, type, headers: response.headers, text };
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function textOf(response: IncomingMessage, isStream: boolean): Promise<string> {
  let text = '';
  let silence: NodeJS.Timeout | undefined;
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    text += chunk;
    clearTimeout(silence);
    if (isStream) silence = setTimeout(() => response.destroy(), SILENCE_MS);
  });
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    response.once('end', resolve);
    // A stream that was left.
    response.once('error', () => resolve());
  });
  clearTimeout(silence);
  return text;
}
