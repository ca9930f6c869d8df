// Owns a client: who speaks to agents and is not spoken to. It has an identity and peers, but no handlers and no tasks.
// SPEC.md section 8 (#exchange).

import type { CryptoProvider, ProviderName } from '../crypto/provider.ts';
import { chooseProvider } from '../crypto/provider.ts';
import type { RandomBytes } from '../envelope/uuid.ts';
import { SdlError } from '../errors.ts';
import { createVersionPolicy } from '../handlers/negotiation/version-policy.ts';
import type { Limits } from '../limits.ts';
import { resolveLimits } from '../limits.ts';
import { makeLocalChecks } from '../message/check-services.ts';
import type { KnownPeers, PeerSource } from '../message/peers.ts';
import { peerSource } from '../message/peers.ts';
import type { Speaker } from '../message/speaker.ts';
import { announcedCapabilities, makeBuilder, openTrustLog, snapshots } from '../message/speaker.ts';
import type { Schema } from '../schema/descriptor.ts';
import { SchemaRegistry } from '../schema/registry.ts';
import type { OwnIdentity } from '../security/identity/own-identity.ts';
import { assertOwnIdentity } from '../security/identity/own-identity.ts';
import { createMemoryStore } from '../stores/memory.ts';
import type { Store } from '../stores/store.ts';
import type { Dialer } from '../transport.ts';
import { Connections } from './connections.ts';
import type { Dialect } from './foreign/dialect.ts';
import { Dialects, sorted } from './foreign/dialects.ts';
import type { ClientServices } from './exchange.ts';
import type { ReceiptEvent } from './keep-receipt.ts';
import { contained } from './listener.ts';
import type { RemoteAgent } from './remote-agent.ts';
import { createRemoteAgent } from './remote-agent.ts';
import type { ReceiptSettings } from './services.ts';
import { makeReceiptServices, wait } from './services.ts';
import { resolveTarget } from './target.ts';

/** What a client can be told; all of it is optional. */
export interface ClientOptions {
  /** Who speaks; a function answers with the keys of now. @default none: SDL cannot be spoken */
  readonly identity?: OwnIdentity | (() => OwnIdentity);
  /** Whom it knows: a peer book, or a list of entries, key bundles or identities. @default nobody */
  readonly peers?: KnownPeers;
  /** The ways out, such as `http()`, and other dialects, such as `a2a()`. @default none */
  readonly transports?: readonly (Dialer | Dialect)[];
  /** What is learned of peers, and receipts, are kept here. It is not closed with the client. @default memory */
  readonly store?: Store;
  /** What peers are told of it besides its id. @default "client" */
  readonly name?: string;
  /** @default "client" */
  readonly role?: string;
  /** Content types of its own that it sends or gets: name to schema. @default none */
  readonly schemas?: Readonly<Record<string, Schema>>;
  /** Keep the receipts that come with answers. @default for 90 days; where there is no `store`, none */
  readonly receipts?: ReceiptSettings | false;
  readonly on?: ClientEvents;
  readonly limits?: Partial<Limits>;
  /** @default 'auto' */
  readonly crypto?: 'auto' | ProviderName | CryptoProvider;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** @default the crypto provider's */
  readonly randomBytes?: RandomBytes;
}

/** What who uses a client is told. */
interface ClientEvents {
  /** Told what became of every receipt that came with an answer. @default nobody is told */
  readonly receipt?: (event: ReceiptEvent) => void;
}

export interface ConnectOptions {
  /** Who is at an address that the peer book does not know. */
  readonly agentId?: string;
}

export interface Client {
  /**
   * A peer by its id, by its name in the peer book, or by an address at which the book has one; else an agent of another
   * dialect, if there is one that knows it by that. Nothing is opened yet.
   */
  connect(target: string, options?: ConnectOptions): RemoteAgent;
  /** Closes its connections; exchanges that are under way end as lost. The store stays open. */
  close(): Promise<void>;
}

const OPTIONS: Readonly<Record<keyof ClientOptions, true>> = {
  identity: true,
  peers: true,
  transports: true,
  store: true,
  name: true,
  role: true,
  schemas: true,
  receipts: true,
  on: true,
  limits: true,
  crypto: true,
  now: true,
  randomBytes: true,
};

/** Speaks to agents. Nothing is opened before it is used. */
export function createClient(options: ClientOptions = {}): Client {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown !== undefined) {
    const known = Object.keys(OPTIONS).join(', ');
    throw new TypeError(`"${unknown}" is not an option of a client; there are: ${known}`);
  }
  return new SpeakingClient(options);
}

class SpeakingClient implements Client {
  readonly #options: ClientOptions;
  readonly #peers: PeerSource;
  readonly #connections: Connections;
  /** The same for transports and checks: an answer that was read within them is not read again. */
  readonly #limits: Limits;
  readonly #dialects: Dialects;
  #starting: Promise<ClientServices> | undefined;
  #isClosed = false;

  constructor(options: ClientOptions) {
    const { now = Date.now } = options;
    this.#options = options;
    this.#peers = peerSource(options.peers, now());
    this.#limits = resolveLimits(options.limits);
    const { dialers, dialects } = sorted(options.transports ?? []);
    this.#connections = new Connections(dialers, this.#limits);
    this.#dialects = new Dialects(dialects, { limits: this.#limits, now });
  }

  connect(target: string, { agentId }: ConnectOptions = {}): RemoteAgent {
    const speakSdl = (): RemoteAgent => {
      const resolved = resolveTarget(target, this.#peers, agentId);
      return createRemoteAgent(resolved, () => this.#services());
    };
    return agentId === undefined ? this.#dialects.connect(target, speakSdl) : speakSdl();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#dialects.close();
    await this.#connections.close();
  }

  async #services(): Promise<ClientServices> {
    if (this.#isClosed) throw new SdlError('DRAINING', 'the client is closed');
    // One that failed is tried again: the store may be there by then.
    this.#starting ??= this.#start().catch((cause: unknown) => {
      this.#starting = undefined;
      throw cause;
    });
    return this.#starting;
  }

  async #start(): Promise<ClientServices> {
    const speaker = speakerOf(this.#options, this.#peers, this.#limits);
    const { now, limits } = speaker;
    const { schemas = {}, on = {} } = this.#options;
    const registry = new SchemaRegistry();
    for (const [ct, schema] of Object.entries(schemas)) registry.register(ct, schema);
    const versions = createVersionPolicy({ now });
    // Nobody could ever look into a store that is only the client's own.
    const receipts = this.#options.receipts ?? (this.#options.store === undefined ? false : {});
    const onReceipt = contained(on.receipt ?? ignore, ignore);
    return {
      ...makeLocalChecks(speaker, registry),
      checkVersion: (envelope) => {
        versions.check(envelope);
      },
      builder: makeBuilder(speaker, announcedCapabilities([], limits), registry),
      connections: this.#connections,
      snapshot: snapshots(speaker, await openTrustLog(speaker)),
      now,
      wait,
      ...makeReceiptServices(speaker, receipts, onReceipt),
    };
  }
}

const ignore = (): void => undefined;

function speakerOf(options: ClientOptions, peers: PeerSource, limits: Limits): Speaker {
  const { identity, crypto = 'auto', now = Date.now } = options;
  if (identity === undefined) {
    throw new TypeError(
      '"identity" is missing: messages are signed, so give the client one, createClient({ identity: await createIdentity() })',
    );
  }
  const identityNow = typeof identity === 'function' ? identity : () => identity;
  assertOwnIdentity(identityNow());
  const provider = typeof crypto === 'string' ? chooseProvider(crypto) : crypto;
  return {
    identity: identityNow,
    name: options.name ?? 'client',
    role: options.role ?? 'client',
    instance: '1',
    peers,
    store: options.store ?? createMemoryStore({ now }),
    policy: {},
    trust: { approvers: new Map(), quorum: 1 },
    crypto: provider,
    limits,
    now,
    randomBytes: options.randomBytes ?? provider.randomBytes,
  };
}
