// What the suites of the task engine share: engines on one store, and time that passes when a test says so.

import { onTestFinished } from 'vitest';
import type { Store } from '../../../src/stores/store.ts';
import type { OnTask } from '../../../src/tasks/context.ts';
import type { TaskEngineOptions } from '../../../src/tasks/engine/options.ts';
import { createTaskEngine } from '../../../src/tasks/engine/engine.ts';
import type { TaskEngine } from '../../../src/tasks/engine/contract.ts';
import { fragile } from '../../support/stores/task-stores.ts';
import type { FragileStore } from '../../support/stores/task-stores.ts';
import { TestTime } from '../../support/agents/tasks.ts';

/** A store on which engines are tried. */
export interface TaskStoreUnderTest {
  /** A new store; each call of what it returns is one more connection to it. */
  readonly open: (now: () => number) => Promise<() => Promise<Store>>;
}

export interface TestNode {
  readonly engine: TaskEngine;
  readonly store: FragileStore;
  readonly errors: unknown[];
  /** What becomes of an engine whose process ends without a word. */
  readonly die: () => void;
}

export class TestCluster {
  readonly time = new TestTime();
  readonly #connect: () => Promise<Store>;
  readonly #stores: FragileStore[] = [];
  #looking: Promise<Store> | undefined;

  private constructor(connect: (now: () => number) => Promise<() => Promise<Store>>) {
    let connecting: Promise<() => Promise<Store>> | undefined;
    this.#connect = async () => (await (connecting ??= connect(() => this.time.now)))();
  }

  static on(subject: TaskStoreUnderTest): TestCluster {
    return new TestCluster(subject.open);
  }

  /** A connection for the test itself. */
  look(): Promise<Store> {
    return (this.#looking ??= this.#connect());
  }

  async node(onTask: OnTask, options: Partial<TaskEngineOptions> = {}): Promise<TestNode> {
    const store = fragile(await this.#connect());
    this.#stores.push(store);
    const errors: unknown[] = [];
    let isDead = false;
    const engine = createTaskEngine({
      onTask,
      store,
      now: () => this.time.now,
      // A process that has ended has no timers.
      setTimer: (callback, delayMs) =>
        this.time.setTimer(() => (isDead ? undefined : callback()), delayMs),
      onError: (cause) => void errors.push(cause),
      stopGraceMs: 0,
      ...options,
    });
    onTestFinished(async () => {
      if (isDead) return;
      // The store of the test itself is closed by now.
      const closing = engine.close();
      const turn = setInterval(() => this.time.pass(1_000), 1);
      await closing.finally(() => clearInterval(turn));
    });
    const die = (): void => {
      isDead = true;
      store.cut();
    };
    return { engine, store, errors, die };
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

  /** Lets so much time pass, a second at a turn. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1_000) {
      this.time.pass(1_000);
      await this.#letGoOn();
    }
  }

  /** At the pace of the store: what a timer starts must get on before the next one. */
  async #letGoOn(): Promise<void> {
    const store = await this.look();
    do {
      for (let turn = 0; turn < 5; turn += 1) {
        await store.get('pace', 'none');
        await new Promise((resolve) => setImmediate(resolve));
      }
    } while (this.#stores.some(({ busy }) => busy > 0));
  }
}
