// Owns how far the message is that a client of a WebSocket is sending: the library keeps its pieces and does not tell of
// them. SPEC.md section 11 (#transport-ws, #net-unread).

import type { Duplex } from 'node:stream';
import type { Unfinished } from '../net/unread.ts';

const FIN = 0x80;
const MASKED = 0x80;
const CONTROL = 0x08;
const LENGTH = 0x7f;

export interface UnfinishedOptions {
  /** A message has begun and is not complete. */
  readonly onBegin: () => Unfinished | undefined;
  /** It is complete, or the connection has ended. */
  readonly onEnd: () => void;
}

/** Reads the heads of frames as they pass by (RFC 6455, 5.2), and judges none: that is for the library. */
export class UnfinishedMessage {
  readonly #options: UnfinishedOptions;
  readonly #head: number[] = [];
  /** Of the frame whose head is complete. */
  #left = 0;
  #isControl = false;
  /** The frame that came last was not the last of its message. */
  #isFragmented = false;
  /** Of this message, since it was last counted. */
  #bytes = 0;
  #isOpen = false;
  #unfinished: Unfinished | undefined;

  constructor(socket: Duplex, options: UnfinishedOptions) {
    this.#options = options;
    socket.on('data', (chunk: Uint8Array) => this.#read(chunk));
    socket.on('close', () => this.#end());
  }

  /** There is one. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** It is given up for its time. */
  drop(): void {
    this.#unfinished?.drop();
  }

  #read(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#left === 0) {
        this.#head.push(chunk[at]!);
        at += 1;
        if (this.#head.length === headLength(this.#head)) this.#begin();
      } else {
        const taken = Math.min(this.#left, chunk.length - at);
        at += taken;
        this.#left -= taken;
        if (!this.#isControl) this.#bytes += taken;
        if (this.#left === 0) this.#complete();
      }
    }
    if (this.#head.length === 0 && this.#left === 0 && !this.#isFragmented) this.#end();
    else this.#count();
  }

  #begin(): void {
    const [first = 0] = this.#head;
    this.#isControl = (first & CONTROL) !== 0;
    if (!this.#isControl) this.#isFragmented = (first & FIN) === 0;
    this.#left = payloadLength(this.#head);
    this.#head.length = 0;
    if (this.#left === 0) this.#complete();
  }

  #complete(): void {
    if (!this.#isControl && !this.#isFragmented) this.#end();
  }

  #count(): void {
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.#unfinished = this.#options.onBegin();
    }
    const bytes = this.#bytes;
    this.#bytes = 0;
    this.#unfinished?.grow(bytes);
  }

  #end(): void {
    this.#bytes = 0;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#unfinished?.done();
    this.#unfinished = undefined;
    this.#options.onEnd();
  }
}

/** Of what is known so far. */
function headLength([, second]: readonly number[]): number {
  if (second === undefined) return 2;
  const length = second & LENGTH;
  const extended = length === 127 ? 8 : length === 126 ? 2 : 0;
  return 2 + extended + ((second & MASKED) === 0 ? 0 : 4);
}

function payloadLength(head: readonly number[]): number {
  const length = head[1]! & LENGTH;
  if (length < 126) return length;
  const end = length === 126 ? 4 : 10;
  let sum = 0;
  for (let at = 2; at < end; at += 1) sum = sum * 256 + head[at]!;
  return sum;
}
