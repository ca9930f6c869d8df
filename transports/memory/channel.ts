// Owns a pair of channels that lead to each other inside one process. SPEC.md section 11 (#transport-same).

import { SdlError } from '../../src/transport.ts';
import type { ChannelHandlers, Message, MessageChannel } from '../channel/channel.ts';
import { SEND_BUFFER_BYTES } from '../channel/channel.ts';

interface Sent {
  readonly message: Message;
  readonly onTaken: () => void;
  readonly onLost: (error: Error) => void;
}

/** Two ends; each refuses messages of more bytes than it takes. */
export function createChannelPair(
  maxBytes: number,
  otherMaxBytes: number,
): readonly [MessageChannel, MessageChannel] {
  const one = new MemoryChannel(maxBytes);
  const other = new MemoryChannel(otherMaxBytes);
  one.other = other;
  other.other = one;
  return [one, other];
}

class MemoryChannel implements MessageChannel {
  other!: MemoryChannel;
  readonly #maxBytes: number;
  /** What the other end has sent and this one has not taken. */
  readonly #arrived: Sent[] = [];
  #arrivedBytes = 0;
  #handlers: ChannelHandlers | undefined;
  #isPaused = false;
  /** The other end sends no more. */
  #isEnding = false;
  #isClosed = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isOpen(): boolean {
    return !this.#isClosed;
  }

  start(handlers: ChannelHandlers): void {
    this.#handlers = handlers;
    this.#schedule();
  }

  send({ bytes, encoding }: Message): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed || this.other.#isClosed) {
        reject(closed());
        return;
      }
      // A copy, as on every other way: neither end can change what the other holds.
      const message = { bytes: bytes.slice(), encoding };
      const hasRoom = this.other.#arrivedBytes + bytes.length <= SEND_BUFFER_BYTES;
      if (hasRoom) resolve();
      this.other.#arrive({ message, onTaken: resolve, onLost: reject });
    });
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#schedule();
  }

  close(): void {
    this.destroy();
  }

  destroy(): void {
    this.#end('this end closed it');
    this.other.#isEnding = true;
    this.other.#schedule();
  }

  #arrive(sent: Sent): void {
    this.#arrived.push(sent);
    this.#arrivedBytes += sent.message.bytes.length;
    this.#schedule();
  }

  /** Never inside the call that sent it, as on every other way. */
  #schedule(): void {
    setImmediate(() => this.#deliver());
  }

  #deliver(): void {
    while (!this.#isPaused && !this.#isClosed && this.#handlers !== undefined) {
      const sent = this.#arrived.shift();
      if (sent === undefined) {
        if (this.#isEnding) this.#end('the other end closed it');
        return;
      }
      this.#arrivedBytes -= sent.message.bytes.length;
      sent.onTaken();
      this.#hand(sent.message, this.#handlers);
    }
  }

  #hand(message: Message, handlers: ChannelHandlers): void {
    const { length } = message.bytes;
    if (length <= this.#maxBytes) {
      handlers.onMessage(message);
      return;
    }
    handlers.onInvalid(
      new SdlError('LIMIT_BYTES', `${length} bytes exceed ${this.#maxBytes}`, {
        details: { limit: this.#maxBytes },
      }),
    );
  }

  #end(how: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { onLost } of this.#arrived.splice(0)) onLost(closed());
    this.#arrivedBytes = 0;
    setImmediate(() => this.#handlers?.onClose(how));
  }
}

function closed(): Error {
  return new Error('the channel is closed');
}
