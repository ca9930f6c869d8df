// Owns agents that answer as a test says: for what no decent agent would do.

import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { onTestFinished } from 'vitest';

import type { Json } from './ask.ts';

/** A request as it came. */
export interface Recorded {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** `null` where it is no JSON. */
  readonly body: Json;
  /** The id of a JSON-RPC request. */
  readonly id: Json;
  /** Its method. */
  readonly rpc: string;
}

export interface ScriptedAgent {
  readonly origin: string;
  /** All but those for the card. */
  readonly requests: readonly Recorded[];
  /** Those for the card. */
  readonly cards: readonly Recorded[];
}

export interface Script {
  /** @default a card of 1.0 that streams, with JSON-RPC at `/rpc` */
  readonly card?: (origin: string) => Json;
  readonly onCard?: (request: Recorded, response: ServerResponse, origin: string) => void;
  readonly handle?: (request: Recorded, response: ServerResponse) => unknown;
}

export const CARD_PATH = '/.well-known/agent-card.json';

export function cardOf(origin: string, more: Readonly<Record<string, Json>> = {}): Json {
  return {
    name: 'scripted',
    description: 'does as it is told',
    version: '1',
    supportedInterfaces: [
      { url: `${origin}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'echo', name: 'Echo', description: 'says it again', tags: ['text'] }],
    ...more,
  };
}

/** Closed after the test. */
export async function scriptedAgent(script: Script = {}): Promise<ScriptedAgent> {
  const requests: Recorded[] = [];
  const cards: Recorded[] = [];
  let origin = '';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const recorded = recordedOf(method, path, headers, Buffer.concat(chunks).toString());
      if (path.includes('/.well-known/agent')) {
        cards.push(recorded);
        if (script.onCard !== undefined) script.onCard(recorded, response, origin);
        else if (path === CARD_PATH) answerJson(response, (script.card ?? cardOf)(origin));
        else response.writeHead(404).end();
        return;
      }
      requests.push(recorded);
      if (script.handle === undefined) response.writeHead(404).end();
      else script.handle(recorded, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { origin, requests, cards };
}

function recordedOf(
  method: string,
  path: string,
  headers: IncomingHttpHeaders,
  text: string,
): Recorded {
  let body: Json = null;
  try {
    body = JSON.parse(text) as Json;
  } catch {
    // Not every request has JSON.
  }
  const { id = null, method: rpc = '' } = (body ?? {}) as { id?: Json; method?: string };
  return { method, path, headers, text, body, id, rpc };
}

export function answerJson(response: ServerResponse, body: Json, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** The answer of JSON-RPC to this request. */
export function answerRpc(response: ServerResponse, { id }: Recorded, result: Json): void {
  answerJson(response, { jsonrpc: '2.0', id, result });
}

export function refuseRpc(response: ServerResponse, { id }: Recorded, code: number): void {
  answerJson(response, { jsonrpc: '2.0', id, error: { code, message: 'no' } });
}

/** A stream of JSON-RPC. `end` is left to the test. */
export function streamRpc(
  response: ServerResponse,
  { id }: Recorded,
): { send: (result: Json, eventId?: string) => void; end: () => void; cut: () => void } {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  return {
    send: (result, eventId) => {
      const head = eventId === undefined ? '' : `id: ${eventId}\n`;
      response.write(`${head}data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    },
    end: () => response.end(),
    cut: () => response.destroy(),
  };
}

/** A task of 1.0. */
export function taskJson(
  id: string,
  state: string,
  more: Readonly<Record<string, Json>> = {},
): Json {
  return { id, contextId: 'context', status: { state: `TASK_STATE_${state}` }, ...more };
}

export function statusJson(taskId: string, state: string, words?: string): Json {
  const message =
    words === undefined
      ? {}
      : { message: { messageId: words, role: 'ROLE_AGENT', parts: [{ text: words }] } };
  return {
    statusUpdate: {
      taskId,
      contextId: 'context',
      status: { state: `TASK_STATE_${state}`, ...message },
    },
  };
}

export function artifactJson(
  taskId: string,
  artifactId: string,
  text: string,
  append = false,
): Json {
  return {
    artifactUpdate: {
      taskId,
      contextId: 'context',
      artifact: { artifactId, parts: [{ text }] },
      append,
    },
  };
}
