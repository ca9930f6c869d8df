// Owns the connection to Redis: every call ends in bounded time, a connection that does not answer is replaced,
// and nothing is ever sent twice by itself.

import { StoreError } from '../../src/stores/index.ts';
import type { Argument, Client, Driver, Reply } from './driver.ts';
import { refusalOf, toStoreError } from './driver.ts';
import type { Script } from './scripts.ts';

const MAX_RETRY_MS = 1_000;

export class RedisLink {
  readonly #driver: Driver;
  readonly #url: string;
  readonly #timeoutMs: number;
  #client: Client;
  /** From the first success until close the link connects again by itself. */
  #isKept = false;
  #isClosed = false;
  #inFlight = 0;
  #onIdle: (() => void) | undefined;

  constructor(driver: Driver, url: string, timeoutMs: number) {
    this.#driver = driver;
    this.#url = url;
    this.#timeoutMs = timeoutMs;
    this.#client = this.#makeClient();
  }

  async connect(): Promise<void> {
    try {
      await this.#client.connect();
      this.#isKept = true;
    } catch (thrown) {
      this.#client.destroy();
      throw toStoreError(thrown);
    }
  }

  send(...args: readonly Argument[]): Promise<Reply> {
    return this.#bounded((client) => client.sendCommand(args));
  }

  /** A restarted server has forgotten its scripts. Then the call is made with the text of the script. */
  run(script: Script, key: string, args: readonly Argument[]): Promise<Reply> {
    return this.#bounded(async (client) => {
      try {
        return await client.sendCommand(['EVALSHA', script.sha1, '1', key, ...args]);
      } catch (thrown) {
        if (refusalOf(thrown) !== 'NOSCRIPT') throw thrown;
        return client.sendCommand(['EVAL', script.text, '1', key, ...args]);
      }
    });
  }

  /** Waits for what is in flight, which is not for ever. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#inFlight > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    this.#isKept = false;
    this.#client.destroy();
  }

  async #bounded(call: (client: Client) => Promise<Reply>): Promise<Reply> {
    if (this.#isClosed) throw new StoreError('closed', 'the store is closed');
    const client = this.#client;
    let timer: ReturnType<typeof setTimeout> | undefined;
    this.#inFlight += 1;
    try {
      const answer = call(client);
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(this.#silent());
          this.#replace(client);
        }, this.#timeoutMs);
      });
      return await Promise.race([answer, silence]);
    } catch (thrown) {
      throw toStoreError(thrown);
    } finally {
      clearTimeout(timer);
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#onIdle?.();
    }
  }

  #silent(): StoreError {
    const words = `Redis gave no answer within ${this.#timeoutMs} ms: a write may or may not have been done`;
    return new StoreError('failed', words);
  }

  #makeClient(): Client {
    const client = this.#driver({
      url: this.#url,
      connectTimeoutMs: this.#timeoutMs,
      retryAfter: (attempts) => this.#isKept && Math.min(50 * 2 ** attempts, MAX_RETRY_MS),
    });
    let handshake: ReturnType<typeof setTimeout> | undefined;
    const settle = (): void => clearTimeout(handshake);
    client.on('connect', () => {
      settle();
      handshake = setTimeout(() => this.#replace(client), this.#timeoutMs);
    });
    client.on('ready', settle);
    client.on('end', settle);
    // Each call that fails says so itself.
    client.on('error', settle);
    return client;
  }

  #replace(silent: Client): void {
    if (silent !== this.#client) return;
    silent.destroy();
    if (!this.#isKept) return;
    this.#client = this.#makeClient();
    // It goes on trying; and when it is destroyed, nobody is left to be told.
    this.#client.connect().catch(() => undefined);
  }
}
