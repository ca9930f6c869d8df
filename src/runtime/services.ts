// Owns what the checks and the handlers of a runtime work with, made once from its options.

import type { AuditLog } from '../audit/log.ts';
import { createAuditLog } from '../audit/log.ts';
import { createReceiptBook } from '../audit/receipt-book.ts';
import type { ReceiptServices } from '../client/keep-receipt.ts';
import type { ContentHandler } from '../content.ts';
import type { JsonObject } from '../codec/value.ts';
import type { Delegator, DelegatorOptions } from '../delegation/delegator.ts';
import { createDelegator } from '../delegation/delegator.ts';
import { defaultCapabilities } from '../envelope/capabilities.ts';
import { uuidV7 } from '../envelope/uuid.ts';
import { builtinHandlers } from '../handlers/index.ts';
import { createStateBook } from '../handlers/state/book.ts';
import { createTaskHandler } from '../handlers/task/handler.ts';
import { createLaterTools, createToolsFor } from '../handlers/task/tools.ts';
import type { ToolRegistry } from '../handlers/tools/registry.ts';
import type { VersionPolicy } from '../handlers/negotiation/version-policy.ts';
import type { Counters } from './counters.ts';
import { createAdmission } from '../pipeline/admission.ts';
import type { CheckServices, Snapshot } from '../pipeline/passage.ts';
import type { ResolvedRuntimeOptions } from './options.ts';
import type { SchemaRegistry } from '../schema/registry.ts';
import { rememberBundle } from '../security/identity/bundle-history.ts';
import { createContacts } from '../security/peers/contacts.ts';
import type { KeyBundle } from '../security/identity/key-bundle-shape.ts';
import { createModeLatch } from '../security/peers/latch.ts';
import type { OwnIdentity } from '../security/identity/own-identity.ts';
import { signingKeyOf } from '../security/identity/own-identity.ts';
import type { Policy } from '../security/policy/policy.ts';
import { createPolicy } from '../security/policy/policy.ts';
import { underRegistry } from '../security/trust/registry-peers.ts';
import { createReplayGuard } from '../security/replay/replay.ts';
import { createSessionBook, signSessionBinding } from '../security/session.ts';
import type { TrustLog } from '../security/trust/log.ts';
import { createTrustLog } from '../security/trust/log.ts';
import type { ToolBox } from '../tasks/context.ts';
import type { TaskEngine } from '../tasks/engine/engine.ts';
import type { Task } from '../tasks/task.ts';
import { PACKAGE_VERSION } from '../version.ts';

/** What needs no store to be read first. */
export function makeCheckServices(
  options: ResolvedRuntimeOptions,
  registry: SchemaRegistry,
  handledTypes: ReadonlySet<string>,
  versions: VersionPolicy,
): Omit<CheckServices, 'audit'> {
  const { store, crypto, now, limits } = options;
  const { replayStore, rateLimiter } = options.shared;
  const { joinMs } = options.timeouts;
  return {
    crypto,
    registry,
    handledTypes,
    limits,
    admission: createAdmission(options.admission, now, rateLimiter),
    contacts: createContacts(store, { crypto, now }),
    latch: createModeLatch(store),
    replay: createReplayGuard({ store: replayStore, now, joinMs }),
    sessions: createSessionBook({ store: replayStore, now }),
    checkVersion: (envelope) => {
      versions.check(envelope);
    },
  };
}

export function openTrustLog(options: ResolvedRuntimeOptions): Promise<TrustLog> {
  const { store, crypto, now } = options;
  const { approvers, quorum } = options.trust;
  const ownAgentId = options.identity().agentId;
  return createTrustLog({ store, crypto, ownAgentId, approvers, quorum, now });
}

/** Writes the bundle of an identity down, once and while it is in use. */
export type BundleMemory = (own: OwnIdentity) => Promise<void>;

/** Whoever verifies the log later needs the keys that signed it, and those may be gone by then. */
export function makeBundleMemory(options: ResolvedRuntimeOptions): BundleMemory {
  let remembered: KeyBundle | undefined;
  return async ({ bundle }) => {
    if (!options.audit || bundle === undefined || bundle === remembered) return;
    remembered = bundle;
    await rememberBundle(options.store, bundle);
  };
}

export async function openAuditLog(
  options: ResolvedRuntimeOptions,
  remember: BundleMemory,
): Promise<AuditLog | undefined> {
  if (!options.audit) return undefined;
  const { store, crypto, now, identity, on } = options;
  await remember(identity());
  return createAuditLog({
    store,
    crypto,
    now,
    node: identity().agentId,
    signer: () => {
      const own = identity();
      remember(own).catch(on.error);
      const { kid, key } = signingKeyOf(own, now());
      return { kid, secretKey: key.reveal() };
    },
  });
}

/** What keeps the receipts that come with answers; nothing where the runtime has no store to keep them in. */
export function makeReceiptServices(
  options: ResolvedRuntimeOptions,
  counters: Counters,
): ReceiptServices {
  const { receipts, store, crypto, now } = options;
  return {
    ...(receipts !== false && { receipts: createReceiptBook({ ...receipts, store, crypto, now }) }),
    onReceipt: (event) => {
      counters.countReceipt(event);
      options.on.receipt(event);
    },
  };
}

/** Answers with peers, keys and rules as they are at that moment; none of them changes afterwards (W52). */
export function snapshots(
  options: ResolvedRuntimeOptions,
  trust: TrustLog,
  remember?: BundleMemory,
): () => Snapshot {
  const { identity, peers, now, on } = options;
  let policy: Policy | undefined;
  return () => {
    const own = identity();
    // Receipts are signed with the keys of a snapshot.
    remember?.(own).catch(on.error);
    policy ??= createPolicy({ ...options.policy, agentIds: [own.agentId] });
    return {
      nowMs: now(),
      policy,
      peers: underRegistry(peers.snapshot(), trust.registry),
      identity: own,
    };
  };
}

/** What the runtime announces of itself in every message. */
export function announcedCapabilities(
  tools: readonly string[],
  options: ResolvedRuntimeOptions,
): JsonObject {
  const cap = defaultCapabilities({ tools, limits: options.limits });
  const impl = { name: 'a2a-sdl', version: PACKAGE_VERSION };
  return { ...cap, a2a_sdl: { ...(cap['a2a_sdl'] as JsonObject), impl } };
}

export interface HandlerParts {
  readonly options: ResolvedRuntimeOptions;
  readonly services: Omit<CheckServices, 'audit'>;
  readonly tools: ToolRegistry;
  readonly trust: TrustLog;
  readonly snapshot: () => Snapshot;
  readonly engine: TaskEngine | undefined;
  readonly versions: VersionPolicy;
  readonly cap: () => JsonObject;
}

/** The tools of tasks that go on after a restart, or on another node. */
export function makeLaterTools(
  options: ResolvedRuntimeOptions,
  tools: ToolRegistry,
  snapshot: () => Snapshot,
): (task: Task) => ToolBox {
  const { identity, now, on } = options;
  return createLaterTools({
    tools,
    onFailure: ({ error }) => on.error(error),
    agentId: identity().agentId,
    peerOf: (agentId) => snapshot().peers.find(agentId),
    now,
  });
}

/** Lets tasks give parts of themselves to other agents. */
export function makeDelegator(
  options: ResolvedRuntimeOptions,
  parts: Pick<DelegatorOptions, 'connect' | 'taskNow'>,
): Delegator {
  const { identity, crypto, now, randomBytes, limits, on } = options;
  const newId = (): string => uuidV7(now(), randomBytes);
  return createDelegator({
    ...parts,
    identity,
    crypto,
    now,
    newId,
    maxHops: limits.maxHops,
    onError: on.error,
  });
}

/** The nine content types; tasks only where somebody works on them. */
export function makeBuiltinHandlers(parts: HandlerParts): readonly ContentHandler[] {
  const { options, services, tools, trust, snapshot, engine, versions, cap } = parts;
  const { store, crypto, now, identity, on } = options;
  const { allows } = snapshot().policy;
  const toolcall = {
    tools,
    onFailure: ({ error }: { readonly error: unknown }) => on.error(error),
  };
  const handlers = builtinHandlers({
    toolcall,
    toolresult: on.toolResult,
    state: { book: createStateBook({ store, now }), onChange: on.state },
    artifact: { onArtifacts: on.artifacts },
    error: on.peerError,
    negotiation: {
      cap,
      contentTypes: () => [...services.handledTypes],
      tools,
      implementation: { name: 'a2a-sdl', version: PACKAGE_VERSION },
      versions,
      minMode: (peer) => peer.minMode ?? options.policy.minMode ?? 'sig',
      hasSessions: true,
    },
    session: {
      book: services.sessions,
      allows,
      sign: (document) =>
        signSessionBinding(document, signingKeyOf(identity(), now()).key.reveal(), crypto),
    },
    trustsync: { log: trust, allows },
  });
  if (engine === undefined) return handlers;
  return [...handlers, createTaskHandler({ engine, toolsFor: createToolsFor(toolcall) })];
}
