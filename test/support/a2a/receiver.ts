// Owns a web hook of a test: a real server on this machine that takes down what it is told, and answers as it is told to.

import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { onTestFinished } from 'vitest';

import type { Json } from './ask.ts';
import { at, textAt } from './ask.ts';

/** One POST that came. */
export interface Delivery {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
  /** Of the test's own clock, where it has one. */
  readonly at: number;
}

/** A status, with further headers; `undefined` never answers. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export class Receiver {
  readonly all: Delivery[] = [];
  /** How it answers; asked with each delivery once it was taken down. */
  reply: (delivery: Delivery, nth: number) => Reply | undefined = () => ({ status: 200 });
  now: () => number = Date.now;
  readonly #server = createServer((request, response) => void this.#take(request, response));
  readonly #waiting = new Set<() => void>();

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  url(path = '/hook'): string {
    return `${this.origin}${path}`;
  }

  at(path: string): Delivery[] {
    return this.all.filter((one) => one.path === path);
  }

  open(port = 0): Promise<void> {
    return new Promise((resolve) => void this.#server.listen(port, '127.0.0.1', resolve));
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => void this.#server.close(() => resolve()));
  }

  /** Resolves once it is so; looked at again with every delivery. */
  async until(isSo: (all: readonly Delivery[]) => boolean): Promise<void> {
    while (!isSo(this.all)) {
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Simple receivers read so much and no more: a body without a length would be empty to them.
    const length = Number(request.headers['content-length'] ?? 0);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      // Who is cut off while it tells has told nothing.
      return;
    }
    const text = Buffer.concat(chunks).subarray(0, length).toString();
    const delivery: Delivery = {
      path: request.url!,
      headers: request.headers,
      body: text === '' ? null : (JSON.parse(text) as Json),
      at: this.now(),
    };
    this.all.push(delivery);
    const reply = this.reply(delivery, this.all.length);
    if (reply !== undefined) {
      response.writeHead(reply.status, reply.headers);
      response.end(reply.body ?? '{}');
    }
    for (const resume of this.#waiting) resume();
    this.#waiting.clear();
  }
}

/** For one test. */
export async function receiverFor(port = 0): Promise<Receiver> {
  const receiver = new Receiver();
  await receiver.open(port);
  onTestFinished(() => receiver.close());
  return receiver;
}

/** The state that a delivery tells of, in any wire. */
export function stateIn({ body }: Delivery): string {
  const paths = ['task.status.state', 'statusUpdate.status.state', 'status.state'];
  return paths.map((path) => textAt(body, path)).find((state) => state !== '') ?? '';
}

/** What kind of frame it is, in any wire. */
export function kindOf({ body }: Delivery): string {
  const kind = at(body, 'kind');
  if (typeof kind === 'string')
    return kind.replaceAll(/-(\w)/g, (_all, first: string) => first.toUpperCase());
  return Object.keys(body as object).join(' ');
}

/** It tells that the task has ended. */
export function isEnd(delivery: Delivery): boolean {
  return /completed|failed|cancell?ed|rejected/i.test(stateIn(delivery));
}
