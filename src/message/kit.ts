// Owns who seals and opens single messages for itself, without a runtime and without a transport: another dialect brings
// them to where they go. SPEC.md section 22 (#sealed-checks).

import { payloadDigest } from '../audit/entry.ts';
import type { JsonObject, JsonValue } from '../codec/value.ts';
import type { CryptoProvider, ProviderName } from '../crypto/provider.ts';
import { chooseProvider } from '../crypto/provider.ts';
import type { Content } from '../envelope/build.ts';
import type { RandomBytes } from '../envelope/uuid.ts';
import type { Limits } from '../limits.ts';
import { resolveLimits } from '../limits.ts';
import type { OpenRequest } from '../pipeline/passage.ts';
import { SchemaRegistry } from '../schema/registry.ts';
import type { KeyBundle } from '../security/identity/key-bundle-shape.ts';
import type { OwnIdentity } from '../security/identity/own-identity.ts';
import { assertOwnIdentity } from '../security/identity/own-identity.ts';
import type { ModeLatch } from '../security/peers/latch.ts';
import type { PeerDirectory } from '../security/peers/peer.ts';
import { createPolicy } from '../security/policy/policy.ts';
import type { Store } from '../stores/store.ts';
import type { CarriedAnswer, CarriedRequest, FaceTicket, OpenedRequest } from '../transport.ts';
import type { OpenedAnswer } from './answer.ts';
import { judgeAnswer, openedAnswer } from './answer.ts';
import type { CarriedServices } from './carried.ts';
import { assertCarriable, assertFits, openRequest, sealAnswer } from './carried.ts';
import { carriedMessage } from './carried-value.ts';
import { makeLocalChecks } from './check-services.ts';
import { purgeMemory, sharedMemory } from './memory.ts';
import type { RequestOrigin } from './own-request.ts';
import { requestOf } from './own-request.ts';
import { sealRequest } from './request.ts';
import type { Speaker } from './speaker.ts';
import { announcedCapabilities, makeBuilder } from './speaker.ts';

export interface MessageKitOptions {
  /** Who speaks; a function answers with the keys of now. */
  readonly identity: OwnIdentity | (() => OwnIdentity);
  /** What others are told of it besides its id. @default "agent" */
  readonly name?: string | undefined;
  /**
   * Nonces, what is learned of peers, and the strongest mode that each has proven. @default memory that all kits of this
   * agent share; no mode is kept there: what a restart forgets is no defence against a downgrade
   */
  readonly store?: Store | undefined;
  /** Take requests of strangers that prove a did:key. @default false */
  readonly open?: boolean | undefined;
  readonly limits?: Partial<Limits> | undefined;
  /** @default 'auto' */
  readonly crypto?: 'auto' | ProviderName | CryptoProvider | undefined;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** @default the crypto provider's */
  readonly randomBytes?: RandomBytes | undefined;
}

/** How a request is sealed. */
export interface SealKitRequest {
  readonly agentId: string;
  readonly content: Content;
  readonly mode: 'sig' | 'enc+sig';
  /** How long it is taken for new. */
  readonly lifetimeMs: number;
}

/** A message as it goes out. */
interface SealedMessage {
  /** The envelope as JSON. */
  readonly bytes: Uint8Array;
  readonly id: string;
}

export interface MessageKit {
  readonly crypto: CryptoProvider;
  readonly agentId: string;
  readonly now: () => number;
  readonly newId: () => string;
  sealRequest(request: SealKitRequest, peers: PeerDirectory): Promise<SealedMessage>;
  /**
   * What an answer to this request of ours must fit. One that was found somewhere is verified by our own keys.
   * @param bytes the envelope as JSON.
   */
  requestOf(bytes: Uint8Array, origin: RequestOrigin): Promise<OpenRequest>;
  openAnswer(
    bytes: Uint8Array,
    request: OpenRequest,
    contentTypes: ReadonlySet<string>,
    peers: PeerDirectory,
  ): Promise<OpenedAnswer>;
  openRequest(
    request: Pick<CarriedRequest, 'bytes' | 'contentTypes' | 'right'>,
    peers: PeerDirectory,
  ): Promise<OpenedRequest>;
  sealAnswer(
    facts: JsonObject,
    answer: CarriedAnswer,
    peers: PeerDirectory,
  ): Promise<SealedMessage>;
  /** The SHA-256 of the canonical form of a payload. */
  digest(payload: JsonValue): Uint8Array;
  /** Takes in a bundle that was verified, so that no older one of that agent counts any more. */
  learn(bundle: KeyBundle): Promise<void>;
}

/** Here nothing is counted: who calls is the program itself. */
const NO_TICKET: FaceTicket = {
  signal: new AbortController().signal,
  claim: () => undefined,
  stream: () => undefined,
  release: () => undefined,
};
const NO_LATCH: ModeLatch = {
  get: async () => 'none',
  raise: async () => undefined,
  reset: async () => undefined,
};
const FACTS = { transport: 'carried', address: 'carried' };

export function createMessageKit(options: MessageKitOptions): MessageKit {
  const { now = Date.now, identity, store } = options;
  const identityNow = typeof identity === 'function' ? identity : () => identity;
  assertOwnIdentity(identityNow());
  const speaker = speakerOf(options, identityNow);
  const { crypto, limits } = speaker;
  const { agentId } = identityNow();
  const registry = new SchemaRegistry();
  const checks = makeLocalChecks(speaker, registry);
  const policy = createPolicy({ ...speaker.policy, agentIds: [agentId] });
  const base = {
    ...checks,
    ...(store === undefined && { latch: NO_LATCH }),
    checkVersion: () => undefined,
    builder: makeBuilder(speaker, announcedCapabilities([], limits), registry),
  };
  const servicesFor = (peers: PeerDirectory): CarriedServices => ({
    ...base,
    snapshot: () => ({ nowMs: now(), policy, peers, identity: identityNow() }),
  });
  return {
    crypto,
    agentId,
    now,
    newId: base.builder.newId,
    async sealRequest({ agentId: to, content, mode, lifetimeMs }, peers) {
      const sealed = await sealRequest(
        {
          agentId: to,
          content,
          mode,
          lifetimeMs,
          form: 'jcs',
          // Its answers may be opened where nothing is remembered.
          mustBringBundle: true,
          asksForBundle: true,
        },
        servicesFor(peers),
      );
      assertCarriable(sealed);
      assertFits(sealed, limits.maxBytes);
      return { bytes: sealed.bytes, id: sealed.envelope.id };
    },
    requestOf: (bytes, origin) => requestOf(bytes, origin, base, identityNow()),
    async openAnswer(bytes, request, contentTypes, peers) {
      const message = carriedMessage(bytes, FACTS, limits);
      const passage = await judgeAnswer(message, request, servicesFor(peers));
      return openedAnswer(passage, contentTypes);
    },
    async openRequest(request, peers) {
      if (store === undefined) await purgeMemory(agentId, now);
      return openRequest({ ...request, peer: FACTS, ticket: NO_TICKET }, servicesFor(peers));
    },
    async sealAnswer(facts, answer, peers) {
      const sealed = await sealAnswer(facts, answer, servicesFor(peers));
      return { bytes: sealed.bytes, id: sealed.envelope.id };
    },
    digest: (payload) => payloadDigest(payload, crypto.sha256),
    learn: (bundle) => base.contacts.learn(bundle.agentId, { bundle }, { isStranger: false }),
  };
}

function speakerOf(
  options: MessageKitOptions,
  identity: () => OwnIdentity,
): Omit<Speaker, 'peers' | 'trust'> {
  const { crypto = 'auto', now = Date.now, randomBytes, name = 'agent', open = false } = options;
  const { store = sharedMemory(identity().agentId, now) } = options;
  const provider = typeof crypto === 'string' ? chooseProvider(crypto) : crypto;
  return {
    identity,
    name,
    role: 'agent',
    instance: '1',
    store,
    policy: { open },
    crypto: randomBytes === undefined ? provider : { ...provider, randomBytes },
    limits: resolveLimits(options.limits),
    now,
    randomBytes: randomBytes ?? provider.randomBytes,
  };
}
