// Owns the dialing end of one channel: each answer goes to the exchange that it belongs to, and a reader that lags
// makes the other end wait instead of filling memory. SPEC.md section 11 (#transport-correlation).

import type {
  AnswerHead,
  Connection,
  Incoming,
  Limits,
  Outbound,
  SdlError,
} from '../../src/transport.ts';
import { TransportError, peekAnswer } from '../../src/transport.ts';
import { abortedError } from '../net/aborted.ts';
import type { Message, MessageChannel } from './channel.ts';
import { PendingExchange } from './pending-exchange.ts';

export interface DemuxOptions {
  readonly limits: Limits;
  readonly stallTimeoutMs: number;
}

/** Bytes of answers that their readers have not taken yet. Above this, nothing more is read from the channel. */
const MAX_QUEUED_BYTES = 1_048_576;

/** A connection that says how many messages it dropped because they answer nothing that it waits for. */
export interface DemuxedConnection extends Connection {
  readonly dropped: number;
}

export function demultiplex(channel: MessageChannel, options: DemuxOptions): DemuxedConnection {
  return new Demux(channel, options);
}

class Demux implements DemuxedConnection {
  readonly #channel: MessageChannel;
  readonly #limits: Limits;
  readonly #stallTimeoutMs: number;
  /** Those that wait for their `res`, by request id. */
  readonly #waiting = new Map<string, PendingExchange>();
  /** Those that were not read to their end. */
  readonly #unread = new Set<PendingExchange>();
  readonly #closed: Promise<void>;
  #onClosed!: () => void;
  #stallTimer: NodeJS.Timeout | undefined;
  /** Answers that may still come to exchanges that were given up. */
  #owed = 0;
  #dropped = 0;

  constructor(channel: MessageChannel, options: DemuxOptions) {
    this.#channel = channel;
    this.#limits = options.limits;
    this.#stallTimeoutMs = options.stallTimeoutMs;
    this.#closed = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
    channel.start({
      onMessage: (message) => this.#onMessage(message),
      onInvalid: (error) => this.#onInvalid(error),
      onClose: (how, isTooLarge) => this.#onClose(how, isTooLarge),
    });
  }

  get isOpen(): boolean {
    return this.#channel.isOpen;
  }

  get dropped(): number {
    return this.#dropped;
  }

  async *exchange(outbound: Outbound): AsyncGenerator<Incoming, void> {
    const { signal } = outbound;
    if (signal.aborted) throw abortedError(signal);
    this.#assertOpen();
    if (this.#waiting.has(outbound.id)) {
      throw new TypeError('"outbound.id" expected the id of a request that is not in flight');
    }
    const exchange = new PendingExchange(outbound);
    const onAbort = (): void => exchange.fail(abortedError(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.set(outbound.id, exchange);
    this.#unread.add(exchange);
    try {
      await exchange.orTakeable(this.#channel.send(outbound));
      for (;;) {
        const message = await exchange.take();
        if (message === undefined) return;
        this.#stallTimer?.refresh();
        this.#balance();
        yield message;
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#release(exchange);
    }
  }

  async notify(outbound: Outbound): Promise<void> {
    if (outbound.signal.aborted) throw abortedError(outbound.signal);
    this.#assertOpen();
    try {
      await this.#channel.send(outbound);
    } catch (cause) {
      throw new TransportError('lost', 'the connection closed before the event was sent', cause);
    }
  }

  async close(): Promise<void> {
    // A closing handshake cannot be read while reading is paused.
    this.#channel.resume();
    this.#channel.close('done');
    await this.#closed;
  }

  #assertOpen(): void {
    if (!this.isOpen) throw new TransportError('unreachable', 'the connection is closed');
  }

  #onMessage(message: Message): void {
    const head = peekAnswer(message.bytes, message.encoding, this.#limits);
    const exchange = this.#exchangeFor(head);
    if (exchange === undefined) {
      this.#dropped += 1;
      if (head?.type !== 'evt' && this.#owed > 0) this.#owed -= 1;
      return;
    }
    if (head?.type !== 'res' && head?.type !== 'evt') {
      this.#waiting.delete(exchange.id);
      exchange.fail(new TransportError('protocol', 'what came back is no answer'));
      return;
    }
    if (head.type === 'res') this.#waiting.delete(exchange.id);
    exchange.put({ ...message, decoded: head.decoded }, head.type === 'res');
    this.#balance();
  }

  /** A message that names a request belongs to it or to nobody. One that names none belongs to the only open one. */
  #exchangeFor(head: AnswerHead | undefined): PendingExchange | undefined {
    if (head?.re !== undefined) return this.#waiting.get(head.re);
    if (head?.parentSpanId !== undefined) {
      return [...this.#waiting.values()].find(({ spanId }) => spanId === head.parentSpanId);
    }
    const [only] = this.#waiting.values();
    return this.#waiting.size === 1 && this.#owed === 0 ? only : undefined;
  }

  #release(exchange: PendingExchange): void {
    this.#unread.delete(exchange);
    if (this.#waiting.get(exchange.id) === exchange) {
      this.#waiting.delete(exchange.id);
      this.#owed += 1;
    }
    this.#balance();
  }

  /** Reads from the channel only while little waits to be taken. */
  #balance(): void {
    let queuedBytes = 0;
    for (const exchange of this.#unread) queuedBytes += exchange.queuedBytes;
    const isFull = queuedBytes > MAX_QUEUED_BYTES;
    if (isFull && this.#stallTimer === undefined) {
      this.#channel.pause();
      this.#stallTimer = setTimeout(() => this.#onStall(), this.#stallTimeoutMs);
    } else if (!isFull && this.#stallTimer !== undefined) {
      clearTimeout(this.#stallTimer);
      this.#stallTimer = undefined;
      this.#channel.resume();
    }
  }

  /** A slow reader may itself wait for the answer of another exchange, which would otherwise never be read. */
  #onStall(): void {
    const isAnyoneStarved = [...this.#waiting.values()].some(
      ({ queuedBytes }) => queuedBytes === 0,
    );
    if (isAnyoneStarved) {
      const [slowest] = [...this.#unread].sort((a, b) => b.queuedBytes - a.queuedBytes);
      if (slowest !== undefined) {
        slowest.fail(new TransportError('lost', 'the answers were not read in time'));
        this.#release(slowest);
      }
    }
    this.#stallTimer?.refresh();
  }

  #onInvalid(error: SdlError): void {
    // With several open requests nobody can say which one this should have answered. `lost` lets all of them ask again.
    const isOfOne = this.#waiting.size === 1 && this.#owed === 0;
    this.#failAll(isOfOne ? 'protocol' : 'lost', 'what came back is no message', error);
    this.#channel.destroy();
  }

  #onClose(how: string, isTooLarge = false): void {
    clearTimeout(this.#stallTimer);
    if (isTooLarge && this.#waiting.size === 1) {
      // Sending it again would fail again. With several open requests nobody could say which one is too large.
      this.#failAll('protocol', 'the other end refuses the request: it is too large');
    }
    this.#failAll('lost', `the connection closed before the answer came: ${how}`);
    this.#onClosed();
  }

  #failAll(fault: 'lost' | 'protocol', words: string, cause?: unknown): void {
    for (const exchange of this.#waiting.values()) {
      exchange.end(new TransportError(fault, words, cause));
    }
  }
}
