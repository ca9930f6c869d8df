// Over a connection that carries many exchanges an answer is looked into to find whose it is; it is read once all the same.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { createClient } from '../../src/client/client.ts';
import type * as Decode from '../../src/envelope/decode.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import { createIdentity } from '../../src/security/identity/identity.ts';
import type { Dialer, Transport } from '../../src/transport.ts';
import { http } from '../../transports/http/index.ts';
import { ipc } from '../../transports/ipc/index.ts';
import { createMemoryHub } from '../../transports/memory/index.ts';
import { ws } from '../../transports/ws/index.ts';

/** How often each answer was read, by its id. */
const reads = vi.hoisted(() => new Map<string, number>());

vi.mock('../../src/envelope/decode.ts', async (importOriginal) => {
  const original = await importOriginal<typeof Decode>();
  const decodeMessage: typeof Decode.decodeMessage = (...args) => {
    const value = original.decodeMessage(...args);
    const { id, type } = value as { readonly id: string; readonly type: string };
    if (type !== 'req') reads.set(id, (reads.get(id) ?? 0) + 1);
    return value;
  };
  return { ...original, decodeMessage };
});

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'p-'));
  reads.clear();
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const WIRES: readonly [string, () => readonly (Transport & Dialer)[]][] = [
  ['WebSocket', () => [http({ port: 0 }), ws()]],
  ['Unix socket', () => [ipc({ path: join(folder, 's') })]],
  ['memory', () => [createMemoryHub().transport('bob')]],
];

describe('#transport-correlation an answer', () => {
  test.each(WIRES)('over %s is read once, and so is every event', async (_name, open) => {
    const [alice, bob] = await Promise.all([createIdentity(), createIdentity()]);
    const transports = open();
    const agent = createRuntime({
      identity: bob,
      peers: [alice],
      onTask: async function* (_task, ctx) {
        yield ctx.progress('working');
        yield 'done';
      },
    });
    const listeners = await agent.listen(...transports);
    const url = listeners.at(-1)!.urls[0]!;
    const client = createClient({ identity: alice, peers: [bob], transports });
    const peer = client.connect(url, { agentId: bob.agentId });
    await Promise.all([1, 2, 3].map(() => peer.call('sys.ping')));
    expect([...reads.values()]).toEqual([1, 1, 1]);
    reads.clear();
    let answers = 0;
    for await (const update of peer.task('go', { encoding: 'cbor' })) {
      answers += 1;
      expect(reads.get(update.received!.envelope.id)).toBe(1);
    }
    expect(answers).toBeGreaterThan(3);
    expect([...reads.values()]).toEqual(Array.from({ length: answers }, () => 1));
    await client.close();
    await agent.close({ graceMs: 0 });
  });
});
