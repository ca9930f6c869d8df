// Owns the giving side: Tasks out, Events and Results back, over connections that are made anew when they are lost.
// Nothing of a Task is lost by that: it is sent again, and an equal one is joined. SPEC.md section 19 (#swp-client).

import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { TransportError } from '../../../src/transport.ts';
import { messageFrame } from '../face/frames.ts';
import { DEFAULT_STALL_MS, checkPace } from '../face/options.ts';
import type { OutboxSettings } from '../face/outbox.ts';
import { Outbox } from '../face/outbox.ts';
import { judgeEnvelope, readEnvelope } from '../wire/envelope.ts';
import { SwpFrameReader } from '../wire/frame-reader.ts';
import type {
  EventMessage,
  HandshakeMessage,
  ResultMessage,
  SwpMessage,
  TaskMessage,
} from '../wire/message.ts';
import { checkMessage, invalid } from '../wire/message.ts';
import { readPayload } from '../wire/read-payload.ts';
import { SwpRefusal } from '../wire/refusal.ts';
import type { SwpSizes } from '../wire/rules.ts';
import { A2A_PROFILE, resolveLimits } from '../wire/rules.ts';
import { writePayload } from '../wire/write-payload.ts';
import { dialSwp } from './dial.ts';
import type { OnEvent } from './given-task.ts';
import { GivenTask } from './given-task.ts';
import type { SwpClientOptions, SwpPlace } from './options.ts';
import { checkSecure, parseSwpAddress } from './options.ts';

export interface GiveOptions {
  /** @default none */
  readonly input?: string | Uint8Array;
  /** Text stands for its octets in UTF-8. @default a new one */
  readonly taskId?: string | Uint8Array;
  readonly onEvent?: OnEvent;
}

export interface SwpClient {
  /** What the other end says of itself, once it has. */
  readonly peer: HandshakeMessage | undefined;
  /** Gives a Task; resolves with its Result, also one of a failure. Rejects with a `TransportError` when nobody is there. */
  give(kind: string, options?: GiveOptions): Promise<ResultMessage>;
  /** What has no Result yet rejects. The tasks go on: give them again to hear of them. */
  close(): Promise<void>;
}

const PROFILES: ReadonlySet<bigint> = new Set([A2A_PROFILE]);
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 5_000;
/** A connection that lasts no longer counts as refused; so many in a row, and nobody tries again. */
const SHORT_MS = 1_000;
const MAX_SHORT = 5;
/** More than a frame has beside the input of a Task. */
const FRAME_ROOM = 2_048;
/** Tasks whose Result is known are remembered, so that what comes late is known to be late. */
const MAX_REMEMBERED = 10_000;

export class ReconnectingClient implements SwpClient {
  readonly #place: SwpPlace;
  readonly #options: SwpClientOptions;
  readonly #sizes: SwpSizes;
  readonly #sending: OutboxSettings;
  readonly #open = new Map<string, GivenTask>();
  readonly #ended = new Map<string, GivenTask>();
  #peer: HandshakeMessage | undefined;
  /** Of the connection that stands. */
  #socket: Socket | undefined;
  #outbox: Outbox | undefined;
  #connecting: Promise<void> | undefined;
  #hasMet = false;
  #shortOnes = 0;
  #isClosed = false;

  constructor(address: string, options: SwpClientOptions) {
    this.#place = parseSwpAddress(address);
    checkSecure(this.#place, options.tls);
    this.#options = options;
    this.#sizes = resolveLimits(options);
    this.#sending = {
      sizes: this.#sizes,
      peerFramesPerSecond: checkPace(options.peerFramesPerSecond),
      stalledWriteTimeoutMs: DEFAULT_STALL_MS,
      now: Date.now,
    };
  }

  get peer(): HandshakeMessage | undefined {
    return this.#peer;
  }

  give(kind: string, options: GiveOptions = {}): Promise<ResultMessage> {
    const { input = '', taskId = randomUUID(), onEvent } = options;
    const message: TaskMessage = {
      type: 'task',
      taskId: octetsOf(taskId),
      kind,
      input: octetsOf(input),
    };
    try {
      checkMessage(message);
      checkSize(message, this.#sizes);
    } catch (thrown) {
      return Promise.reject(thrown);
    }
    if (this.#isClosed) return Promise.reject(closedError());
    const task = new GivenTask(message, onEvent);
    const key = keyOf(message.taskId);
    if (this.#open.has(key)) {
      return Promise.reject(new TypeError('"taskId" expected one that is not under way'));
    }
    this.#ended.delete(key);
    this.#open.set(key, task);
    if (this.#socket === undefined) this.#connect();
    else this.#send(message);
    return task.result;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#failAll(closedError());
    this.#socket?.destroySoon();
    await this.#connecting;
  }

  #connect(): void {
    this.#connecting ??= this.#reconnect()
      .catch((cause: unknown) => this.#failAll(cause))
      .finally(() => (this.#connecting = undefined));
  }

  async #reconnect(): Promise<void> {
    const { tls, connectTimeoutMs = 10_000, reconnectForMs = 60_000 } = this.#options;
    const until = Date.now() + reconnectForMs;
    for (let delayMs = this.#shortOnes === 0 ? 0 : FIRST_DELAY_MS; !this.#isClosed;) {
      if (delayMs > 0) await pause(delayMs * (0.5 + Math.random() / 2));
      try {
        const socket = await dialSwp(this.#place, tls, connectTimeoutMs);
        if (this.#isClosed) socket.destroy();
        else this.#use(socket);
        return;
      } catch (cause) {
        // The first one tells who is wrong about the address at once.
        const isFinal = cause instanceof TransportError && !cause.isRetryable;
        if (!this.#hasMet || isFinal || Date.now() >= until) throw cause;
        delayMs = Math.min(MAX_DELAY_MS, Math.max(FIRST_DELAY_MS, delayMs * 2));
      }
    }
  }

  #use(socket: Socket): void {
    this.#socket = socket;
    this.#outbox = new Outbox(socket, this.#sending, () => undefined);
    this.#hasMet = true;
    this.#peer = undefined;
    const began = Date.now();
    const reader = new SwpFrameReader(this.#sizes.maxFrameBytes);
    socket.on('data', (chunk) => this.#read(socket, reader, chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => this.#onLost(socket, Date.now() - began));
    const { handshake } = this.#options;
    if (handshake !== undefined) this.#send({ type: 'handshake', capabilities: [], ...handshake });
    for (const { message } of this.#open.values()) this.#send(message);
  }

  #onLost(socket: Socket, lastedMs: number): void {
    if (this.#socket === socket) {
      this.#socket = undefined;
      this.#outbox = undefined;
    }
    this.#shortOnes = lastedMs < SHORT_MS ? this.#shortOnes + 1 : 0;
    if (this.#open.size === 0 || this.#isClosed) return;
    if (this.#shortOnes >= MAX_SHORT) {
      this.#shortOnes = 0;
      const words = 'the other end closes every connection: it may not know who we are';
      this.#failAll(new TransportError('refused', words));
    } else this.#connect();
  }

  #send(message: SwpMessage): void {
    this.#outbox?.push(() => message);
  }

  #read(socket: Socket, reader: SwpFrameReader, chunk: Uint8Array): void {
    try {
      reader.read(chunk, (body) => {
        this.#take(body);
        return true;
      });
    } catch (thrown) {
      if (!(thrown instanceof SwpRefusal)) throw thrown;
      this.#options.onRefused?.(thrown, undefined);
      socket.destroy();
    }
  }

  #take(body: Uint8Array): void {
    let message: SwpMessage | undefined;
    try {
      const envelope = readEnvelope(body, this.#sizes);
      judgeEnvelope(envelope, { profiles: PROFILES, maxPayloadBytes: this.#sizes.maxPayloadBytes });
      message = readPayload(envelope.payload, envelope.msgType);
      this.#handle(message);
      this.#shortOnes = 0;
    } catch (thrown) {
      if (!(thrown instanceof SwpRefusal) || thrown.closes) throw thrown;
      const taskId =
        message === undefined || message.type === 'handshake' ? undefined : message.taskId;
      this.#options.onRefused?.(thrown, taskId);
    }
  }

  #handle(message: SwpMessage): void {
    if (message.type === 'task') throw invalid('no Tasks are done here');
    if (message.type === 'handshake') {
      if (this.#peer !== undefined && this.#peer.agentId !== message.agentId) {
        throw invalid('the other end was somebody else a moment ago');
      }
      this.#peer = message;
      return;
    }
    this.#hear(message);
  }

  #hear(message: EventMessage | ResultMessage): void {
    const key = keyOf(message.taskId);
    const task = this.#open.get(key) ?? this.#ended.get(key);
    if (task === undefined) {
      throw new SwpRefusal('INVALID_PROFILE_PAYLOAD', 'there is no such Task', {
        cause: 'TASK_UNKNOWN',
      });
    }
    if (!task.take(message)) return;
    this.#open.delete(key);
    this.#ended.set(key, task);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > MAX_REMEMBERED) this.#ended.delete(oldest!);
  }

  #failAll(cause: unknown): void {
    const failed = [...this.#open.values()];
    this.#open.clear();
    for (const task of failed) task.fail(cause);
  }
}

function octetsOf(value: string | Uint8Array): Uint8Array {
  return typeof value === 'string' ? new TextEncoder().encode(value) : value;
}

/** The other end would close the connection at it, every time. */
function checkSize(message: TaskMessage, { maxFrameBytes, maxPayloadBytes }: SwpSizes): void {
  const most = Math.min(maxFrameBytes, maxPayloadBytes);
  if (message.input.length + FRAME_ROOM <= most) return;
  const { length } = messageFrame(message, Date.now());
  if (length - 4 <= maxFrameBytes && writePayload(message).length <= maxPayloadBytes) return;
  throw new SwpRefusal('INVALID_ENVELOPE', 'the Task is larger than a frame may be', {
    cause: 'LIMIT_BYTES',
  });
}

/** As text without loss. */
function keyOf(taskId: Uint8Array): string {
  return Buffer.from(taskId.buffer, taskId.byteOffset, taskId.length).toString('latin1');
}

function closedError(): TransportError {
  return new TransportError('aborted', 'the client was closed');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
