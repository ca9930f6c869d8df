// Owns a client that gives one task after the other, each twice, to whichever node takes it, until it is told to stop.

import { setTimeout as pause } from 'node:timers/promises';

import type { ExchangeOptions } from '../../../src/client/exchange.ts';
import type { RemoteAgent } from '../../../src/client/remote-agent.ts';
import { RemoteError } from '../../../src/client/remote-error.ts';
import { TransportError } from '../../../src/transport.ts';

/** The same bytes are sent again, for longer than an agent is away in an upgrade. */
const PATIENT: ExchangeOptions = { retries: 30 };
/** Another node is asked soon: one whose store is no longer its own may never answer. */
export const IMPATIENT: ExchangeOptions = { retries: 0, timeoutMs: 5_000 };
/** Of a lane between two tasks: it is to last, not to fill the machine. */
const PAUSE_MS = 100;

export interface WorkloadOptions {
  /** Asked one after the other, the last one for ever. */
  readonly nodes: readonly RemoteAgent[];
  readonly lanes: number;
  /** Resolves when the last node is there: until then a lane that no node answers waits, from then on only it is asked. */
  readonly upgraded: Promise<unknown>;
}

export class Workload {
  readonly #options: WorkloadOptions;
  readonly #running: Promise<unknown>;
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  /** Tasks that were acknowledged. */
  readonly acknowledged = new Set<string>();
  #begun = 0;
  #isUpgraded = false;
  #isStopped = false;

  constructor(options: WorkloadOptions) {
    this.#options = options;
    void options.upgraded.then(() => (this.#isUpgraded = true));
    this.#running = Promise.all(
      Array.from({ length: options.lanes }, (_, lane) => this.#run(lane)),
    );
  }

  /** Resolves when so many tasks were acknowledged in all. */
  async reached(count: number): Promise<void> {
    const reached = new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
    this.#look();
    await Promise.race([reached, this.#running]);
  }

  /** Resolves when nothing is under way. Throws what went wrong. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(lane: number): Promise<void> {
    while (!this.#isStopped) {
      const id = `work-${(this.#begun += 1)}`;
      await this.#give(id, lane);
      this.acknowledged.add(id);
      this.#look();
      // An equal retry joins the task, whoever has it by now.
      await this.#give(id, lane + 1);
      await pause(PAUSE_MS);
    }
  }

  async #give(id: string, lane: number): Promise<void> {
    const { nodes, upgraded } = this.#options;
    const last = nodes.length - 1;
    for (let at = lane % Math.max(1, last); ; at += 1) {
      const node = nodes[this.#isUpgraded ? last : Math.min(at, last)]!;
      try {
        const isPatient = last === 0 && lane % 2 === 1;
        await give(node, id, `quick ${id}`, isPatient ? PATIENT : IMPATIENT);
        return;
      } catch (thrown) {
        if (!isPassing(thrown)) throw thrown;
        if (at >= last) await upgraded;
      }
    }
  }

  #look(): void {
    for (const { count, resolve } of this.#waiting) {
      if (this.acknowledged.size >= count) resolve();
    }
  }
}

/** Resolves when it is acknowledged. */
export async function give(
  node: RemoteAgent,
  id: string,
  goal: string,
  how: ExchangeOptions = {},
): Promise<void> {
  await node.task({ goal, id, constraints: { time_budget_s: 0 } }, how).result();
}

/** The node is away, its store is no longer its own, or it got to it after the time that an impatient client gave it. */
function isPassing(thrown: unknown): boolean {
  if (thrown instanceof TransportError) return true;
  return (
    thrown instanceof RemoteError && ['INTERNAL', 'UNAVAILABLE', 'DEADLINE'].includes(thrown.code)
  );
}
