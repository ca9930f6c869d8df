// Owns a gateway that means harm: a real HTTP proxy before a server of A2A, which changes what passes it.

import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Shape } from '../../../support/a2a/sealed.ts';

/** What it does to what passes. Each gets and gives JSON. @default it passes it on as it is */
export interface Harm {
  /** To the call of a client. */
  readonly call?: (body: Shape) => Shape;
  /** To the answer of the server. */
  readonly answer?: (body: Shape) => Shape;
  /** To the events of a stream. */
  readonly events?: (events: readonly Shape[]) => readonly Shape[];
  /** The same call is made a second time, and that one is answered. */
  readonly isTwice?: true;
  /** Nothing but what HTTP needs is passed on of the headers. */
  readonly dropsHeaders?: true;
}

export interface Gateway {
  readonly origin: string;
  harm: Harm;
  stop(): Promise<void>;
}

const KEPT_HEADERS = new Set(['content-type', 'accept', 'a2a-version']);

export async function startGateway(target: string): Promise<Gateway> {
  const gateway = { origin: '', harm: {} as Harm, stop: async () => undefined };
  const server = createServer((request, response) => {
    void pass(request, target, gateway).then(({ status, type, text }) =>
      response.writeHead(status, { 'Content-Type': type }).end(text),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return Object.assign(gateway, {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

interface Passed {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function pass(
  request: IncomingMessage,
  target: string,
  { origin, harm }: Pick<Gateway, 'origin' | 'harm'>,
): Promise<Passed> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  const body = Buffer.concat(chunks).toString();
  const isCall = request.method === 'POST';
  const sent = isCall && harm.call !== undefined ? changed(body, harm.call) : body;
  const call = (): Promise<Response> =>
    fetch(`${target}${request.url}`, {
      method: request.method!,
      headers: headersOf(request, harm.dropsHeaders === true),
      ...(isCall && { body: sent }),
    });
  if (harm.isTwice === true && isCall) await (await call()).text();
  const response = await call();
  // Whoever asks again comes back here: the addresses in the card are its own.
  const text = (await response.text()).replaceAll(target, origin);
  const type = response.headers.get('content-type') ?? 'text/plain';
  return { status: response.status, type, text: isCall ? harmed(text, type, harm) : text };
}

function headersOf({ headers }: IncomingMessage, dropsMost: boolean): Record<string, string> {
  const own = Object.entries(headers).filter(([name]) => {
    if (dropsMost) return KEPT_HEADERS.has(name);
    return !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name);
  });
  return Object.fromEntries(own.map(([name, value]) => [name, String(value)]));
}

function harmed(text: string, type: string, { answer, events }: Harm): string {
  if (type.startsWith('text/event-stream')) {
    if (events === undefined) return text;
    const read = text.split('\n').flatMap((line) => {
      return line.startsWith('data:') ? [JSON.parse(line.slice(5)) as Shape] : [];
    });
    return events(read)
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join('');
  }
  return answer === undefined ? text : changed(text, answer);
}

function changed(text: string, change: (body: Shape) => Shape): string {
  return JSON.stringify(change(JSON.parse(text) as Shape));
}
