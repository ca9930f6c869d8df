// Owns what a runtime can be told: checked, completed and frozen once. ARCHITECTURE.md says what each part does.

import type { ContentHandler } from '../content.ts';
import type { CryptoProvider, ProviderName } from '../crypto/provider.ts';
import { chooseProvider } from '../crypto/provider.ts';
import type { RandomBytes } from '../envelope/uuid.ts';
import type { ArtifactOptions } from '../handlers/artifact/handler.ts';
import type { OnPeerError } from '../handlers/error.ts';
import type { StateOptions } from '../handlers/state/handler.ts';
import type { Tool } from '../handlers/tools/tool.ts';
import type { OnToolResult } from '../handlers/tools/toolresult.ts';
import type { VersionPolicyOptions } from '../handlers/negotiation/version-policy.ts';
import type { Limits } from '../limits.ts';
import { resolveLimits } from '../limits.ts';
import type { ReceiptEvent } from '../client/keep-receipt.ts';
import { contained } from '../client/listener.ts';
import type { ReceiptSettings } from '../client/services.ts';
import type { KnownPeers, PeerSource } from '../message/peers.ts';
import { peerSource } from '../message/peers.ts';
import type { AdmissionOptions } from '../pipeline/admission.ts';
import type { Outcome } from '../pipeline/receive.ts';
import type { OwnIdentity } from '../security/identity/own-identity.ts';
import { assertOwnIdentity } from '../security/identity/own-identity.ts';
import type { PolicyOptions } from '../security/policy/options.ts';
import type { Schema } from '../schema/descriptor.ts';
import { createMemoryStore } from '../stores/memory.ts';
import type { RateLimiter } from '../stores/rate-limiter.ts';
import type { EntryStore, Store } from '../stores/store.ts';
import type { OnTask } from '../tasks/context.ts';
import type { HandedPart } from '../tasks/delegation.ts';
import type { TaskEngineOptions } from '../tasks/engine/options.ts';
import type { TaskSummary } from '../tasks/summary.ts';
import type { Accepts } from '../door/accepts.ts';
import type { Callers } from '../door/rights.ts';
import type { Witness } from '../door/witness.ts';
import type { Dialer } from '../transport.ts';
import { assertOptionNames } from './option-names.ts';

/** What of the task engine is for the embedder to choose. */
type TaskSettings = Pick<
  TaskEngineOptions,
  | 'maxTasks'
  | 'maxTasksPerOwner'
  | 'maxHeldBytes'
  | 'maxConcurrent'
  | 'maxConcurrentPerOwner'
  | 'retentionMs'
  | 'maxRunMs'
  | 'maxWaitMs'
  | 'maxAttempts'
  | 'retryDelayMs'
  | 'maxOutputBytes'
  | 'leaseMs'
  | 'node'
  | 'isNodeExclusive'
  | 'recoverEveryMs'
  | 'recovery'
  | 'onClose'
>;

/** What the embedder is told while the runtime works. */
export interface EventOptions {
  /** Given the artifacts that peers send, their digests verified. @default they are acknowledged and dropped */
  readonly artifacts?: ArtifactOptions['onArtifacts'];
  /** Given the results that peers send on their own. @default they are acknowledged and dropped */
  readonly toolResult?: OnToolResult;
  /** Given the errors that peers report on their own. @default they are acknowledged and dropped */
  readonly peerError?: OnPeerError;
  /** Told of state documents that peers changed; the documents are kept in the store. @default nobody is told */
  readonly state?: NonNullable<StateOptions['onChange']>;
  /** Told what became of every message. It may hold what peers are not told. @default nobody is told */
  readonly outcome?: (outcome: Outcome) => void;
  /** Told what became of every receipt that came with an answer. @default nobody is told */
  readonly receipt?: (event: ReceiptEvent) => void;
  /** Told when an attempt at a task begins in this process, and of every other state that it reaches. @default nobody is told */
  readonly task?: (task: TaskSummary) => void;
  /** Told of what failed inside a task or a tool; of which task, where it is known. @default nobody is told */
  readonly error?: (cause: unknown, task?: TaskSummary) => void;
}

/** Who may do more than others. */
export interface TrustOptions {
  /** Who may change the trust registry over `trustsync.v1`: name to Ed25519 public key. @default nobody */
  readonly approvers?: ReadonlyMap<string, Uint8Array>;
  /** How many of them must agree. @default 1 */
  readonly quorum?: number;
  /** Agents that may see, cancel and answer the tasks of everybody, with the tools for tasks. @default nobody */
  readonly taskAdmins?: readonly string[];
}

/** What the nodes of one agent share besides the store. */
export interface SharedOptions {
  /** Replay and sessions are kept here instead; nodes that share `store` share this too. @default the store */
  readonly replayStore?: EntryStore;
  /** Counts the messages of each agent for all nodes together, by the rate of `admission`. @default each node counts its own */
  readonly rateLimiter?: RateLimiter;
}

export interface TimeoutOptions {
  /** How long a handler may take before its request is answered with DEADLINE. @default 600000 */
  readonly handlerMs?: number;
  /** How long a retry waits for a run of another process; 0 where none shares the store. @default 10000 */
  readonly joinMs?: number;
}

export interface RuntimeOptions {
  /** Who the agent is; a function answers with the keys of now, for keys that rotate. */
  readonly identity: OwnIdentity | (() => OwnIdentity);
  /** What peers are told of it besides its id. @default "agent" */
  readonly name?: string;
  /** @default "agent" */
  readonly role?: string;
  /** Tells processes of one agent apart. @default "1" */
  readonly instance?: string;
  /** Whom it knows: a peer book, a list of entries, key bundles or identities, or anything that finds peers. @default nobody */
  readonly peers?: KnownPeers;
  /** Replay, sessions, latches, contacts, trust and audit are kept here. @default memory, which a restart forgets */
  readonly store?: Store;
  /** @default hardened: known peers, signed */
  readonly policy?: Omit<PolicyOptions, 'agentIds'>;
  readonly limits?: Partial<Limits>;
  /** @default 'auto' */
  readonly crypto?: 'auto' | ProviderName | CryptoProvider;
  /** The ways out. @default none: it only answers */
  readonly transports?: readonly Dialer[];
  /** Does the work of `task.v1`. @default tasks are refused */
  readonly onTask?: OnTask;
  /**
   * Tells who was handed a task by `handedTo` that it is not wanted any more; what it throws is tried again later, also
   * after a restart. @default nobody is told
   */
  readonly cancelHanded?: (part: HandedPart, signal: AbortSignal) => Promise<void>;
  /**
   * Asked before a task exists: it refuses by throwing, answers at once by returning words or parts, or returns nothing,
   * and the task begins. @default every task is taken
   */
  readonly accepts?: Accepts;
  /** How many tasks it takes, how long it keeps them, how soon it takes over those of a node that fell silent. */
  readonly tasks?: TaskSettings;
  /** Beside the built-in `sys.ping`, `math.add` and `tool.list`. */
  readonly tools?: readonly Tool[];
  /** Further content types. */
  readonly contents?: readonly ContentHandler[];
  /** Content types that it sends or answers with but does not handle: name to schema. @default none */
  readonly schemas?: Readonly<Record<string, Schema>>;
  readonly versions?: VersionPolicyOptions;
  readonly admission?: AdmissionOptions;
  /** Who may call in other dialects than envelopes, such as `a2a-sdl/profiles/auth` makes of a configuration. @default nobody */
  readonly callers?: Callers;
  /** Keep the audit log and send receipts. @default true */
  readonly audit?: boolean;
  /** Is told what was accepted and what was sent, such as `evidence` of `a2a-sdl/profiles/assay`. @default nobody is */
  readonly evidence?: Witness;
  /** Keep the receipts that come with answers, in the store. @default for 90 days; where there is no `store`, none */
  readonly receipts?: ReceiptSettings | false;
  /** What the embedder is told. */
  readonly on?: EventOptions;
  /** Who may do more than others. */
  readonly trust?: TrustOptions;
  /** What the nodes of one agent share besides `store`. */
  readonly shared?: SharedOptions;
  readonly timeouts?: TimeoutOptions;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** @default the crypto provider's */
  readonly randomBytes?: RandomBytes;
}

export interface ResolvedRuntimeOptions extends Omit<
  Required<RuntimeOptions>,
  | 'identity'
  | 'peers'
  | 'crypto'
  | 'limits'
  | 'onTask'
  | 'accepts'
  | 'versions'
  | 'admission'
  | 'callers'
  | 'evidence'
  | 'on'
  | 'trust'
  | 'shared'
  | 'timeouts'
> {
  readonly identity: () => OwnIdentity;
  readonly peers: PeerSource;
  readonly crypto: CryptoProvider;
  readonly limits: Limits;
  readonly onTask: OnTask | undefined;
  readonly accepts: Accepts | undefined;
  readonly versions: VersionPolicyOptions;
  readonly admission: AdmissionOptions;
  readonly callers: Callers | undefined;
  readonly evidence: Witness | undefined;
  readonly on: Required<EventOptions>;
  readonly trust: Required<TrustOptions>;
  readonly shared: { readonly replayStore: EntryStore; readonly rateLimiter?: RateLimiter };
  readonly timeouts: Required<TimeoutOptions>;
}

export function resolveRuntimeOptions(options: RuntimeOptions): ResolvedRuntimeOptions {
  assertOptionNames(options);
  const { identity, peers, crypto = 'auto', now = Date.now, trust = {}, timeouts = {} } = options;
  const { handlerMs = 600_000, joinMs = 10_000 } = timeouts;
  const identityNow = typeof identity === 'function' ? identity : () => identity;
  assertOwnIdentity(identityNow());
  if (!(Number.isFinite(handlerMs) && handlerMs > 0)) {
    throw new RangeError('"timeouts.handlerMs" expected a number above 0');
  }
  const provider = typeof crypto === 'string' ? chooseProvider(crypto) : crypto;
  const store = options.store ?? createMemoryStore({ now });
  return Object.freeze({
    identity: identityNow,
    name: options.name ?? 'agent',
    role: options.role ?? 'agent',
    instance: options.instance ?? '1',
    peers: peerSource(peers, now()),
    store,
    policy: options.policy ?? {},
    limits: resolveLimits(options.limits),
    crypto: provider,
    transports: Object.freeze([...(options.transports ?? [])]),
    onTask: options.onTask,
    cancelHanded: options.cancelHanded ?? (async () => undefined),
    accepts: options.accepts,
    tasks: Object.freeze({ ...options.tasks }),
    tools: Object.freeze([...(options.tools ?? [])]),
    contents: Object.freeze([...(options.contents ?? [])]),
    schemas: Object.freeze({ ...options.schemas }),
    versions: options.versions ?? {},
    admission: options.admission ?? {},
    callers: options.callers,
    evidence: options.evidence,
    audit: options.audit ?? true,
    // Nobody could ever look into a store that is only the runtime's own.
    receipts: options.receipts ?? (options.store === undefined ? false : {}),
    on: resolveEvents(options.on),
    trust: Object.freeze({
      approvers: new Map(trust.approvers),
      quorum: trust.quorum ?? 1,
      taskAdmins: Object.freeze([...(trust.taskAdmins ?? [])]),
    }),
    shared: Object.freeze({ ...options.shared, replayStore: options.shared?.replayStore ?? store }),
    timeouts: Object.freeze({ handlerMs, joinMs }),
    now,
    randomBytes: options.randomBytes ?? provider.randomBytes,
  });
}

function resolveEvents(on: EventOptions = {}): Required<EventOptions> {
  const error = contained(on.error ?? ignore, ignore);
  return Object.freeze({
    artifacts: on.artifacts ?? ignore,
    toolResult: on.toolResult ?? ignore,
    peerError: on.peerError ?? ignore,
    state: on.state ?? ignore,
    outcome: contained(on.outcome ?? ignore, error),
    receipt: contained(on.receipt ?? ignore, error),
    task: contained(on.task ?? ignore, error),
    error,
  });
}

const ignore = (): void => undefined;
