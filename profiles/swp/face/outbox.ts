// Owns what is to be sent on one connection: Results wait and are never dropped, of Events the newest of each task.
// Nothing is written faster than the other end reads. SPEC.md section 19 (#swp-pace, #swp-event).

import type { Socket } from 'node:net';
import type { EventMessage, SwpMessage } from '../wire/message.ts';
import { failureText } from './conditions.ts';
import { messageFrame } from './frames.ts';
import type { SwpSettings } from './options.ts';
import { Pace } from './pace.ts';
import { failedResult } from './told.ts';

/** What it needs of the settings of either side. */
export type OutboxSettings = Pick<
  SwpSettings,
  'sizes' | 'peerFramesPerSecond' | 'stalledWriteTimeoutMs' | 'now'
>;

interface Waiting {
  readonly make: () => SwpMessage;
  /** Of a Result. */
  readonly task: string | undefined;
}

interface PendingEvent {
  readonly make: () => EventMessage;
  readonly onSent: (() => void) | undefined;
}

/** Of the frames that the other end takes in a second, Events may be this part. */
const EVENT_PART = 100 / 128;
const MAX_EVENTS = 100;
/** So much may wait in the socket: more is made only when that was taken. */
const MAX_BUFFERED_BYTES = 262_144;
/** What a frame has beside its payload, at most. */
const FRAME_ROOM = 128;
const TOO_LARGE = failureText(
  { code: 'LIMIT_BYTES', message: 'the output is too large' },
  'execution failed',
);

export class Outbox {
  readonly #socket: Socket;
  readonly #settings: OutboxSettings;
  readonly #onIdle: () => void;
  /** Messages that must go out, in their order. */
  #queue: Waiting[] = [];
  /** Tasks whose Result is in the queue. */
  readonly #ending = new Set<string>();
  /** By task. */
  readonly #events = new Map<string, PendingEvent>();
  readonly #frames: Pace | undefined;
  readonly #eventPace: Pace | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stallTimer: NodeJS.Timeout | undefined;
  #isCorked = false;

  constructor(socket: Socket, settings: OutboxSettings, onIdle: () => void) {
    this.#socket = socket;
    this.#settings = settings;
    this.#onIdle = onIdle;
    const { peerFramesPerSecond: most } = settings;
    if (most > 0) {
      this.#frames = new Pace(most);
      this.#eventPace = new Pace(Math.max(1, Math.min(MAX_EVENTS, Math.floor(most * EVENT_PART))));
    }
    socket.on('drain', this.#onDrain);
    socket.on('close', this.#onClose);
  }

  get isEmpty(): boolean {
    return this.#queue.length === 0 && this.#events.size === 0;
  }

  /** Messages that wait to go out, without Events. */
  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * It waits for its place and is never left out. An Event of this task that still waits is over; a Result of it that
   * still waits is the same one, and goes out once.
   */
  push(make: () => SwpMessage, task?: string): void {
    if (task !== undefined) {
      this.#events.delete(task);
      if (this.#ending.has(task)) return;
      this.#ending.add(task);
    }
    this.#queue.push({ make, task });
    this.#flush();
  }

  /** In place of the one of this task that still waits. @param onSent called unless it was replaced. */
  event(task: string, make: () => EventMessage, onSent?: () => void): void {
    this.#events.set(task, { make, onSent });
    this.#flush();
  }

  readonly #onDrain = (): void => {
    clearTimeout(this.#stallTimer);
    this.#stallTimer = undefined;
    this.#flush();
  };

  readonly #onClose = (): void => {
    clearTimeout(this.#timer);
    clearTimeout(this.#stallTimer);
    this.#queue = [];
    this.#ending.clear();
    this.#events.clear();
  };

  #flush(): void {
    if (!this.#socket.writable) return;
    const now = performance.now();
    let sent = 0;
    let waitMs = 0;
    while (sent < this.#queue.length && !this.#isFull()) {
      waitMs = this.#frames?.waitMs(now) ?? 0;
      if (waitMs > 0) break;
      const { make, task } = this.#queue[sent]!;
      if (task !== undefined) this.#ending.delete(task);
      this.#write(make(), now);
      sent += 1;
    }
    if (sent > 0) this.#queue.splice(0, sent);
    if (waitMs === 0) waitMs = this.#flushEvents(now);
    if (this.#isFull()) this.#watchStall();
    else if (waitMs > 0) this.#flushLater(waitMs);
    if (this.isEmpty) this.#onIdle();
  }

  #flushEvents(now: number): number {
    for (const [task, { make, onSent }] of this.#events) {
      if (this.#isFull()) return 0;
      const waitMs = Math.max(this.#frames?.waitMs(now) ?? 0, this.#eventPace?.waitMs(now) ?? 0);
      if (waitMs > 0) return waitMs;
      this.#events.delete(task);
      this.#eventPace?.take(now);
      this.#write(make(), now);
      onSent?.();
    }
    return 0;
  }

  #isFull(): boolean {
    return this.#socket.writableLength > MAX_BUFFERED_BYTES;
  }

  #write(message: SwpMessage, now: number): void {
    const frame = messageFrame(message, this.#settings.now());
    if (!this.#fits(frame)) {
      if (message.type === 'result') this.#write(failedResult(message.taskId, TOO_LARGE), now);
      return;
    }
    this.#frames?.take(now);
    // What is written in one turn goes out in one piece.
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        this.#socket.uncork();
      });
    }
    this.#socket.write(frame);
  }

  /** Nobody is sent what we would not take ourselves. */
  #fits({ length }: Uint8Array): boolean {
    const { maxFrameBytes, maxPayloadBytes } = this.#settings.sizes;
    return length - 4 <= maxFrameBytes && length - FRAME_ROOM <= maxPayloadBytes;
  }

  #flushLater(waitMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, Math.ceil(waitMs));
  }

  #watchStall(): void {
    const { stalledWriteTimeoutMs } = this.#settings;
    this.#stallTimer ??= setTimeout(() => this.#socket.destroy(), stalledWriteTimeoutMs);
  }
}
