// Owns the agent under test: one runtime, or several nodes of one, that can be spoken to through every face at once.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { onTestFinished } from 'vitest';

import { createClient } from '../../../src/client/client.ts';
import type { AuditLog } from '../../../src/audit/log.ts';
import type { CallContext } from '../../../src/door/index.ts';
import { chooseProvider } from '../../../src/crypto/provider.ts';
import type { RuntimeOptions } from '../../../src/runtime/options.ts';
import type { Runtime } from '../../../src/runtime/runtime.ts';
import { createRuntime } from '../../../src/runtime/runtime.ts';
import type { LocalIdentity } from '../../../src/security/identity/identity.ts';
import { createIdentity } from '../../../src/security/identity/identity.ts';
import { peerFromBundle } from '../../../src/security/peers/new-peer.ts';
import type { Peer } from '../../../src/security/peers/peer.ts';
import type { Dialer } from '../../../src/transport.ts';
import { steerqa } from '../../../profiles/steerqa/index.ts';
import { swp } from '../../../profiles/swp/index.ts';
import { http } from '../../../transports/http/index.ts';
import { ipc } from '../../../transports/ipc/index.ts';
import { ws } from '../../../transports/ws/index.ts';
import { Book } from '../agents/agents.ts';
import { a2a } from '../../../profiles/a2a/index.ts';
import { plainFace } from '../plain-face/face.ts';
import { a2aCaller } from './a2a-caller.ts';
import { grpcLine } from './a2a-grpc-line.ts';
import type { A2aBinding } from './a2a-line.ts';
import { httpLine } from './a2a-line.ts';
import type { Caller } from './caller.ts';
import type { Guest } from './guests.ts';
import { Guests, principalOf } from './guests.ts';
import { plainCaller } from './plain-caller.ts';
import { sdlCaller } from './sdl-caller.ts';
import { onOffer, steerqaCaller } from './steerqa-caller.ts';
import { swpCaller } from './swp-caller.ts';

export type SdlTransport = 'http' | 'ws' | 'ipc';

const DIALERS: Readonly<Record<SdlTransport, () => Dialer>> = { http, ws, ipc };
const crypto = chooseProvider('auto');

/** Many callers of one address, and no pauses. */
const ROOM = { maxInFlightPerPeer: 1_000, ratePerSecond: 1_000_000, burst: 1_000_000 };

export interface PlainOptions extends Partial<Omit<Guest, 'name'>> {
  /** A tenant that it asks for by name. */
  readonly asksTenant?: string;
}

/** What all nodes of one agent have in common. */
class Shared {
  readonly book: Book = new Book();
  /** The clock of the agent and of its callers is ahead of the real one by so much. */
  aheadMs = 0;
  readonly now = (): number => Date.now() + this.aheadMs;
  readonly guests: Guests = new Guests(this.now);
  readonly identity: LocalIdentity;
  /** Of the peers that speak to it. */
  readonly identities: Map<string, LocalIdentity> = new Map<string, LocalIdentity>();
  names = 0;

  constructor(identity: LocalIdentity) {
    this.identity = identity;
  }
}

/** What is sent is not paced: the cases are about tasks. */
const NO_PACES = { framesPerSecond: 0, peerFramesPerSecond: 0 };

type Urls = Readonly<Record<SdlTransport | 'plain' | 'steerqa' | 'swp' | 'a2a' | 'grpc', string>>;

export class DialectAgent {
  readonly runtime: Runtime;
  readonly shared: Shared;
  readonly #urls: Urls;
  readonly #closing: (() => Promise<void>)[] = [];

  private constructor(runtime: Runtime, shared: Shared, urls: Urls) {
    this.runtime = runtime;
    this.shared = shared;
    this.#urls = urls;
  }

  /** @param as one of its other nodes. */
  static async open(options: Partial<RuntimeOptions>, as?: DialectAgent): Promise<DialectAgent> {
    const shared = as?.shared ?? new Shared(await createIdentity({ crypto }));
    const { identity, book, guests, now } = shared;
    const runtime = createRuntime({
      identity,
      peers: book,
      callers: guests,
      now,
      onTask: onOffer,
      admission: ROOM,
      ...options,
      timeouts: { joinMs: 0, ...options.timeouts },
    });
    // Short: the path of a Unix socket has to fit.
    const folder = mkdtempSync(join(tmpdir(), 'f-'));
    const path = join(folder, 's');
    const listeners = await runtime.listen(
      http({ port: 0 }),
      ws(),
      ipc({ path }),
      plainFace(),
      steerqa({ now }),
      swp({ port: 0, ...NO_PACES }),
      a2a({ grpc: { port: 0 } }),
    );
    const [atHttp, atWs, atIpc, plain, offers, atSwp, card] = listeners.map(({ urls }) => urls[0]!);
    const agent = new DialectAgent(runtime, shared, {
      http: atHttp!,
      ws: atWs!,
      ipc: atIpc!,
      plain: plain!,
      steerqa: offers!,
      swp: atSwp!,
      a2a: new URL(card!).origin,
      grpc: listeners.at(-1)!.faces![0]!.urls[0]!,
    });
    agent.#closing.push(async () => rmSync(folder, { recursive: true, force: true }));
    return agent;
  }

  async sdl(transport: SdlTransport, entry: Partial<Peer> = {}): Promise<Caller> {
    const { book, identities, now } = this.shared;
    const identity = await createIdentity({ crypto });
    book.add({ ...peerFromBundle(identity.bundle, {}, now()), ...entry });
    identities.set(identity.agentId, identity);
    return this.#speak(transport, identity);
  }

  /** The same peer once more, perhaps by another transport or to another node. */
  async sdlAs(transport: SdlTransport, { owner }: Caller): Promise<Caller> {
    return this.#speak(transport, this.shared.identities.get(owner)!);
  }

  async plain({ asksTenant, ...parts }: PlainOptions = {}): Promise<Caller> {
    const guest = this.#newGuest(parts);
    return this.shower(guest.shows, principalOf(guest).id, asksTenant);
  }

  async a2a(binding: A2aBinding, parts: Partial<Omit<Guest, 'name'>> = {}): Promise<Caller> {
    const guest = this.#newGuest(parts);
    const owner = principalOf(guest).id;
    const headers = { authorization: guest.shows };
    const line =
      binding === 'grpc'
        ? grpcLine({ address: this.#urls.grpc, headers })
        : httpLine(binding, { address: this.#urls.a2a, headers });
    return this.#remember(a2aCaller(line, owner));
  }

  #newGuest(parts: Partial<Omit<Guest, 'name'>>): Guest {
    const name = `guest-${(this.shared.names += 1)}`;
    const guest = { name, shows: `bearer secret-of-${name}`, ...parts };
    this.shared.guests.set(guest);
    return guest;
  }

  /** @param id of an owner who is known already. */
  async steerqa(id?: string): Promise<Caller> {
    const { guests, now } = this.shared;
    const name = `guest-${(this.shared.names += 1)}`;
    const guest = { name, shows: `bearer secret-of-${name}`, ...(id !== undefined && { id }) };
    guests.set(guest);
    const headers = { authorization: guest.shows };
    const owner = principalOf(guest).id;
    return this.#remember(steerqaCaller({ url: this.#urls.steerqa, owner, headers, now }));
  }

  /** Somebody who is known by the loopback address that it calls from. */
  swp(id?: string): Caller {
    const { guests } = this.shared;
    const number = (this.shared.names += 1);
    const from = `127.1.${number >> 8}.${number & 255}`;
    const guest = {
      name: `guest-${number}`,
      shows: `from ${from}`,
      ...(id !== undefined && { id }),
    };
    guests.set(guest);
    const { id: owner } = principalOf(guest);
    return this.#remember(swpCaller({ address: this.#urls.swp, from, owner }));
  }

  /** Somebody who shows this, whoever that is. */
  shower(shows: string, owner: string, tenant?: string): Caller {
    const [scheme, ...words] = shows.split(' ');
    const headers = scheme === 'key' ? { 'x-api-key': words.join(' ') } : { authorization: shows };
    return this.#remember(
      plainCaller({
        url: this.#urls.plain,
        owner,
        headers: shows === '' ? {} : headers,
        ...(tenant !== undefined && { tenant }),
      }),
    );
  }

  url(transport: keyof Urls): string {
    return this.#urls[transport];
  }

  async audit(): Promise<AuditLog> {
    return (await this.runtime.audit())!;
  }

  /** As if the process had ended: what callers hold is not told. */
  async close(graceMs = 0): Promise<void> {
    await this.runtime.close({ graceMs });
    await Promise.all(this.#closing.splice(0).map((close) => close()));
  }

  #speak(transport: SdlTransport, identity: LocalIdentity): Caller {
    const { identity: server, now } = this.shared;
    const client = createClient({
      identity,
      peers: [server.bundle],
      transports: [DIALERS[transport]()],
      limits: { maxBytes: 16_000_000, maxStringBytes: 16_000_000 },
      now,
    });
    const peer = client.connect(this.#urls[transport], { agentId: server.agentId });
    const close = (): Promise<void> => client.close();
    return this.#remember(sdlCaller({ owner: identity.agentId, peer, close }));
  }

  /** It keeps its connections no longer than the test. */
  #remember(caller: Caller): Caller {
    onTestFinished(() => caller.close());
    return caller;
  }
}

/** A call of the operator of the machine, who looks after everybody's tasks. */
export function asOperator(): CallContext {
  const principal = { id: '~local:operator', tenant: '', scheme: 'local' };
  const { signal } = new AbortController();
  return { principal, face: 'test', agentId: 'did:key:agent', signal, now: Date.now };
}
