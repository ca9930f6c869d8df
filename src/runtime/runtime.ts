// Owns the life of a runtime: one agent with its handlers, its ways in and out, and how it stops.
// ARCHITECTURE.md shows how the parts fit.

import type { AuditLog } from '../audit/log.ts';
import type { ConnectOptions } from '../client/client.ts';
import { Connections } from '../client/connections.ts';
import type { ClientServices } from '../client/exchange.ts';
import type { RemoteAgent } from '../client/remote-agent.ts';
import { createRemoteAgent } from '../client/remote-agent.ts';
import { makeReceiptServices, wait } from '../client/services.ts';
import { resolveTarget } from '../client/target.ts';
import type { ContentHandler } from '../content.ts';
import { createLiveRights } from '../door/live-rights.ts';
import type { DoorOutcome } from '../door/operation.ts';
import type { TaskService } from '../door/service.ts';
import { createTaskTools } from '../handlers/task/operations.ts';
import { SdlError } from '../errors.ts';
import { ToolRegistry } from '../handlers/tools/registry.ts';
import { createVersionPolicy } from '../handlers/negotiation/version-policy.ts';
import { announcedCapabilities, makeBuilder, openTrustLog, snapshots } from '../message/speaker.ts';
import { countStores } from './counted-store.ts';
import { createCounters } from './counters.ts';
import { createListenContext } from './listen-context.ts';
import type { ResolvedRuntimeOptions, RuntimeOptions } from './options.ts';
import { resolveRuntimeOptions } from './options.ts';
import { TaskSide } from './task-side.ts';
import {
  makeBuiltinHandlers,
  makeBundleMemory,
  makeCheckServices,
  openAuditLog,
} from './services.ts';
import { SchemaRegistry } from '../schema/registry.ts';
import type { Inbound, ListenContext, Listener, Reply, Transport } from '../transport.ts';

export interface CloseOptions {
  /** How long messages in flight may take to end. @default 10000 */
  readonly graceMs?: number;
}

export interface Runtime {
  readonly agentId: string;
  /** The content types that it handles, sorted. */
  readonly contentTypes: readonly string[];
  readonly tools: ToolRegistry;
  /** The one way to its tasks, for callers of any dialect. */
  readonly tasks: TaskService;
  /** Adds a content type; one that is handled already is an error. */
  handle(content: ContentHandler): void;
  /** What transports hand messages to, for an embedder that moves bytes by itself. */
  receive(inbound: Inbound): AsyncIterable<Reply>;
  /** Starts transports, one after the other. If one fails, those already started are closed again. */
  listen(...transports: readonly Transport[]): Promise<readonly Listener[]>;
  /** What a mount inside another server needs. */
  listenContext(): Promise<ListenContext>;
  /** A peer by its id, by its name in the peer book, or by an address at which the book has one. */
  connect(target: string, options?: ConnectOptions): RemoteAgent;
  /** `undefined` where no log is kept. */
  audit(): Promise<AuditLog | undefined>;
  /** Takes nothing new, lets what is in flight end, then closes transports and connections. The store stays open. */
  close(options?: CloseOptions): Promise<void>;
}

const PURGE_EVERY_MS = 60_000;
/** How soon what another node applied to the trust registry counts here. */
const REGISTRY_EVERY_MS = 5_000;
const DEFAULT_GRACE_MS = 10_000;
const LAST_WORDS_MS = 1_000;

/** An agent that can be spoken to and that speaks. Nothing is opened before it is used. */
export function createRuntime(options: RuntimeOptions): Runtime {
  // What is only in memory is lost anyway: it is better to tell its owners that it is canceled.
  const onClose = options.store === undefined ? 'cancel' : 'release';
  return new AgentRuntime(resolveRuntimeOptions(options), onClose);
}

/** What exists only once the store was read. */
interface Started {
  readonly context: ListenContext;
  readonly client: ClientServices;
  readonly audit: AuditLog | undefined;
}

class AgentRuntime implements Runtime {
  readonly tools: ToolRegistry = new ToolRegistry();
  readonly #options: ResolvedRuntimeOptions;
  readonly #registry = new SchemaRegistry();
  readonly #handlers = new Map<string, ContentHandler>();
  readonly #handledTypes = new Set<string>();
  readonly #running = new Set<() => void>();
  readonly #listeners: Listener[] = [];
  readonly #connections: Connections;
  readonly #versions: ReturnType<typeof createVersionPolicy>;
  readonly #services: ReturnType<typeof makeCheckServices>;
  readonly #taskSide: TaskSide;
  readonly #counters = createCounters((ct) => this.#handledTypes.has(ct));
  readonly #receipts: ReturnType<typeof makeReceiptServices>;
  readonly #repeating: ReturnType<typeof setInterval>[] = [];
  #starting: Promise<Started> | undefined;
  #closing: Promise<void> | undefined;

  constructor(given: ResolvedRuntimeOptions, onClose: 'release' | 'cancel') {
    const options = countStores(given, this.#counters.stores);
    this.#options = options;
    const { on, now } = options;
    for (const tool of options.tools) this.tools.add(tool);
    for (const [ct, schema] of Object.entries(options.schemas)) this.#registry.register(ct, schema);
    for (const content of options.contents) this.handle(content);
    this.#versions = createVersionPolicy({ now, ...options.versions });
    this.#connections = new Connections(options.transports, options.limits);
    this.#receipts = makeReceiptServices(options, options.receipts, (event) => {
      this.#counters.countReceipt(event);
      on.receipt(event);
    });
    this.#services = makeCheckServices(options, this.#registry, this.#handledTypes, this.#versions);
    this.#taskSide = new TaskSide(options, onClose, {
      tools: this.tools,
      admission: this.#services.admission,
      running: this.#running,
      // Closing ends tasks, and the agents that do parts of them are told.
      connect: (target) => this.#connect(target, {}, () => undefined),
      opening: () => this.#start(),
      onOutcome: (outcome, isCovered) => this.#tellOperation(outcome, isCovered),
    });
    if (!this.#taskSide.hasEngine) return;
    for (const tool of createTaskTools(this.tasks, this.#taskSide.door.sent)) {
      if (this.tools.find(tool.name) === undefined) this.tools.add(tool);
    }
  }

  get tasks(): TaskService {
    return this.#taskSide.door;
  }

  get agentId(): string {
    return this.#options.identity().agentId;
  }

  get contentTypes(): readonly string[] {
    return [...this.#handledTypes].sort();
  }

  handle(content: ContentHandler): void {
    const { ct, schema } = content;
    if (this.#handlers.has(ct)) throw new TypeError(`the content type "${ct}" is handled already`);
    if (schema !== undefined) this.#registry.register(ct, schema);
    else if (!this.#registry.contentTypes.has(ct)) {
      throw new TypeError(`the content type "${ct}" needs a schema`);
    }
    this.#handlers.set(ct, content);
    this.#handledTypes.add(ct);
  }

  async *receive(inbound: Inbound): AsyncGenerator<Reply> {
    const { context } = await this.#start();
    yield* context.receive(inbound);
  }

  async listen(...transports: readonly Transport[]): Promise<readonly Listener[]> {
    this.#assertOpen();
    const { context } = await this.#start();
    const started: Listener[] = [];
    const served: (() => void)[] = [];
    try {
      for (const transport of transports) {
        const listener = await transport.listen(context, [...this.#listeners]);
        started.push(listener);
        this.#listeners.push(listener);
        // Who comes back after a restart must not hear that an agent is gone whose face only begins later.
        if (listener.expectFaces !== undefined) served.push(listener.expectFaces());
        // It may have been closed meanwhile, and then nobody else would close this one.
        this.#assertOpen();
      }
    } catch (thrown) {
      await Promise.allSettled(started.map((listener) => listener.close(0)));
      for (const listener of started) this.#listeners.splice(this.#listeners.indexOf(listener), 1);
      throw thrown;
    } finally {
      for (const done of served) done();
    }
    return started;
  }

  async listenContext(): Promise<ListenContext> {
    return (await this.#start()).context;
  }

  connect(target: string, options: ConnectOptions = {}): RemoteAgent {
    return this.#connect(target, options, () => this.#assertOpen());
  }

  #connect(target: string, { agentId }: ConnectOptions, mayAsk: () => void): RemoteAgent {
    const resolved = resolveTarget(target, this.#options.peers, agentId);
    return createRemoteAgent(resolved, async () => {
      mayAsk();
      return (await this.#start()).client;
    });
  }

  async audit(): Promise<AuditLog | undefined> {
    return (await this.#start()).audit;
  }

  close({ graceMs = DEFAULT_GRACE_MS }: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  #start(): Promise<Started> {
    // One that failed is tried again: the store may be there by then.
    this.#starting ??= this.#startOnce().catch((cause: unknown) => {
      this.#starting = undefined;
      throw cause;
    });
    return this.#starting;
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new SdlError('DRAINING', 'the runtime is closed');
  }

  async #startOnce(): Promise<Started> {
    const options = this.#options;
    const trust = await openTrustLog(options);
    const remember = makeBundleMemory(options);
    const audit = await openAuditLog(options, remember);
    await options.evidence?.open({
      agentId: this.agentId,
      now: options.now,
      onError: options.on.error,
    });
    const services = { ...this.#services, ...(audit && { audit }) };
    const snapshot = snapshots(options, trust, (own) => {
      // Receipts are signed with the keys of a snapshot.
      remember(own).catch(options.on.error);
    });
    const cap = (): ReturnType<typeof announcedCapabilities> =>
      announcedCapabilities(this.tools.names(), options.limits);
    const rights = createLiveRights({
      peerView: snapshot,
      admins: options.trust.taskAdmins,
      callers: options.callers,
    });
    const handlers = makeBuiltinHandlers({
      options,
      services,
      tools: this.tools,
      trust,
      snapshot,
      rights,
      tasks: this.#taskSide.hasEngine ? this.tasks : undefined,
      sent: this.#taskSide.door.sent,
      versions: this.#versions,
      cap,
    });
    this.#taskSide.open({ rights, audit });
    // What the embedder handles by itself goes before what is built in.
    for (const handler of handlers) if (!this.#handlers.has(handler.ct)) this.handle(handler);
    for (const handler of this.#handlers.values()) this.#checkReplies(handler);
    const builder = makeBuilder(options, cap(), this.#registry);
    this.#repeat(PURGE_EVERY_MS, () => options.store.purge());
    const { replayStore } = options.shared;
    if (replayStore !== options.store) {
      this.#repeat(PURGE_EVERY_MS, () => replayStore.purge());
    }
    // Where nobody may change the registry, there is nothing new in it.
    if (options.trust.approvers.size > 0) this.#repeat(REGISTRY_EVERY_MS, () => trust.discover());
    const shared = { ...services, builder, snapshot, now: options.now };
    return {
      context: createListenContext({
        options,
        shared,
        counters: this.#counters,
        taskSide: this.#taskSide,
        handlers: this.#handlers,
        running: this.#running,
        listeners: this.#listeners,
        tools: this.tools,
        contentTypes: () => this.contentTypes,
        isOpen: () => this.#closing === undefined,
      }),
      client: { ...shared, ...this.#receipts, connections: this.#connections, wait },
      audit,
    };
  }

  #checkReplies({ ct, replies = [] }: ContentHandler): void {
    const unknown = replies.find((reply) => !this.#registry.contentTypes.has(reply));
    if (unknown === undefined) return;
    throw new TypeError(
      `"${ct}" is answered with "${unknown}", which has no schema: give it one with "schemas"`,
    );
  }

  /** What came in an envelope is told as a message. */
  #tellOperation(outcome: DoorOutcome, isCovered: boolean): void {
    const { face, operation, from, taskId, error, durationMs } = outcome;
    this.#counters.countOperation(face, operation, error?.code ?? 'ok');
    if (isCovered) return;
    this.#options.on.outcome({
      transport: face,
      operation,
      from,
      ...(taskId !== undefined && { id: taskId }),
      isProven: true,
      ...(error && { stage: 'route', error }),
      isRetry: false,
      durationMs,
    });
  }

  #repeat(everyMs: number, job: () => Promise<unknown>): void {
    const timer = setInterval(() => {
      job().catch((cause: unknown) => this.#options.on.error(cause));
    }, everyMs);
    unref(timer);
    this.#repeating.push(timer);
  }

  async #close(graceMs: number): Promise<void> {
    const { admission } = this.#services;
    admission.drain();
    const { promise: late, cancel } = after(graceMs);
    // A little longer, so that those who did not end in time are told so.
    const listeners = this.#listeners.map((listener) => listener.close(graceMs + LAST_WORDS_MS));
    await Promise.race([admission.unawaited(), late]);
    cancel();
    // Who did not end by now, or works for somebody who has gone, is told to, and answers that it could not.
    for (const stop of this.#running) stop();
    const { promise: tooLate, cancel: callOff } = after(LAST_WORDS_MS);
    await Promise.race([admission.idle(), tooLate]);
    callOff();
    await Promise.allSettled(listeners);
    await this.#taskSide.close();
    await this.#connections.close();
    for (const timer of this.#repeating) clearInterval(timer);
    const started = await this.#starting?.catch(() => undefined);
    await this.#options.evidence?.close().catch((cause: unknown) => this.#options.on.error(cause));
    // It writes a last head, for which there may be no key or no disk any more.
    await started?.audit?.close().catch((cause: unknown) => this.#options.on.error(cause));
  }
}

function after(ms: number): { promise: Promise<void>; cancel: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const promise = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return { promise, cancel: () => clearTimeout(timer) };
}

/** A timer must not keep a program alive that is done; browsers have numbers for timers. */
function unref(timer: unknown): void {
  (timer as { unref?: () => void }).unref?.();
}
