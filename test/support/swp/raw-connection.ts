// Owns one bare connection that speaks SWP octets: what is written goes out as it is, what comes back is read frame by
// frame.

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';

import { onTestFinished } from 'vitest';

import { decodeStream } from '../../../profiles/swp/index.ts';
import type { SwpFrameForm, SwpMessageForm } from '../../../profiles/swp/index.ts';
import { FrameReader, writeFrame } from '../../../src/codec/frame.ts';

export type OfType<T extends SwpMessageForm['type']> = Extract<
  SwpMessageForm,
  { readonly type: T }
>;

export class RawConnection {
  readonly socket: Socket;
  readonly frames: SwpFrameForm[] = [];
  /** The octets of each, with their length. */
  readonly raw: Uint8Array[] = [];
  readonly closed: Promise<unknown>;
  /** The Task that was given last, where who sends it wants it kept. */
  lastTask: OfType<'task'> | undefined;
  #wake = (): void => undefined;
  #isClosed = false;

  constructor(socket: Socket) {
    this.socket = socket;
    const reader = new FrameReader(16_777_216);
    socket.on('data', (chunk) => {
      for (const body of reader.read(chunk)) {
        const bytes = writeFrame(body);
        this.raw.push(bytes);
        this.frames.push(...decodeStream(bytes, { maxFrameBytes: 16_777_216 }));
      }
      this.#wake();
    });
    socket.on('error', () => undefined);
    this.closed = new Promise<void>((resolve) => socket.on('close', () => resolve())).then(() => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  /** To `HOST:PORT` or `unix:PATH`. */
  static async open(address: string): Promise<RawConnection> {
    const [host, port] = address.split(':');
    const socket =
      host === 'unix' ? connect(address.slice(5)) : connect({ host: host!, port: Number(port) });
    const made = new RawConnection(socket);
    await once(socket, 'connect');
    onTestFinished(() => void socket.destroy());
    return made;
  }

  send(...frames: readonly Uint8Array[]): void {
    this.socket.write(Buffer.concat(frames));
  }

  get messages(): readonly SwpMessageForm[] {
    return this.frames.flatMap(({ message }) => (message === undefined ? [] : [message]));
  }

  of<T extends SwpMessageForm['type']>(type: T): readonly OfType<T>[] {
    return this.messages.filter((message): message is OfType<T> => message.type === type);
  }

  /** Resolves when something more has come. */
  more(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  /** Resolves when there are so many messages of this type. Fails when the connection ends before. */
  async until<T extends SwpMessageForm['type']>(type: T, count = 1): Promise<readonly OfType<T>[]> {
    while (this.of(type).length < count) {
      if (this.#isClosed) throw new Error(`the connection ended: ${JSON.stringify(this.messages)}`);
      await this.more();
    }
    return this.of(type);
  }
}
