// Owns what the checks and the handlers of a runtime work with, made once from its options.

import type { Rights } from '../door/rights.ts';
import type { TaskService } from '../door/service.ts';
import type { TellSent } from '../door/witness.ts';
import { SdlError } from '../errors.ts';
import type { AuditLog } from '../audit/log.ts';
import { createAuditLog } from '../audit/log.ts';
import type { ContentHandler } from '../content.ts';
import type { JsonObject } from '../codec/value.ts';
import { builtinHandlers } from '../handlers/index.ts';
import { createStateBook } from '../handlers/state/book.ts';
import { createTaskHandler } from '../handlers/task/handler.ts';
import type { ToolRegistry } from '../handlers/tools/registry.ts';
import type { VersionPolicy } from '../handlers/negotiation/version-policy.ts';
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
import { createReplayGuard } from '../security/replay/replay.ts';
import { createSessionBook, signSessionBinding } from '../security/session.ts';
import type { TrustLog } from '../security/trust/log.ts';
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
    replay: createReplayGuard({
      store: replayStore,
      now,
      joinMs,
      onClockBehind: (behindMs) => options.on.error(clockBehind(behindMs)),
    }),
    sessions: createSessionBook({ store: replayStore, now }),
    checkVersion: (envelope) => {
      versions.check(envelope);
    },
  };
}

function clockBehind(behindMs: number): Error {
  const behind = `${Math.round(behindMs / 1_000)} s`;
  return new Error(
    `the clock is ${behind} behind the latest time that the store has seen: messages are refused until it is past that. ` +
      'Set the clock right; if the store has seen a wrong time: a2a-sdl store reset-clock',
  );
}

/** Writes the bundle of an identity down, once and while it is in use. */
export type BundleMemory = (own: OwnIdentity) => Promise<void>;

/** Who verifies the log later needs the keys that signed it, and those may be gone by then. */
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

export interface HandlerParts {
  readonly options: ResolvedRuntimeOptions;
  readonly services: Omit<CheckServices, 'audit'>;
  readonly tools: ToolRegistry;
  readonly trust: TrustLog;
  readonly snapshot: () => Snapshot;
  readonly rights: Rights;
  /** `undefined` where nobody does any. */
  readonly tasks: TaskService | undefined;
  readonly sent: TellSent;
  readonly versions: VersionPolicy;
  readonly cap: () => JsonObject;
}

/** What only the caller did wrong is told to the caller alone: it could fill the log of those who look for faults. */
export function failuresOfOurs(
  onError: (cause: unknown) => void,
): (failure: { readonly error: unknown }) => void {
  return ({ error }) => {
    if (error instanceof SdlError && error.row.wire !== 'INTERNAL') return;
    onError(error);
  };
}

/** The nine content types; tasks only where somebody works on them. */
export function makeBuiltinHandlers(parts: HandlerParts): readonly ContentHandler[] {
  const { options, services, tools, trust, snapshot, rights, tasks, sent, versions, cap } = parts;
  const { store, crypto, now, identity, on } = options;
  const { allows } = snapshot().policy;
  const toolcall = {
    tools,
    rights,
    onFailure: failuresOfOurs(on.error),
  };
  const handlers = builtinHandlers({
    toolcall,
    toolresult: on.toolResult,
    state: { book: createStateBook({ store, now }), onChange: on.state },
    artifact: { onArtifacts: on.artifacts },
    error: on.peerError,
    negotiation: {
      rights,
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
  return tasks === undefined ? handlers : [...handlers, createTaskHandler({ tasks, sent })];
}
