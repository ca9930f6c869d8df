// A process that is a node until it is killed: a whole runtime on a store that others share. It notes in a file, before
// it goes on, what it has begun and what of its events was acknowledged. Its parent tells it what to be.

import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

import { ensureHome } from '../../../cli/home/init.ts';
import { homeAt } from '../../../cli/home/home.ts';
import { a2a, a2aBridge } from '../../../profiles/a2a/index.ts';
import { createCallers } from '../../../profiles/auth/index.ts';
import { chooseProvider } from '../../../src/crypto/provider.ts';
import type { Runtime } from '../../../src/runtime/runtime.ts';
import { createRuntime } from '../../../src/runtime/runtime.ts';
import type { Store } from '../../../src/stores/store.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import { TaskError } from '../../../src/tasks/error.ts';
import { openPostgresStore } from '../../../stores/postgres/index.ts';
import { openSqliteStore } from '../../../stores/sqlite/index.ts';
import { http } from '../../../transports/http/index.ts';
import { ipc } from '../../../transports/ipc/index.ts';

/** At so many writes, so many turns of the event loop after the last was asked for. */
export interface Fuse {
  readonly count: number;
  readonly turns: number;
}

export interface NodeSettings {
  readonly home: string;
  readonly store: { readonly path: string } | { readonly url: string; readonly schema: string };
  /** Of this process in the notes. */
  readonly name: string;
  readonly socket: string;
  readonly notes: string;
  readonly fuse: Fuse | undefined;
  /** It speaks official A2A, too. */
  readonly hasA2a?: boolean;
  /** At this port. @default any */
  readonly port?: number;
  /** An agent at this address does its tasks. @default it does them itself */
  readonly upstream?: string;
}

/** Where a node speaks official A2A. */
export interface A2aPlace {
  readonly origin: string;
  readonly rpc: string;
  /** `HOST:PORT`. */
  readonly grpc: string;
}

export type NodeCommand =
  | { readonly do: 'open'; readonly settings: NodeSettings }
  | { readonly do: 'arm'; readonly fuse: Fuse }
  | { readonly do: 'close' };

/** `idle`: it can be opened. */
export type NodeState = 'idle' | 'open';

export interface NodeReport {
  readonly state: NodeState;
  readonly a2a?: A2aPlace;
}

const WRITES: ReadonlySet<string | symbol> = new Set([
  'add',
  'put',
  'delete',
  'append',
  'transact',
]);
let fuse: Fuse | undefined;
let writes = 0;

/** The store, until the fuse has burnt down. */
function fused(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const method = Reflect.get(target, name, target) as unknown;
      if (typeof method !== 'function') return method;
      return (...given: unknown[]): unknown => {
        const result: unknown = Reflect.apply(method, target, given);
        if (WRITES.has(name) && (writes += 1) === fuse?.count) void die(fuse.turns);
        return result;
      };
    },
  });
}

async function die(turns: number): Promise<never> {
  for (let left = turns; left > 0; left -= 1) await new Promise(setImmediate);
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}

function arm(given: Fuse | undefined): void {
  [fuse, writes] = [given, 0];
}

function openStore(store: NodeSettings['store']): Promise<Store> {
  if ('path' in store) return openSqliteStore({ path: store.path, pollIntervalMs: 10 });
  const { url, schema } = store;
  return openPostgresStore({ connection: url, schema, pollIntervalMs: 20, readConnections: 2 });
}

/** `WORK STEPS PAUSE`: each step is one piece of the output, told by who made it. */
function makeOnTask(name: string, note: (...words: readonly unknown[]) => void): OnTask {
  let calls = 0;
  return async ({ id, text: asked }, ctx) => {
    const [work, steps, pauseMs] = asked.split(' ');
    const { attempt } = ctx;
    const by = `${name}.${(calls += 1)}`;
    note('begin', id, attempt, by);
    for (let step = Number(ctx.restored ?? 0); step < Number(steps); step += 1) {
      if (Number(pauseMs) > 0) await pause(Number(pauseMs));
      const text = `${step}:${by} `;
      const event = await ctx.artifact({ name: 'log', text, append: true });
      if (event !== undefined) note('event', id, event.generation, attempt, by, text.trim());
      const told = await ctx.progress(by);
      if (told !== undefined) note('event', id, told.generation, attempt, by, by);
      const isHalf = step === Math.floor(Number(steps) / 2);
      if (work === 'again' && isHalf && attempt === 1) {
        throw new TaskError('not yet', { retryable: true });
      }
      if (work === 'ask' && isHalf) await ctx.ask('go on?');
      if (work === 'kept' || work === 'ask') await ctx.checkpoint(step + 1);
    }
  };
}

async function speakA2a(runtime: Runtime, port: number): Promise<A2aPlace> {
  const face = a2a({ grpc: { port: 0 }, allowLoopbackHooks: true });
  const [host, official] = await runtime.listen(http({ port }), face);
  const { origin } = new URL(host!.urls[0]!);
  return { origin, rpc: `${origin}/rpc`, grpc: official!.faces![0]!.urls[0]! };
}

async function open(settings: NodeSettings): Promise<A2aPlace | undefined> {
  const { home: root, name, socket, notes, hasA2a = false } = settings;
  const { port = 0, upstream } = settings;
  const note = (...words: readonly unknown[]): void =>
    appendFileSync(notes, `${words.join(' ')}\n`);
  arm(settings.fuse);
  const home = await ensureHome(homeAt(root), { crypto: chooseProvider() });
  const store = await openStore(settings.store);
  const runtime: Runtime = createRuntime({
    identity: home.identities.agent,
    peers: home.books.agent,
    callers: createCallers({ entries: [], anonymous: ['a2a'] }),
    store: fused(store),
    instance: name,
    timeouts: { joinMs: 200 },
    ...(upstream === undefined
      ? { onTask: makeOnTask(name, note) }
      : a2aBridge({ upstreams: { behind: upstream }, doubtMs: 1_000 })),
    tasks: {
      // Who tells web hooks waits for others meanwhile, and must not lose its lease to that.
      leaseMs: hasA2a ? 1_000 : 400,
      recoverEveryMs: 40,
      // So often killed that an ordinary number would not do.
      maxAttempts: 1_000,
      retryDelayMs: 5,
      maxConcurrentPerOwner: 6,
    },
    tools: [
      {
        name: 'test.run',
        args: { type: 'object' },
        run: async ({ key, pauseMs }: { key: string; pauseMs: number }) => {
          note('run', key);
          await pause(pauseMs);
          return key;
        },
      },
    ],
  });
  await runtime.listen(ipc({ path: socket }));
  close = async () => {
    await runtime.close({ graceMs: 0 });
    await store.close();
  };
  return hasA2a ? speakA2a(runtime, port) : undefined;
}

const tell = (report: NodeReport): void => void process.send!(report);
let close: () => Promise<void> = () => Promise.resolve();

async function obey(command: NodeCommand): Promise<void> {
  if (command.do === 'arm') {
    arm(command.fuse);
  } else if (command.do === 'open') {
    const place = await open(command.settings);
    tell({ state: 'open', ...(place !== undefined && { a2a: place }) });
  } else {
    arm(undefined);
    await close();
    tell({ state: 'idle' });
  }
}

process.on('message', (command: NodeCommand) => void obey(command));
process.on('disconnect', () => process.exit());
tell({ state: 'idle' });
