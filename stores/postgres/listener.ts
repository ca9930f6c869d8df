// Owns the connection that listens for appends of other nodes. What it hears is only a hint: it may miss some.

import type { Client, PoolConfig } from 'pg';

import type { Driver } from './driver.ts';
import type { Schema } from './schema-1.ts';

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 5_000;

interface Ears {
  /** Hears from now on; what happened before it does not know. */
  readonly onListening: () => void;
  readonly onAppend: (log: string) => void;
}

export class Listener {
  readonly #connect: () => Client;
  readonly #channel: string;
  readonly #ears: Ears;
  #client: Client | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #isStarted = false;
  #isClosed = false;
  #delayMs = FIRST_DELAY_MS;

  constructor(driver: Driver, config: PoolConfig, schema: Schema, ears: Ears) {
    this.#connect = () => new driver.Client(config);
    this.#channel = schema.channel;
    this.#ears = ears;
  }

  /** Listens until closed, over broken connections and restarts of the server. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    void this.#listen();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#client?.end();
  }

  async #listen(): Promise<void> {
    const client = this.#connect();
    this.#client = client;
    client.on('error', () => undefined);
    client.once('end', () => this.#again());
    client.on('notification', ({ payload = '' }) => {
      this.#ears.onAppend(Buffer.from(payload, 'hex').toString('utf8'));
    });
    try {
      await client.connect();
      await client.query(`LISTEN "${this.#channel}"`);
      this.#delayMs = FIRST_DELAY_MS;
      this.#ears.onListening();
    } catch {
      // Whatever it was, a connection that cannot listen is of no use; its end leads to the next one.
      await client.end();
    }
  }

  #again(): void {
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => void this.#listen(), this.#delayMs);
    this.#delayMs = Math.min(this.#delayMs * 2, LONGEST_DELAY_MS);
  }
}
