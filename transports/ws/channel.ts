// Owns how a WebSocket carries messages: one envelope each, text for JSON and binary for CBOR. It watches that the
// other end is there. SPEC.md section 11 (#transport-ws, #transport-timeouts).

import type { RawData, WebSocket } from 'ws';
import { SdlError } from '../../src/transport.ts';
import type { ChannelHandlers, CloseReason, Message, MessageChannel } from '../channel/channel.ts';
import { CLOSE_TIMEOUT_MS, encodingOf, SEND_BUFFER_BYTES } from '../channel/channel.ts';
import { ControlFrames } from './control-frames.ts';

/** Where a WebSocket is asked for. */
export const WS_PATH = '/a2a';
/** Offered by a client, chosen by a server, demanded by neither. */
export const WS_PROTOCOL = 'a2a-sdl.v1';

/** 1009, too large, and 1007, text that is not UTF-8, are sent by the library. */
const CLOSE_CODES: Readonly<Record<CloseReason, number>> = {
  done: 1000,
  away: 1001,
  flood: 1008,
  failed: 1011,
  busy: 1013,
};

const TOO_LARGE = 1009;

/** The library takes 0 for "no limit". */
export function maxPayloadOf(maxBytes: number): number {
  return Math.max(1, maxBytes);
}

export class WsChannel implements MessageChannel {
  readonly #socket: WebSocket;
  readonly #pingTimer: NodeJS.Timeout;
  readonly #control: ControlFrames;
  #closeTimer: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, pingIntervalMs: number) {
    this.#socket = socket;
    this.#pingTimer = setInterval(() => this.#ping(), pingIntervalMs);
    this.#control = new ControlFrames(socket, () => this.close('flood'));
    // The library has begun to close by itself, but it would wait far longer for the other end.
    socket.on('error', () => this.#closeSoon());
    socket.on('close', () => {
      clearInterval(this.#pingTimer);
      clearTimeout(this.#closeTimer);
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  start(handlers: ChannelHandlers): void {
    this.#socket.on('message', (data, isBinary) => {
      this.#control.heard();
      const bytes = bytesOf(data);
      handlers.onMessage({ bytes, encoding: isBinary ? encodingOf(bytes) : 'json' });
    });
    this.#socket.on('error', (error: Error & { readonly code?: string }) => {
      // Other errors are those of the connection.
      if (error.code?.startsWith('WS_ERR_') === true) handlers.onInvalid(invalid(error));
    });
    this.#socket.on('close', (code) => handlers.onClose(`code ${code}`, code === TOO_LARGE));
  }

  async send({ bytes, encoding }: Message): Promise<void> {
    const socket = this.#socket;
    const written = new Promise<void>((resolve, reject) => {
      socket.send(bytes, { binary: encoding === 'cbor' }, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
    if (this.isOpen && socket.bufferedAmount <= SEND_BUFFER_BYTES) {
      // If the write fails, the close of the channel reports it.
      written.catch(() => {});
    } else {
      await written;
    }
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#control.heard();
    this.#socket.resume();
  }

  close(reason: CloseReason): void {
    if (!this.isOpen) return;
    // While the socket is paused, it would not read the close of the other end.
    this.#socket.resume();
    this.#socket.close(CLOSE_CODES[reason]);
    this.#closeSoon();
  }

  destroy(): void {
    this.#socket.terminate();
  }

  #closeSoon(): void {
    this.#closeTimer ??= setTimeout(() => this.destroy(), CLOSE_TIMEOUT_MS);
  }

  #ping(): void {
    // While reading is paused no pong can arrive, so its absence proves nothing.
    if (!this.isOpen || this.#socket.isPaused) return;
    if (this.#control.isDue) this.destroy();
    else this.#control.ask();
  }
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function invalid(cause: Error & { readonly code?: string }): SdlError {
  const isTooLarge = cause.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
  return new SdlError(
    isTooLarge ? 'LIMIT_BYTES' : 'ENCODING_INVALID',
    'the WebSocket message is refused',
    { cause },
  );
}
