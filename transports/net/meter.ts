// Owns what connections and addresses cost: counted by the second, and who costs too much is paused to its end, then
// closed. Somebody who is proven is never charged for others at the same address. SPEC.md section 11 (#net-cost).

import type { CostAccount, CostKind, CostVerdict, ListenContext } from '../../src/transport.ts';
import {
  CLOSE_AT_ONCE,
  COST_LIMITS,
  PROVEN_FOR_MS,
  SECOND_CHANCE_MS,
  WEIGHTS,
} from './cost-table.ts';
import { UnreadBudget } from './unread.ts';

/** A connection as the meter sees it. */
export interface Metered {
  /** Nothing more is read from it, until {@link goOn}. */
  hold(): void;
  goOn(): void;
  /** It has cost too much and ends. */
  end(): void;
}

const SECOND_MS = 1_000;
/** Addresses that are remembered; those without a connection go first. */
const MOST_ADDRESSES = 10_000;

/** Told of what was charged and what came of it. */
type Tell = (kind: CostKind, verdict: CostVerdict) => void;

/** Points of the second that is now, and when there were too many the last time. */
class Points {
  #second = -1;
  #sum = 0;
  #overAt = -Infinity;

  /** Those of this second. */
  at(second: number): number {
    return this.#second === second ? this.#sum : 0;
  }

  add(points: number, second: number): number {
    this.#sum = this.at(second) + points;
    this.#second = second;
    return this.#sum;
  }

  /** True when it is the second time within the time of its chance; many in one second are one time. */
  isOverAgain(second: number): boolean {
    const before = this.#overAt;
    this.#overAt = second;
    return before !== second && (second - before) * SECOND_MS <= SECOND_CHANCE_MS;
  }

  /** Has it cost anything within the time of its chance? */
  hasCost(second: number): boolean {
    return this.#second >= 0 && (second - this.#second) * SECOND_MS <= SECOND_CHANCE_MS;
  }
}

class Address {
  readonly points: Points = new Points();
  readonly open: Set<Account> = new Set();
  provenAt: number = -Infinity;

  /** Not even who has cost nothing yet is looked at before the second is over, but who is proven. */
  isFull(second: number): boolean {
    return this.points.at(second) > COST_LIMITS.perAddress + COST_LIMITS.forNewcomers;
  }
}

/** One for all transports of a runtime. */
export class Meter {
  readonly unread: UnreadBudget;
  readonly now: () => number;
  readonly #tell: Tell;
  readonly #addresses = new Map<string, Address>();
  readonly #held = new Set<Account>();
  #numbers = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param now in milliseconds, never backwards. */
  constructor(tell: Tell = () => undefined, now: () => number = () => performance.now()) {
    this.#tell = tell;
    this.now = now;
    this.unread = new UnreadBudget(now, (kind, verdict) => this.#tell(kind, verdict));
  }

  /** A connection from this network. {@link Account.close} when it has ended. */
  open(network: string, connection: Metered): Account {
    const address = this.#at(network);
    const account = new Account(this, address, network, connection);
    address.open.add(account);
    if (address.isFull(this.second())) this.hold(account);
    return account;
  }

  /**
   * Somebody at this network on a connection that is not its own, such as that of a proxy: it is never paused or closed,
   * but {@link Account.isHeld}.
   */
  guest(network: string): Account {
    return new Account(this, this.#at(network), network, undefined);
  }

  /** Of a connection, each once. */
  number(): number {
    return (this.#numbers += 1);
  }

  second(): number {
    return Math.floor(this.now() / SECOND_MS);
  }

  tell(kind: CostKind, verdict: CostVerdict): void {
    this.#tell(kind, verdict);
  }

  /**
   * Those at the address that have proven nothing and have cost something wait; the second time they end. Who has cost
   * nothing waits only when the address is full.
   */
  addressIsOver(address: Address, kind: CostKind): void {
    const second = this.second();
    const isAgain = address.points.isOverAgain(second);
    const isFull = address.isFull(second);
    for (const account of address.open) {
      const hasCost = account.hasCost(second);
      if (account.isProven || !(hasCost || isFull)) continue;
      if (isAgain && hasCost) account.end(kind);
      else if (!account.isHeld) {
        this.#tell(kind, 'paused');
        this.hold(account);
      }
    }
  }

  /** Until the end of this second. */
  hold(account: Account): void {
    this.#held.add(account);
    account.pause();
    if (this.#timer !== undefined) return;
    const leftMs = Math.ceil((this.second() + 1) * SECOND_MS - this.now());
    this.#timer = setTimeout(() => this.#release(), leftMs).unref();
  }

  forget(account: Account): void {
    this.#held.delete(account);
  }

  /** Those that wait longest first. */
  #release(): void {
    this.#timer = undefined;
    const held = [...this.#held];
    this.#held.clear();
    for (const account of held) account.resume();
  }

  #at(network: string): Address {
    const known = this.#addresses.get(network);
    if (known !== undefined) return known;
    if (this.#addresses.size >= MOST_ADDRESSES) this.#makeRoom();
    const address = new Address();
    this.#addresses.set(network, address);
    return address;
  }

  /** Those who are known stay, as far as there are others. */
  #makeRoom(): void {
    let oldest: string | undefined;
    for (const [network, { open, provenAt }] of this.#addresses) {
      if (open.size > 0) continue;
      oldest ??= network;
      if (provenAt !== -Infinity) continue;
      this.#addresses.delete(network);
      return;
    }
    if (oldest !== undefined) this.#addresses.delete(oldest);
  }
}

/** What is charged to one connection, or to an address through a connection that is not its own. */
export class Account implements CostAccount {
  readonly #meter: Meter;
  readonly #address: Address;
  readonly #points = new Points();
  readonly #connection: Metered | undefined;
  #countedAs: string;
  #isProven = false;
  #isHeld = false;
  #hasEnded = false;
  #waiting: (() => void)[] | undefined;

  constructor(meter: Meter, address: Address, network: string, connection: Metered | undefined) {
    this.#meter = meter;
    this.#address = address;
    this.#countedAs = network;
    this.#connection = connection;
  }

  get countedAs(): string {
    return this.#countedAs;
  }

  get isProven(): boolean {
    return this.#isProven;
  }

  /** Nothing of it is to be looked at before the second is over. */
  get isHeld(): boolean {
    if (this.#connection !== undefined) return this.#isHeld;
    return this.#address.isFull(this.#meter.second());
  }

  /** A connection of its own, which can wait. */
  get canWait(): boolean {
    return this.#connection !== undefined;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** It has proven who it is, or somebody at its address has lately. */
  get isTrusted(): boolean {
    return this.#isProven || this.#address.provenAt + PROVEN_FOR_MS > this.#meter.now();
  }

  hasCost(second: number): boolean {
    return this.#points.hasCost(second);
  }

  charge(kind: CostKind, units = 1): void {
    if (this.#hasEnded) return;
    const { perConnection, perAddress } = COST_LIMITS;
    const second = this.#meter.second();
    const points = WEIGHTS[kind] * units;
    const own = this.#points.add(points, second);
    this.#meter.tell(kind, 'charged');
    if (this.#connection !== undefined && own > perConnection) this.#over(kind, own, second);
    if (this.#isProven) return;
    const shared = this.#address.points.add(points, second);
    if (shared > perAddress) this.#meter.addressIsOver(this.#address, kind);
  }

  proven(): void {
    if (this.#isProven && this.#connection !== undefined) return;
    if (!this.#isProven && this.#connection !== undefined) {
      this.#countedAs = `${this.#countedAs} #${this.#meter.number()}`;
    }
    this.#isProven = true;
    this.#address.provenAt = this.#meter.now();
  }

  /** Resolves when it is not held any more, or has ended. */
  released(): Promise<void> {
    if (!this.#isHeld) return Promise.resolve();
    return new Promise((resolve) => (this.#waiting ??= []).push(resolve));
  }

  pause(): void {
    if (this.#isHeld || this.#connection === undefined) return;
    this.#isHeld = true;
    this.#connection.hold();
  }

  resume(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#wake();
    if (!this.#hasEnded) this.#connection?.goOn();
  }

  end(kind: CostKind): void {
    if (this.#hasEnded) return;
    this.#meter.tell(kind, 'closed');
    this.close();
    this.#connection?.end();
  }

  /** The connection has ended, whoever ended it. */
  close(): void {
    this.#hasEnded = true;
    this.#address.open.delete(this);
    this.#meter.forget(this);
    this.#wake();
  }

  #over(kind: CostKind, points: number, second: number): void {
    const isFarTooMuch = points > COST_LIMITS.perConnection * CLOSE_AT_ONCE;
    if (this.#points.isOverAgain(second) || (this.#isHeld && isFarTooMuch)) {
      this.end(kind);
    } else if (!this.#isHeld) {
      this.#meter.tell(kind, 'paused');
      this.#meter.hold(this);
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting?.splice(0) ?? []) resolve();
  }
}

const meters = new WeakMap<ListenContext, Meter>();

/** The one meter of all that listens with this context. */
export function meterOf(context: ListenContext): Meter {
  const known = meters.get(context);
  if (known !== undefined) return known;
  const meter = new Meter(context.onCost);
  meters.set(context, meter);
  return meter;
}
