// What a subscription costs that waits for something to happen, against a bare stream of server-sent events.

import { printTable } from '../table.ts';
import type { Server } from './child.ts';
import { startServer } from './child.ts';
import type { Line } from './clients.ts';
import { openLine, openLines, requestOf, sendRequest } from './clients.ts';

const IDLE = 2_000;
/** What the first ones load counts for none of the others. */
const FIRST = 200;
const MOST_IDLE = 1.5;

export async function benchIdle(builds: string): Promise<boolean> {
  const ours = await idleBytes('./ours.ts', builds);
  const bare = await idleBytes('./bare.ts', builds);
  const ratio = ours / bare;
  printTable(
    `bytes of one subscription that waits, of ${IDLE} to one task, after garbage collection`,
    ['this', 'bare node:http', 'ratio', 'at most'],
    [[ours.toFixed(0), bare.toFixed(0), ratio.toFixed(2), MOST_IDLE.toFixed(2)]],
  );
  return ratio <= MOST_IDLE;
}

async function idleBytes(module: string, builds: string): Promise<number> {
  const server = await startServer(module, { builds });
  try {
    const request = await subscriptionOf(server);
    const first = await subscribe(server, request, FIRST);
    const before = await server.usedBytes();
    const lines = await subscribe(server, request, IDLE);
    const after = await server.usedBytes();
    for (const line of [...first, ...lines]) line.close();
    return (after - before) / IDLE;
  } finally {
    await server.stop();
  }
}

/** To a task that is begun first; a bare server has none. */
async function subscriptionOf({ url }: Server): Promise<string> {
  const line = await openLine(url);
  const begun = await line.ask(
    sendRequest(url, 'SendMessage', 'hold', { returnImmediately: true }),
  );
  line.close();
  const [, id = 'none'] = /"task":\{"id":"([^"]+)"/.exec(begun) ?? [];
  return requestOf(url, 'SubscribeToTask', { id });
}

async function subscribe({ url }: Server, request: string, count: number): Promise<Line[]> {
  const lines = await openLines(url, count);
  await Promise.all(lines.map((line) => line.ask(request, hasEvent)));
  return lines;
}

function hasEvent(text: string): boolean {
  if (!text.startsWith('HTTP/1.1 200')) throw new Error(`a subscription was answered: ${text}`);
  return text.includes('data: ') && text.includes('\n\n');
}
