// Agents that talk to each other in one process, with a clock that tests set.

import { createIdentity } from '../../../src/security/identity/identity.ts';
import type { LocalIdentity } from '../../../src/security/identity/identity.ts';
import { chooseProvider } from '../../../src/crypto/provider.ts';
import type { Encoding } from '../../../src/envelope/decode.ts';
import type { Peer } from '../../../src/security/peers/peer.ts';
import { bundleKeys } from '../../../src/security/identity/key-bundle.ts';
import { createRuntime } from '../../../src/runtime/runtime.ts';
import type { Runtime } from '../../../src/runtime/runtime.ts';
import type { RuntimeOptions } from '../../../src/runtime/options.ts';
import type { Inbound, Reply } from '../../../src/transport.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import { makePeer } from '../trust/peers.ts';

export const crypto = chooseProvider('auto');

/** The time at which all agents of a test live, unless it moves the clock. */
export const NOW: number = Date.UTC(2026, 10, 16, 0, 28, 29);

export class Clock {
  nowMs: number = NOW;
  readonly now = (): number => this.nowMs;
}

export function newIdentity(): Promise<LocalIdentity> {
  return createIdentity({ crypto, nowMs: NOW - 60_000 });
}

/** What one agent's book says of another: its id and the keys of its bundle. */
export function entryFor(identity: LocalIdentity, parts: Partial<Peer> = {}): Peer {
  const { bundle } = identity;
  return {
    ...makePeer(identity.agentId),
    encryptionKeys: bundleKeys(bundle, 'enc', NOW).map(({ kid, publicKey }) => ({
      kid,
      key: publicKey,
    })),
    ...parts,
  };
}

/** A peer book that a test may change under a runtime. */
export class Book {
  readonly entries = new Map<string, Peer>();

  add(peer: Peer): void {
    this.entries.set(peer.agentId, peer);
  }

  snapshot(): { find: (agentId: string) => Peer | undefined } {
    const page = new Map(this.entries);
    return { find: (agentId) => page.get(agentId) };
  }

  get(agentId: string): Peer | undefined {
    return this.entries.get(agentId);
  }

  list(): Peer[] {
    return [...this.entries.values()];
  }
}

const echoTask: OnTask = async function* echo(task, ctx) {
  yield ctx.progress('working');
  yield ctx.artifact({ name: 'answer', text: task.text });
};

export interface Agent {
  readonly identity: LocalIdentity;
  readonly book: Book;
  readonly clock: Clock;
  readonly runtime: Runtime;
}

export async function newAgent(options: Partial<RuntimeOptions> = {}): Promise<Agent> {
  const identity = await newIdentity();
  const book = new Book();
  const clock = new Clock();
  const runtime = createRuntime({
    identity,
    peers: book,
    now: clock.now,
    onTask: echoTask,
    ...options,
    timeouts: { joinMs: 0, ...options.timeouts },
  });
  return { identity, book, clock, runtime };
}

/** Both know each other. */
export function introduce(one: Agent, other: Agent, url?: string): void {
  one.book.add(entryFor(other.identity, url === undefined ? {} : { endpoints: [url] }));
  other.book.add(entryFor(one.identity));
}

export function inboundOf(
  bytes: Uint8Array,
  encoding: Encoding = 'json',
  parts: Partial<Inbound> = {},
): Inbound {
  return {
    bytes,
    encoding,
    peer: { transport: 'test', address: '192.0.2.1' },
    wantsStream: false,
    signal: new AbortController().signal,
    ...parts,
  };
}

export async function repliesOf(runtime: Runtime, inbound: Inbound): Promise<Reply[]> {
  const replies: Reply[] = [];
  for await (const reply of runtime.receive(inbound)) replies.push(reply);
  return replies;
}
