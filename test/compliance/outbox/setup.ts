// What the suites of the outbox share: nodes on one store, time that passes when a test says so, and answers that get lost.

import { onTestFinished } from 'vitest';

import type { Deliverer } from '../../../src/outbox/deliverer.ts';
import type { OutboxEntry } from '../../../src/outbox/entry.ts';
import type { Outbox, OutboxOptions } from '../../../src/outbox/outbox.ts';
import { createOutbox } from '../../../src/outbox/outbox.ts';
import type { Store } from '../../../src/stores/store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { TestTime } from '../../support/agents/time.ts';

/** A store on which outboxes are tried. */
export interface OutboxStoreUnderTest {
  /** A new store; each call of what it returns is one more connection to it. */
  readonly open: (now: () => number) => Promise<() => Promise<Store>>;
}

/** Whether a call fails before it was done, or its answer gets lost. */
export type Fault = (method: string, key: string) => 'before' | 'after' | undefined;

export interface TestNode {
  readonly outbox: Outbox;
  readonly errors: unknown[];
  /** What becomes of its calls to the store. */
  fault: Fault;
  /** What becomes of a node whose process ends without a word. */
  die(): void;
  /** Stores one in a transaction of its own, and says so. */
  add(key: string, kind?: string): Promise<void>;
}

export const LEASE_MS = 30_000;

export class OutboxNodes {
  readonly time = new TestTime();
  readonly #connect: () => Promise<Store>;
  readonly #calls: Calls = { underWay: 0 };
  #looking: Promise<Store> | undefined;
  #nodes = 0;

  constructor(subject: OutboxStoreUnderTest) {
    let connecting: Promise<() => Promise<Store>> | undefined;
    this.#connect = async () => (await (connecting ??= subject.open(() => this.time.now)))();
  }

  /** A connection for the test itself. */
  look(): Promise<Store> {
    return (this.#looking ??= this.#connect());
  }

  /** How many entries there are. */
  async left(): Promise<number> {
    return (await this.look()).count('outbox');
  }

  async node(
    deliver: Deliverer['deliver'] | Readonly<Record<string, Deliverer>>,
    bounds: Partial<Deliverer> & Partial<OutboxOptions> = {},
  ): Promise<TestNode> {
    this.#nodes += 1;
    const holder = `node-${this.#nodes}`;
    const errors: unknown[] = [];
    let isDead = false;
    const node: TestNode = {
      errors,
      fault: () => undefined,
      die: () => {
        isDead = true;
      },
      outbox: createOutbox({
        store: shaky(
          await this.#connect(),
          (...call) => (isDead ? 'before' : node.fault(...call)),
          this.#calls,
        ),
        now: () => this.time.now,
        // A process that has ended has no timers.
        setTimer: (callback, delayMs) =>
          this.time.setTimer(() => (isDead ? undefined : callback()), delayMs),
        random: () => 0.5,
        holder,
        leaseMs: LEASE_MS,
        onError: (cause) => void errors.push(cause),
        deliverers: typeof deliver === 'function' ? { hello: { deliver, ...bounds } } : deliver,
        ...bounds,
      }),
      add: async (key, kind = 'hello') => {
        const store = await this.look();
        await store.transact([node.outbox.adding(kind, key, { to: key })]);
        node.outbox.notice();
      },
    };
    onTestFinished(async () => {
      if (isDead) return;
      // The store of the test itself is closed by now.
      const closing = node.outbox.close(0);
      const turn = setInterval(() => this.time.pass(1_000), 1);
      await closing.finally(() => clearInterval(turn));
    });
    return node;
  }

  /** Lets time pass, a second at a turn, until it is done. */
  async until<T>(done: Promise<T>): Promise<T> {
    let isDone = false;
    const settle = (): void => {
      isDone = true;
    };
    done.then(settle, settle);
    for (;;) {
      await this.#letGoOn();
      if (isDone) return done;
      this.time.pass(1_000);
    }
  }

  /** Lets time pass until it is so. */
  async untilSo(isSo: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isSo())) {
      await this.#letGoOn();
      if (await isSo()) return;
      this.time.pass(1_000);
    }
  }

  /** Lets so much time pass, a second at a turn. */
  async pass(ms: number): Promise<void> {
    await this.#letGoOn();
    for (let passed = 0; passed < ms; passed += 1_000) {
      this.time.pass(1_000);
      await this.#letGoOn();
    }
  }

  /** What a timer starts must get on as far as it can before the next one: until no node waits for the store. */
  async #letGoOn(): Promise<void> {
    for (let quiet = 0; quiet < 8; quiet += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#calls.underWay > 0) quiet = 0;
    }
  }
}

/** Of all nodes, to the store. */
interface Calls {
  underWay: number;
}

function shaky(store: Store, fault: Fault, calls: Calls): Store {
  return new Proxy(store, {
    get: (target, name: keyof Store) => {
      const method = target[name] as (...args: readonly unknown[]) => Promise<unknown>;
      return async (...args: readonly unknown[]) => {
        const what = fault(name, String(args[1]));
        if (what === 'before') throw new StoreError('failed', 'the store is away');
        calls.underWay += 1;
        const answer = await method
          .apply(target, args as unknown[])
          .finally(() => (calls.underWay -= 1));
        if (what === 'after') throw new StoreError('failed', 'the answer is lost');
        return answer;
      };
    },
  });
}

/** Takes down what it was told, and says how each try ends. */
export function teller(
  end: (entry: OutboxEntry, nth: number) => ReturnType<Deliverer['deliver']> = async () => 'done',
): { readonly told: string[]; readonly deliver: Deliverer['deliver'] } {
  const told: string[] = [];
  return {
    told,
    deliver: (entry) => {
      told.push(entry.key);
      return end(entry, told.length);
    },
  };
}
