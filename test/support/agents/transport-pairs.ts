// Owns pairs of real agents with one transport between them: how the server listens, how clients dial, and how bytes of
// any kind reach it.

import { mkdtempSync, rmSync } from 'node:fs';
import { createHash, X509Certificate } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createMemoryStore } from '../../../src/stores/memory.ts';
import type { Outcome } from '../../../src/pipeline/receive.ts';
import type { Runtime } from '../../../src/runtime/runtime.ts';
import { createRuntime } from '../../../src/runtime/runtime.ts';
import type { RuntimeOptions } from '../../../src/runtime/options.ts';
import type { Peer } from '../../../src/security/peers/peer.ts';
import type { LocalIdentity } from '../../../src/security/identity/identity.ts';
import type { Dialer, Transport } from '../../../src/transport.ts';
import { http } from '../../../transports/http/index.ts';
import { ipc } from '../../../transports/ipc/index.ts';
import { createMemoryHub } from '../../../transports/memory/index.ts';
import { ws } from '../../../transports/ws/index.ts';
import type { Agent } from './agents.ts';
import { Book, Clock, entryFor, newAgent, newIdentity } from './agents.ts';
import { makeCertificate } from '../wire/certificates.ts';
import { HeldCalls } from './held-calls.ts';
import type { RawLine } from '../wire/raw-lines.ts';
import { dialedLine, frameLine, httpLine, wsLine } from '../wire/raw-lines.ts';

/** One transport, ready to be listened on; it belongs to one pair. */
interface Wire {
  /** What the server starts; the last of them is the transport. `url` is where it was before a restart. */
  readonly transports: (url?: string) => readonly Transport[];
  readonly dialer: Dialer;
  readonly open: (url: string) => RawLine | Promise<RawLine>;
  /** What the server's book says of clients on this transport. @default nothing */
  readonly entry?: Partial<Peer>;
  /** Removes what it made. @default nothing */
  readonly dispose?: () => void;
}

export type MakeWire = () => Wire;

const portOf = (url: string | undefined): number => (url === undefined ? 0 : +new URL(url).port);

export const memoryWire: MakeWire = () => {
  const transport = createMemoryHub().transport('server');
  const open = (url: string): Promise<RawLine> => dialedLine(url, transport);
  return { transports: () => [transport], dialer: transport, open };
};

export const httpWire: MakeWire = () => ({
  transports: (url) => [http({ port: portOf(url) })],
  dialer: http(),
  open: (url) => httpLine(url),
});

/** `undefined` where certificates cannot be made. */
export function httpsWire(): MakeWire | undefined {
  const server = makeCertificate('server.example');
  const client = makeCertificate('client.example');
  if (server === undefined || client === undefined) return undefined;
  const shown = { ...client, ca: server.cert };
  const tls = { ...server, ca: client.cert, requireClientCert: true };
  const { raw } = new X509Certificate(client.cert);
  return () => ({
    transports: (url) => [http({ port: portOf(url), tls })],
    dialer: http({ tls: shown }),
    open: (url) => httpLine(url, shown),
    entry: { certificates: [createHash('sha256').update(raw).digest('hex')] },
  });
}

export const wsWire: MakeWire = () => ({
  transports: (url) => [http({ port: portOf(url) }), ws()],
  dialer: ws(),
  open: wsLine,
});

export const unixWire: MakeWire = () => {
  const folder = mkdtempSync(join(tmpdir(), 'wire-'));
  return {
    transports: () => [ipc({ path: join(folder, 's') })],
    dialer: ipc(),
    open: frameLine,
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
};

export const tcpWire: MakeWire = () => ({
  transports: (url) => [ipc({ port: portOf(url) })],
  dialer: ipc(),
  open: frameLine,
});

/** The agent that is asked. Its runtime is another one after a restart; all else stays. */
export interface Server extends Agent {
  /** Of all its runtimes, in order. */
  readonly outcomes: Outcome[];
  /** The calls of its tool `test.hold`. */
  readonly held: HeldCalls;
}

export interface Pair {
  readonly wire: Wire;
  readonly server: Server;
  readonly url: string;
  /** An agent that the server knows and that knows the server. */
  client(entry?: Partial<Peer>, dialer?: Dialer): Promise<Agent>;
  /** An identity that the server knows, for messages that are made by hand. */
  sender(entry?: Partial<Peer>): Promise<LocalIdentity>;
  /** A line of its own, closed when the test has finished. */
  line(): Promise<RawLine>;
  /** Starts the server again after its runtime was closed: the same agent with the same store at the same address. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function createPair(
  makeWire: MakeWire,
  options: Partial<RuntimeOptions> = {},
): Promise<Pair> {
  const wire = makeWire();
  const identity = await newIdentity();
  const [book, clock, held] = [new Book(), new Clock(), new HeldCalls()];
  const outcomes: Outcome[] = [];
  const store = createMemoryStore({ now: clock.now });
  const runtimes: Runtime[] = [];

  const start = async (at?: string): Promise<string> => {
    const runtime = createRuntime({
      identity,
      peers: book,
      store,
      now: clock.now,
      timeouts: { joinMs: 0 },
      tools: [held.tool],
      onTask: async function* (task, ctx) {
        for (let step = 1; step <= 20; step += 1) yield ctx.progress(`step ${step}`);
        yield ctx.artifact({ name: 'answer', text: task.text });
      },
      on: { outcome: (outcome) => outcomes.push(outcome) },
      ...options,
    });
    runtimes.push(runtime);
    const listeners = await runtime.listen(...wire.transports(at));
    return listeners.at(-1)!.urls[0]!;
  };

  const url = await start();
  const clients: Agent[] = [];
  return {
    wire,
    url,
    server: {
      identity,
      book,
      clock,
      outcomes,
      held,
      get runtime() {
        return runtimes.at(-1)!;
      },
    },
    client: async (entry = {}, dialer = wire.dialer) => {
      const client = await newAgent({ transports: [dialer], now: clock.now });
      clients.push(client);
      book.add(entryFor(client.identity, { ...wire.entry, ...entry }));
      client.book.add(entryFor(identity, { endpoints: [url] }));
      return client;
    },
    sender: async (entry = {}) => {
      const sender = await newIdentity();
      book.add(entryFor(sender, { ...wire.entry, ...entry }));
      return sender;
    },
    line: async () => {
      const line = await wire.open(url);
      onTestFinished(() => line.close());
      return line;
    },
    restart: async () => {
      await start(url);
    },
    close: async () => {
      held.releaseAll();
      await Promise.all(clients.map(({ runtime }) => runtime.close({ graceMs: 0 })));
      await Promise.all(runtimes.map((runtime) => runtime.close({ graceMs: 0 })));
      wire.dispose?.();
    },
  };
}
