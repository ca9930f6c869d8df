// Owns group commit: while one group is on its way to the disk, what is asked for gathers in the next one.
// One call of the server a group, in the order of the calls; a promise resolves only after the commit.

import type { PoolClient } from 'pg';

import type { Operation, StoreError, TransactResult } from '../../src/stores/index.ts';
import type { Connections, Statement } from './connections.ts';
import { query } from './connections.ts';
import { isLost } from './driver.ts';
import type { Job } from './operations.ts';
import { jobOf, partsOf, resultOf, rowCount, writeStatement, writeValues } from './operations.ts';
import type { Schema } from './schema-1.ts';

/** Bounds on how long one group keeps the others of the cluster waiting. */
const GROUP_JOBS = 256;
const GROUP_BYTES = 8_388_608;

interface Call {
  readonly job: Job;
  readonly resolve: (result: TransactResult) => void;
  readonly reject: (reason: unknown) => void;
}

export class GroupCommit {
  readonly #connections: Connections;
  readonly #now: () => number;
  readonly #write: Statement;
  readonly #queue: Call[] = [];
  #running: Promise<void> | undefined;

  constructor(connections: Connections, schema: Schema, now: () => number) {
    this.#connections = connections;
    this.#now = now;
    this.#write = writeStatement(schema);
  }

  run(operations: readonly Operation[]): Promise<TransactResult> {
    return new Promise<TransactResult>((resolve, reject) => {
      this.#queue.push({ job: jobOf(operations), resolve, reject });
      this.#running ??= this.#drain();
    });
  }

  /** Resolves when everything that was asked for is decided. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #drain(): Promise<void> {
    // After the I/O of this turn: every request that has arrived by then is in the same group.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) await this.#commitNext();
    this.#running = undefined;
  }

  async #commitNext(): Promise<void> {
    const group = this.#nextGroup();
    try {
      await this.#commit(group);
    } catch (thrown) {
      const { fault, cause } = thrown as StoreError;
      // One bad job made the server undo the whole group. Each is now tried alone, so that only the bad one fails.
      const isForAll = group.length === 1 || fault === 'busy' || isLost(cause);
      for (const call of group) {
        if (isForAll) call.reject(thrown);
        else await this.#commit([call]).catch(call.reject);
      }
    }
  }

  #nextGroup(): Call[] {
    let size = 0;
    let bytes = 0;
    for (const { job } of this.#queue) {
      bytes += job.bytes;
      if (size >= GROUP_JOBS || (size > 0 && bytes > GROUP_BYTES)) break;
      size += 1;
    }
    return this.#queue.splice(0, size);
  }

  async #commit(group: readonly Call[]): Promise<void> {
    const jobs = group.map(({ job }) => job);
    const results = await this.#connections.write((client) => this.#call(client, jobs));
    let at = 0;
    for (const { job, resolve } of group) {
      const rows = rowCount(job);
      resolve(resultOf(job, results.slice(at, at + rows)));
      at += rows;
    }
  }

  async #call(client: PoolClient, jobs: readonly Job[]): Promise<readonly (number | null)[]> {
    const now = this.#now();
    const parts = jobs.length === 1 ? partsOf(jobs[0]!) : [];
    if (parts.length <= 1) return this.#ask(client, now, jobs);
    const results: (number | null)[] = [];
    await client.query('BEGIN');
    for (const part of parts) {
      for (const result of await this.#ask(client, now, [part])) results.push(result);
      if (results.some((result) => result !== null && result < 0)) {
        await client.query('ROLLBACK');
        return results;
      }
    }
    await client.query('COMMIT');
    return results;
  }

  async #ask(
    client: PoolClient,
    now: number,
    jobs: readonly Pick<Job, 'units' | 'needsUndo'>[],
  ): Promise<readonly (number | null)[]> {
    const [row] = await query<{ results: (number | null)[] }>(
      client,
      this.#write,
      writeValues(now, jobs),
    );
    return row!.results;
  }
}
