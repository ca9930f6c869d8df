// Owns pings and pongs of one WebSocket: the other end's are answered one at a time and counted, and only the pong that
// was asked for is a sign of life. SPEC.md section 11 (#transport-ws, #transport-timeouts).

import type { WebSocket } from 'ws';
import { SEND_BUFFER_BYTES } from '../channel/channel.ts';

/** Control frames of one connection in a second; who sends more has no use for the answers. */
const MAX_A_SECOND = 32;
const SECOND_MS = 1_000;

/** The socket must leave its pings to this (`autoPong: false`): the library answers each, read or not. */
export class ControlFrames {
  readonly #socket: WebSocket;
  readonly #onFlood: () => void;
  #secondBegan = 0;
  #inSecond = 0;
  /** A pong is on its way and has not left this process. */
  #isAnswering = false;
  /** The last ping that came meanwhile: by RFC 6455 it answers for those before it. */
  #unanswered: Uint8Array | undefined;
  /** How often this end has asked; the text of its last ping. */
  #asked = 0;
  #isDue = false;

  constructor(socket: WebSocket, onFlood: () => void) {
    this.#socket = socket;
    this.#onFlood = onFlood;
    socket.on('ping', (data: Uint8Array) => {
      if (this.#count()) this.#answer(data);
    });
    socket.on('pong', (data: Uint8Array) => {
      if (this.#count() && String(this.#asked) === Buffer.from(data).toString('latin1'))
        this.heard();
    });
  }

  /** The other end was asked and has said nothing since. */
  get isDue(): boolean {
    return this.#isDue;
  }

  /** It is there, or nobody could have heard it. */
  heard(): void {
    this.#isDue = false;
  }

  ask(): void {
    this.#asked += 1;
    this.#isDue = true;
    this.#socket.ping(String(this.#asked));
  }

  /** False for one too many. */
  #count(): boolean {
    const now = performance.now();
    if (now - this.#secondBegan >= SECOND_MS) {
      this.#secondBegan = now;
      this.#inSecond = 0;
    }
    this.#inSecond += 1;
    if (this.#inSecond === MAX_A_SECOND + 1) this.#onFlood();
    return this.#inSecond <= MAX_A_SECOND;
  }

  #answer(data: Uint8Array): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    if (this.#isAnswering || socket.bufferedAmount > SEND_BUFFER_BYTES) {
      this.#unanswered = data;
      return;
    }
    this.#isAnswering = true;
    this.#unanswered = undefined;
    socket.pong(data, undefined, () => {
      this.#isAnswering = false;
      if (this.#unanswered !== undefined) this.#answer(this.#unanswered);
    });
  }
}
