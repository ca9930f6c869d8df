// Owns the peer daemon: identity, peers, store and agent put together, listening until it is told to stop.

import type { FSWatcher } from 'node:fs';
import { watch } from 'node:fs';
import { dirname } from 'node:path';

import { KeyDirectory } from '../../keys/index.ts';
import type { PeerBook, StoredIdentity } from '../../keys/index.ts';
import type { OnTask, Runtime, RuntimeOptions } from '../../src/internal.ts';
import { createRuntime, createStoreProbe } from '../../src/internal.ts';
import type { Listener } from '../../src/transport.ts';
import type { CryptoProvider } from '../../src/security/index.ts';
import type { Store } from '../../src/stores/index.ts';
import type { RedisStore } from '../../stores/redis/index.ts';
import { createBuiltinAgent } from './builtin-agent.ts';
import type { LiveCallers } from './callers.ts';
import { openCallers } from './callers.ts';
import { createExecAgent } from './exec/agent.ts';
import { loadHandlerModule } from './handler-module.ts';
import { transportsOf } from './listening.ts';
import type { Home } from '../home/home.ts';
import type { ReadyHome } from '../home/init.ts';
import { ensureHome } from '../home/init.ts';
import { nodeIdOf } from '../home/node-id.ts';
import { openReplayStore, openStore } from '../store/open.ts';
import type { DaemonConfig } from '../serve/config.ts';
import type { DaemonLog } from '../serve/log.ts';
import { readTlsFiles } from '../serve/tls-files.ts';
import { isShared } from '../store/address.ts';
import { openEvidence } from './evidence.ts';
import { openUpstreams } from './upstreams.ts';

export interface DaemonOptions {
  readonly config: DaemonConfig;
  readonly home: Home;
  readonly crypto: CryptoProvider;
  readonly now: () => number;
  readonly passphrase?: string;
  /** No other daemon runs on the home: what an earlier one worked on is taken up at once. @default false */
  readonly isHomeHeld?: boolean;
  readonly log: DaemonLog;
}

export interface Daemon {
  readonly home: ReadyHome;
  readonly runtime: Runtime;
  /** Where it listens, in the order of its transports: the name of each listener with its address. */
  readonly urls: Readonly<Record<string, string>> & Readonly<Record<'http' | 'ws' | 'ipc', string>>;
  /** The file that records of tasks go to. */
  readonly evidence?: string;
  /** Until when the certificate holds that it shows. */
  readonly tlsUntilMs?: number;
  /** Do its stores answer now? Never rejects. */
  readonly doStoresAnswer: () => Promise<boolean>;
  /** Lets what is in flight end, then closes everything. */
  stop(): Promise<void>;
}

/** How soon new keys and changes of the peer book count. */
const RELOAD_EVERY_MS = 1_000;
/** Less than who asks waits for the daemon itself. */
const STORE_PATIENCE_MS = 1_000;

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { config, crypto, now, passphrase, log, isHomeHeld = false } = options;
  // Before anything is made: who calls it wrongly has nothing to clean up.
  const tls = config.tls && (await readTlsFiles(config.tls, now()));
  const transports = await transportsOf(config, tls, now);
  const evidence = config.evidence && (await openEvidence(config.evidence));
  const home = await ensureHome(options.home, {
    crypto,
    now,
    ...(passphrase !== undefined && { passphrase }),
  });
  log.useNames((agentId) => nameIn(home.books.agent, agentId));
  const callers = await openCallers({ ...options, peers: home.books.agent });
  const bridged = config.upstream && (await openUpstreams(config.upstream, options));
  const agent: AgentParts = bridged?.bridge ?? (await agentOf(config, options));
  const stores = await openStores(options);
  const live = followChanges(home, [callers, ...(bridged === undefined ? [] : [bridged])], options);
  try {
    const contents = await carriedOf(config, () => runtime.tasks);
    const runtime: Runtime = createRuntime({
      identity: live.identity,
      peers: home.books.agent,
      callers: callers.callers,
      store: stores.store,
      ...(stores.replayStore !== undefined && {
        shared: {
          replayStore: stores.replayStore,
          rateLimiter: stores.replayStore.rateLimiter(),
        },
      }),
      crypto,
      now,
      name: config.name,
      policy: policyOf(config),
      limits: config.limits,
      admission: config.admission,
      // What is only in memory is lost anyway: it is better to tell its owners that it is canceled.
      tasks: {
        ...(config.store === 'memory:' && { onClose: 'cancel' }),
        ...(isHomeHeld && { node: await nodeIdOf(options.home), isNodeExclusive: true }),
        ...config.tasks,
      },
      versions: versionsOf(config),
      trust: {
        approvers: config.approvers,
        quorum: config.quorum,
        // The home's own user looks after all of its tasks.
        taskAdmins: [home.identities.operator.agentId],
      },
      audit: config.audit,
      ...(evidence !== undefined && { evidence }),
      ...(config.receipts !== undefined && { receipts: config.receipts }),
      timeouts: {
        // One process has the embedded store, so a run that is not of this process ended with a crash.
        ...(!isShared(config.store) && config.replay === undefined && { joinMs: 0 }),
        ...(config.handlerTimeoutMs !== undefined && { handlerMs: config.handlerTimeoutMs }),
      },
      on: {
        outcome: log.message,
        task: log.task,
        receipt: ({ peer, refusal }) => {
          if (refusal !== undefined) log.error(`the receipt of ${peer} is not kept`, refusal);
        },
        error: (cause, task) => log.error('the agent failed', cause, task),
      },
      ...agent,
      contents: [...(agent.contents ?? []), ...contents],
    });
    try {
      const listeners = await runtime.listen(...transports);
      // So that the command line of this home finds the daemon at each of its addresses.
      await home.books.operator.update(home.identities.agent.agentId, {
        endpoints: listeners
          .filter(({ isFace = false }) => !isFace)
          .toSorted(localFirst)
          .flatMap(({ urls }) => urls),
      });
      const stop = stopper(runtime, stores, live.stop, config.drainMs);
      const { store, replayStore = store } = stores;
      return {
        home,
        runtime,
        urls: urlsOf(listeners),
        ...(evidence !== undefined && { evidence: evidence.path }),
        ...(tls !== undefined && { tlsUntilMs: tls.untilMs }),
        doStoresAnswer: createStoreProbe(
          [...new Set([store, replayStore])],
          now,
          STORE_PATIENCE_MS,
        ),
        stop,
      };
    } catch (thrown) {
      await runtime.close({ graceMs: 0 });
      throw thrown;
    }
  } catch (thrown) {
    live.stop();
    await stores.close();
    throw thrown;
  }
}

interface Stores {
  readonly store: Store;
  readonly replayStore?: RedisStore;
  close(): Promise<void>;
}

async function openStores({ config, now, log }: DaemonOptions): Promise<Stores> {
  const store = await openStore(config.store, now);
  if (config.replay === undefined) return { store, close: () => store.close() };
  try {
    const onWarning = (message: string): void => log.error('the replay store', message);
    const replayStore = await openReplayStore(config.replay, now, onWarning);
    const close = async (): Promise<void> => {
      await Promise.all([store.close(), replayStore.close()]);
    };
    return { store, replayStore, close };
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}

function stopper(
  runtime: Runtime,
  stores: Stores,
  stopFollowing: () => void,
  graceMs: number,
): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopFollowing();
    await runtime.close({ graceMs });
    await stores.close();
  };
  return () => (stopping ??= stop());
}

interface AgentParts {
  readonly onTask?: OnTask;
  readonly cancelHanded?: NonNullable<RuntimeOptions['cancelHanded']>;
  readonly contents?: Awaited<ReturnType<typeof loadHandlerModule>>['contents'];
  readonly tools?: Awaited<ReturnType<typeof loadHandlerModule>>['tools'];
}

async function agentOf(config: DaemonConfig, { log }: DaemonOptions): Promise<AgentParts> {
  if (config.exec !== undefined) {
    const onTask = createExecAgent({
      command: config.exec,
      onEnd: ({ taskId, owner, errorText }) => {
        if (errorText !== '') log.error('the command said', errorText, { id: taskId, owner });
      },
    });
    return { onTask };
  }
  if (config.handler === undefined) return { onTask: createBuiltinAgent() };
  const {
    onTask = createBuiltinAgent(),
    contents,
    tools,
  } = await loadHandlerModule(config.handler);
  return { onTask, contents, tools };
}

/** The content types of dialects that are spoken here, for peers that put them into envelopes. */
async function carriedOf(
  { steerqa }: DaemonConfig,
  tasks: () => Runtime['tasks'],
): Promise<NonNullable<AgentParts['contents']>> {
  if (steerqa === undefined) return [];
  const { steerqaContents } = await import('../../profiles/steerqa/index.ts');
  return steerqaContents({ ...steerqa, tasks });
}

function policyOf(config: DaemonConfig): Parameters<typeof createRuntime>[0]['policy'] & object {
  const { profile, switches, minMode, minModeByContentType, aliases, open } = config;
  const { skewMs, maxWindowMs } = config;
  return {
    profile,
    switches,
    minModeByContentType,
    aliases,
    open,
    ...(minMode !== undefined && { minMode }),
    ...(skewMs !== undefined && { skewMs }),
    ...(maxWindowMs !== undefined && { maxWindowMs }),
  };
}

function versionsOf({
  versions,
}: DaemonConfig): NonNullable<Parameters<typeof createRuntime>[0]['versions']> {
  const { min_peer_version: min, max_peer_version: max, content_types: contentTypes } = versions;
  return {
    ...(min !== undefined && { minPeerVersion: min as string }),
    ...(max !== undefined && { maxPeerVersion: max as string }),
    ...(contentTypes !== undefined && { contentTypes: contentTypes as never }),
  };
}

/** Keys that were rotated, and peers and callers that were changed, by the command line count without a restart. */
function followChanges(
  { identities, books }: ReadyHome,
  others: readonly Pick<LiveCallers, 'reloadIfChanged'>[],
  { home, crypto, now, passphrase, log }: DaemonOptions,
): { readonly identity: () => StoredIdentity; readonly stop: () => void } {
  const directory = new KeyDirectory(home.keys, { crypto, now });
  const unlock = passphrase === undefined ? {} : { passphrase };
  let identity = identities.agent;
  let isBusy = false;
  let hasMore = false;
  const look = async (): Promise<void> => {
    hasMore = isBusy;
    if (isBusy) return;
    isBusy = true;
    try {
      await books.agent.reloadIfChanged();
      for (const other of others) await other.reloadIfChanged();
      identity = await directory.reloadIfChanged(identity, unlock);
    } catch (cause) {
      // What was read last stays in force: a half-edited book must not lock everybody out, nor let anybody in.
      log.error(
        'the keys, or a book of peers, callers or credentials cannot be read; the earlier ones stay in force',
        cause,
      );
    } finally {
      isBusy = false;
    }
    if (hasMore) await look();
  };
  const timer = setInterval(() => void look(), RELOAD_EVERY_MS);
  // A peer that was just added should not be refused until the timer looks.
  const watcher = watchFolder(dirname(books.agent.path), () => void look());
  return {
    identity: () => identity,
    stop: () => {
      clearInterval(timer);
      watcher?.close();
    },
  };
}

/** `undefined` where the system has no watches left: what is watched is also looked at from time to time. */
function watchFolder(folder: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onChange);
    return watcher.on('error', () => watcher.close());
  } catch {
    return undefined;
  }
}

/** A book finds by names too, which an agent must not be able to claim as its id. */
function nameIn(book: PeerBook, agentId: string): string | undefined {
  const entry = book.get(agentId);
  return entry?.agentId === agentId ? entry.name : undefined;
}

function localFirst(one: Listener, other: Listener): number {
  return Number(other.name === 'ipc') - Number(one.name === 'ipc');
}

function urlsOf(listeners: readonly Listener[]): Daemon['urls'] {
  const all = listeners.flatMap((listener) => [listener, ...(listener.faces ?? [])]);
  const entries = all.map(({ name, urls: [url] }) => [name, url!] as const);
  return Object.fromEntries(entries) as Daemon['urls'];
}
