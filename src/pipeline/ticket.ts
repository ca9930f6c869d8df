// Owns the room of one message from its admission to its end: what it takes is what it does at that moment.
// SPEC.md section 13 (#admit).

import type { Pool, ShareClass } from '../budget/index.ts';
import type { MaybePromise } from '../crypto/provider.ts';
import type { SdlError } from '../errors.ts';
import type { Ticket } from './admission.ts';
import type { Count } from './count.ts';
import type { Joiners } from './joiners.ts';
import type { KnownAddresses } from './known-addresses.ts';

/** What a ticket is counted in. */
export interface Rooms {
  readonly unproven: Pool;
  readonly messages: Pool;
  readonly waiters: Pool;
  readonly streams: Pool;
  readonly joiners: Joiners;
  readonly addresses: KnownAddresses;
  readonly atWork: Count;
  readonly awaited: Count;
  /** Throws LIMIT_RATE, or rejects with it. */
  readonly takeRate: (agentId: string, share: ShareClass) => Promise<void> | undefined;
}

/** Most of them are only made, claimed and released: what else a ticket may need is made when it is asked for. */
export class Room implements Ticket {
  readonly #rooms: Rooms;
  readonly #address: string;
  /** Where it takes room now; `undefined` when somebody else counts what it does. */
  #pool: Pool | undefined;
  #owner: string;
  #share: ShareClass;
  #isWaiting = false;
  #further: (() => void)[] | undefined;
  #isAwaited = true;
  #isReleased = false;

  /** There must be room for it. */
  constructor(rooms: Rooms, address: string, share: ShareClass) {
    this.#rooms = rooms;
    this.#address = address;
    this.#owner = address;
    this.#share = share;
    rooms.unproven.take(address, share);
    this.#pool = rooms.unproven;
    rooms.atWork.add();
    rooms.awaited.add();
  }

  claim(agentId: string, share: ShareClass): MaybePromise<void> {
    const { messages, takeRate, addresses } = this.#rooms;
    // Who makes up new names as it goes is still where it is.
    this.#move(messages, share === 'stranger' ? this.#address : agentId, share);
    addresses.learn(this.#address, share);
    return takeRate(agentId, share);
  }

  identified(principalId: string, share: ShareClass): void {
    this.#leave();
    this.#owner = principalId;
    this.#share = share;
    this.#rooms.addresses.learn(this.#address, share);
  }

  wait(): boolean {
    const { waiters } = this.#rooms;
    if (this.#isWaiting || this.#isReleased) return true;
    if (!waiters.tryTake(this.#owner, this.#share)) return false;
    this.#leave();
    this.#pool = waiters;
    this.#isWaiting = true;
    return true;
  }

  stream(principalId: string = this.#owner): void {
    const { streams } = this.#rooms;
    const share = this.#share;
    streams.take(principalId, share);
    this.#onRelease(() => streams.give(principalId, share));
  }

  tryStream(): boolean {
    const { streams } = this.#rooms;
    const [owner, share] = [this.#owner, this.#share];
    if (!streams.tryTake(owner, share)) return false;
    this.#onRelease(() => streams.give(owner, share));
    return true;
  }

  join(run: string, onCrowded: (error: SdlError) => void): () => void {
    const leave = this.#rooms.joiners.enter(run, this.#share, onCrowded);
    this.#onRelease(leave);
    this.#leave();
    this.#isWaiting = true;
    return () => {
      leave();
      this.#isWaiting = false;
    };
  }

  awaitedUntil(signal: AbortSignal): void {
    const stop = (): void => this.#stopAwaiting();
    signal.addEventListener('abort', stop, { once: true });
    this.#onRelease(() => signal.removeEventListener('abort', stop));
    if (signal.aborted) stop();
  }

  release(): void {
    if (!this.#isReleased) {
      this.#isReleased = true;
      this.#leave();
      this.#rooms.atWork.take();
      this.#stopAwaiting();
    }
    for (const leave of this.#further?.splice(0) ?? []) leave();
  }

  /** Throws LIMIT_RATE, and then it is where it was. */
  #move(pool: Pool, owner: string, share: ShareClass): void {
    pool.take(owner, share);
    this.#leave();
    this.#pool = pool;
    this.#owner = owner;
    this.#share = share;
  }

  #leave(): void {
    this.#pool?.give(this.#owner, this.#share);
    this.#pool = undefined;
  }

  #onRelease(leave: () => void): void {
    this.#further ??= [];
    this.#further.push(leave);
  }

  #stopAwaiting(): void {
    if (!this.#isAwaited) return;
    this.#isAwaited = false;
    this.#rooms.awaited.take();
  }
}
