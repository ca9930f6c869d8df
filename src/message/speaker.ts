// Owns who speaks, and what it speaks and judges with: its rules, its builder, its snapshots. A client, a runtime and
// who seals single messages share it.
// SPEC.md section 13 (#checks, #policy-snapshot).

import type { JsonObject } from '../codec/value.ts';
import type { CryptoProvider } from '../crypto/provider.ts';
import type { EnvelopeBuilder } from '../envelope/build.ts';
import { createEnvelopeBuilder } from '../envelope/build.ts';
import { defaultCapabilities } from '../envelope/capabilities.ts';
import type { RandomBytes } from '../envelope/uuid.ts';
import type { Limits } from '../limits.ts';
import type { Snapshot } from '../pipeline/passage.ts';
import type { SchemaRegistry } from '../schema/registry.ts';
import type { OwnIdentity } from '../security/identity/own-identity.ts';
import type { PolicyOptions } from '../security/policy/options.ts';
import type { Policy } from '../security/policy/policy.ts';
import { createPolicy } from '../security/policy/policy.ts';
import type { TrustLog } from '../security/trust/log.ts';
import { createTrustLog } from '../security/trust/log.ts';
import { underRegistry } from '../security/trust/registry-peers.ts';
import type { Store } from '../stores/store.ts';
import { PACKAGE_VERSION } from '../version.ts';
import type { PeerSource } from './peers.ts';

/** Who speaks, to whom, and with what. */
export interface Speaker {
  readonly identity: () => OwnIdentity;
  readonly name: string;
  readonly role: string;
  readonly instance: string;
  readonly peers: PeerSource;
  readonly store: Store;
  readonly policy: Omit<PolicyOptions, 'agentIds'>;
  readonly trust: {
    readonly approvers: ReadonlyMap<string, Uint8Array>;
    readonly quorum: number;
  };
  readonly crypto: CryptoProvider;
  readonly limits: Limits;
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
}

/** The registry that approvers change: whom it has revoked counts for answers too. */
export function openTrustLog({ store, crypto, now, identity, trust }: Speaker): Promise<TrustLog> {
  const { approvers, quorum } = trust;
  const { agentId: ownAgentId, root } = identity();
  return createTrustLog({ store, crypto, ownAgentId, root, approvers, quorum, now });
}

/**
 * Answers with peers, keys and rules as they are at that moment; none of them changes afterwards (W52).
 * @param onUse is told of the keys that a snapshot has.
 */
export function snapshots(
  speaker: Speaker,
  trust: TrustLog,
  onUse: (own: OwnIdentity) => void = () => undefined,
): () => Snapshot {
  const { identity, peers, now } = speaker;
  let policy: Policy | undefined;
  return () => {
    const own = identity();
    onUse(own);
    policy ??= createPolicy({ ...speaker.policy, agentIds: [own.agentId] });
    return {
      nowMs: now(),
      policy,
      peers: underRegistry(peers.snapshot(), trust.registry),
      identity: own,
    };
  };
}

/** What is announced in every message. */
export function announcedCapabilities(tools: readonly string[], limits: Limits): JsonObject {
  const cap = defaultCapabilities({ tools, limits });
  const impl = { name: 'a2a-sdl', version: PACKAGE_VERSION };
  return { ...cap, a2a_sdl: { ...(cap['a2a_sdl'] as JsonObject), impl } };
}

export function makeBuilder(
  { identity, name, role, instance, now, randomBytes }: Omit<Speaker, 'peers' | 'trust'>,
  cap: JsonObject,
  { descriptorFor }: SchemaRegistry,
): EnvelopeBuilder {
  return createEnvelopeBuilder({
    identity: { agent_id: identity().agentId, name, instance, role },
    cap,
    schemaFor: descriptorFor,
    now,
    randomBytes,
  });
}
