// Owns how a WebSocket carries messages: one envelope each, text for JSON and binary for CBOR. It watches that the
// other end is there. SPEC.md section 11 (#transport-ws, #transport-timeouts).

import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { SdlError } from '../../src/transport.ts';
import type { ChannelHandlers, CloseReason, Message, MessageChannel } from '../channel/channel.ts';
import { CLOSE_TIMEOUT_MS, encodingOf, SEND_BUFFER_BYTES } from '../channel/channel.ts';
import type { Waits } from '../net/waits.ts';
import { ControlFrames } from './control-frames.ts';
import { UnfinishedMessage } from './unfinished.ts';

/** Where a WebSocket is asked for. */
export const WS_PATH = '/a2a';
/** Offered by a client, chosen by a server, demanded by neither. */
export const WS_PROTOCOL = 'a2a-sdl.v1';

/** 1009, too large, and 1007, text that is not UTF-8, are sent by the library. */
const CLOSE_CODES: Readonly<Record<CloseReason, number>> = {
  done: 1000,
  away: 1001,
  flood: 1008,
  slow: 1008,
  failed: 1011,
  busy: 1013,
};

const TOO_LARGE = 1009;

/** The library takes 0 for "no limit". */
export function maxPayloadOf(maxBytes: number): number {
  return Math.max(1, maxBytes);
}

/** The listening end of a connection: what comes there is not trusted to come to its end. */
export interface WsServed {
  /** What the library reads. */
  readonly socket: Duplex;
  /** Of messages that are not complete: {@link WsChannel.giveUpReading} when it was long enough. */
  readonly incomplete: Waits<WsChannel>;
}

export class WsChannel implements MessageChannel {
  readonly #socket: WebSocket;
  readonly #pingTimer: NodeJS.Timeout;
  readonly #control: ControlFrames;
  readonly #served: WsServed | undefined;
  #unfinished: UnfinishedMessage | undefined;
  #onControl: (() => void) | undefined;
  #closeTimer: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, pingIntervalMs: number, served?: WsServed) {
    this.#socket = socket;
    this.#served = served;
    this.#pingTimer = setInterval(() => this.#ping(), pingIntervalMs);
    this.#control = new ControlFrames(socket, {
      onFrame: () => this.#onControl?.(),
      onFlood: () => this.close('flood'),
    });
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
    this.#onControl = handlers.onControl?.bind(handlers);
    if (this.#served !== undefined) this.#watchUnfinished(this.#served, handlers);
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
    // What is not read on cannot become complete: its time stands still.
    this.#served?.incomplete.stop(this);
  }

  resume(): void {
    this.#control.heard();
    if (this.#unfinished?.isOpen === true) this.#served?.incomplete.begin(this);
    this.#socket.resume();
  }

  close(reason: CloseReason): void {
    if (!this.isOpen) return;
    // While the socket is paused, it would not read the close of the other end.
    this.#socket.resume();
    if (reason === 'flood') this.#readNoMore();
    this.#socket.close(CLOSE_CODES[reason]);
    this.#closeSoon();
  }

  destroy(): void {
    this.#socket.terminate();
  }

  /** A message is not complete in time. */
  giveUpReading(): void {
    this.#unfinished?.drop();
  }

  #watchUnfinished({ socket, incomplete }: WsServed, handlers: ChannelHandlers): void {
    this.#unfinished = new UnfinishedMessage(socket, {
      onBegin: () => {
        incomplete.begin(this);
        return handlers.onUnfinished?.(() => this.close('slow'));
      },
      onEnd: () => incomplete.stop(this),
    });
  }

  /** Who sends too much is not worth a look; but what is left unread would take our close along with the connection. */
  #readNoMore(): void {
    this.#served?.socket.removeAllListeners('data').resume();
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
