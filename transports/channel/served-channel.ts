// Owns the listening end of one channel: many requests in flight, and answers in any order.
// SPEC.md section 11 (#transport-correlation, #transport-timeouts).

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ListenContext, PeerFacts, SdlError } from '../../src/transport.ts';
import type { ChannelSettings } from './options.ts';
import type { CloseReason, Message, MessageChannel } from './channel.ts';

/**
 * Messages that had been read when reading was paused. One read of a socket is 64 KiB and no envelope is shorter than
 * its required members, so more than this cannot be envelopes.
 */
const MAX_BACKLOG = 1_024;
const REPLIES_A_TURN = 32;

export class ServedChannel {
  /** Resolves when the channel has closed. */
  readonly closed: Promise<void>;
  readonly #channel: MessageChannel;
  readonly #context: ListenContext;
  readonly #peer: PeerFacts;
  readonly #settings: ChannelSettings;
  readonly #inFlight = new Set<AbortController>();
  readonly #backlog: Message[] = [];
  readonly #idleTimer: NodeJS.Timeout;
  #isPaused = false;
  #isDraining = false;
  #onClosed!: () => void;

  constructor(
    channel: MessageChannel,
    peer: PeerFacts,
    context: ListenContext,
    settings: ChannelSettings,
  ) {
    this.#channel = channel;
    this.#context = context;
    this.#peer = peer;
    this.#settings = settings;
    this.closed = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
    this.#idleTimer = setTimeout(() => this.#onIdle(), settings.idleTimeoutMs);
    channel.start({
      onMessage: (message) => this.#onMessage(message),
      onInvalid: (error) => void this.#refuse(error),
      onClose: () => this.#onClose(),
    });
  }

  /** Closes as soon as nothing is in flight. */
  drain(): void {
    this.#isDraining = true;
    if (this.#isIdle) this.#channel.close('away');
  }

  /** Aborts what is in flight and closes at once. */
  destroy(): void {
    this.#channel.destroy();
    this.#abort();
  }

  get #isIdle(): boolean {
    return this.#inFlight.size === 0 && this.#backlog.length === 0;
  }

  #onMessage(message: Message): void {
    // The answer could not be sent any more, so the work would be lost. The other end sends the request elsewhere.
    if (!this.#channel.isOpen) return;
    this.#idleTimer.refresh();
    if (this.#inFlight.size < this.#settings.maxInFlight) this.#start(message);
    else if (this.#backlog.length < MAX_BACKLOG) this.#backlog.push(message);
    else this.#quit('flood');
  }

  #start(message: Message): void {
    const controller = new AbortController();
    this.#inFlight.add(controller);
    if (this.#inFlight.size >= this.#settings.maxInFlight) this.#setPaused(true);
    void this.#answer(message, controller).finally(() => this.#end(controller));
  }

  async #answer({ bytes, encoding }: Message, controller: AbortController): Promise<void> {
    const { signal } = controller;
    // The channel can carry events. The runtime decides whether to send them, by what the sender announced.
    const inbound = { bytes, encoding, peer: this.#peer, wantsStream: true, signal };
    try {
      let sent = 0;
      for await (const reply of this.#context.receive(inbound)) {
        await this.#send(reply);
        sent += 1;
        // A stream that never waits, with a reader that is as fast, would leave no turn to anybody else.
        if (sent % REPLIES_A_TURN === 0) await nextTurn();
      }
    } catch {
      controller.abort();
      // Without this answer the other end would wait for ever.
      if (this.#channel.isOpen) this.#quit('failed');
    }
  }

  #end(controller: AbortController): void {
    this.#inFlight.delete(controller);
    const next = this.#backlog.shift();
    if (next !== undefined) this.#start(next);
    else if (this.#inFlight.size < this.#settings.maxInFlight) this.#setPaused(false);
    if (!this.#isIdle) return;
    this.#idleTimer.refresh();
    if (this.#isDraining) this.#channel.close('away');
  }

  #setPaused(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#channel.pause();
    else this.#channel.resume();
  }

  /** A client that sends and never reads would hold its answers here for ever. */
  async #send(message: Message): Promise<void> {
    const timer = setTimeout(() => this.#channel.destroy(), this.#settings.stalledWriteTimeoutMs);
    try {
      await this.#channel.send(message);
    } finally {
      clearTimeout(timer);
    }
  }

  async #refuse(error: SdlError): Promise<void> {
    try {
      if (this.#channel.isOpen) await this.#send(await this.#context.refuse(error));
    } catch {
      // The other end has gone, which closes the channel as well.
    }
    this.#quit('done');
  }

  #onIdle(): void {
    if (this.#isIdle) this.#channel.close('away');
    else this.#idleTimer.refresh();
  }

  #quit(reason: CloseReason): void {
    this.#channel.close(reason);
    this.#abort();
  }

  #onClose(): void {
    clearTimeout(this.#idleTimer);
    this.#abort();
    this.#onClosed();
  }

  #abort(): void {
    this.#backlog.length = 0;
    for (const controller of this.#inFlight) controller.abort();
  }
}
