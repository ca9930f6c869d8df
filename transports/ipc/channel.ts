// Owns how a stream socket carries messages: one a frame. SPEC.md section 11 (#transport-ipc, #transport-timeouts).

import type { Socket } from 'node:net';
import { FrameReader, toSdlError, writeFrame } from '../../src/transport.ts';
import type { ChannelHandlers, CloseReason, Message, MessageChannel } from '../channel/channel.ts';
import { CLOSE_TIMEOUT_MS, encodingOf, SEND_BUFFER_BYTES } from '../channel/channel.ts';

export class IpcChannel implements MessageChannel {
  readonly #socket: Socket;
  readonly #reader: FrameReader;
  readonly #frameTimeoutMs: number;
  #frameTimer: NodeJS.Timeout | undefined;
  #closeTimer: NodeJS.Timeout | undefined;
  #isClosing = false;
  #how = 'the other end closed it';

  constructor(socket: Socket, maxBytes: number, frameTimeoutMs: number) {
    this.#socket = socket;
    this.#reader = new FrameReader(maxBytes);
    this.#frameTimeoutMs = frameTimeoutMs;
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#how = error.code ?? error.message;
    });
    socket.on('end', () => this.#closeSoon());
    socket.on('close', () => {
      clearTimeout(this.#frameTimer);
      clearTimeout(this.#closeTimer);
    });
  }

  get isOpen(): boolean {
    return !this.#isClosing && this.#socket.writable;
  }

  start(handlers: ChannelHandlers): void {
    this.#socket.on('data', (chunk) => this.#read(chunk, handlers));
    this.#socket.on('close', () => handlers.onClose(this.#how));
  }

  async send({ bytes }: Message): Promise<void> {
    if (!this.isOpen) throw new Error('the connection is closed');
    const written = new Promise<void>((resolve, reject) => {
      this.#socket.write(writeFrame(bytes), (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
    if (this.#socket.writableLength <= SEND_BUFFER_BYTES) {
      // If the write fails, the close of the channel reports it.
      written.catch(() => {});
    } else {
      await written;
    }
  }

  pause(): void {
    this.#socket.pause();
    this.#watchFrame(false);
  }

  resume(): void {
    this.#socket.resume();
    this.#watchFrame(this.#reader.isInsideFrame);
  }

  close(_reason: CloseReason): void {
    if (this.#isClosing) return;
    this.#how = 'this end closed it';
    this.#closeSoon();
    // While the socket is paused, it would not notice that the other end closes.
    this.#socket.resume();
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #closeSoon(): void {
    this.#isClosing = true;
    this.#closeTimer ??= setTimeout(() => this.destroy(), CLOSE_TIMEOUT_MS);
  }

  #read(chunk: Uint8Array, handlers: ChannelHandlers): void {
    const wasInside = this.#reader.isInsideFrame;
    let count = 0;
    try {
      for (const bytes of this.#reader.read(chunk)) {
        count += 1;
        handlers.onMessage({ bytes, encoding: encodingOf(bytes) });
      }
    } catch (thrown) {
      this.#socket.removeAllListeners('data').resume();
      this.#watchFrame(false);
      handlers.onInvalid(toSdlError(thrown));
      return;
    }
    const isInside = this.#reader.isInsideFrame;
    // Bytes that dribble in do not push the deadline out: only a new frame starts a new one.
    if (isInside !== wasInside || count > 0) this.#watchFrame(isInside && !this.#socket.isPaused());
  }

  #watchFrame(isRunning: boolean): void {
    clearTimeout(this.#frameTimer);
    if (isRunning) this.#frameTimer = setTimeout(() => this.#onHalfFrame(), this.#frameTimeoutMs);
  }

  #onHalfFrame(): void {
    this.#how = 'a frame stayed incomplete';
    this.destroy();
  }
}
