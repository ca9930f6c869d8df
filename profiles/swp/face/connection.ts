// Owns one connection whose other end is known: frames in, what they ask of the door, frames out. What it needs only while
// something happens is made only then. SPEC.md section 19 (#swp-lifecycle, #swp-handshake, #swp-refusals).

import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import type { Authenticated, CallContext } from '../../../src/door/index.ts';
import type { ListenContext, PeerFacts } from '../../../src/transport.ts';
import { toHex } from '../wire/form.ts';
import { SwpFrameReader } from '../wire/frame-reader.ts';
import type { HandshakeMessage, SwpMessage, TaskMessage } from '../wire/message.ts';
import { MAX_CAPABILITIES, MAX_TEXT_BYTES, invalid } from '../wire/message.ts';
import { SwpRefusal } from '../wire/refusal.ts';
import { FACE } from './asked.ts';
import type { Incoming } from './inbound.ts';
import { Inbound } from './inbound.ts';
import type { SwpSettings } from './options.ts';
import { Outbox } from './outbox.ts';
import { TaskDesk } from './task-desk.ts';
import { engineId } from './task-id.ts';
import type { Tunnels } from './tunnel.ts';
import type { Turns } from './turns.ts';

/** What all connections of a listener share. */
export interface SwpServices {
  readonly context: ListenContext;
  readonly settings: SwpSettings;
  readonly turns: Turns;
  readonly tunnels: Tunnels;
}

export interface SwpCaller {
  readonly known: Authenticated;
  readonly peer: PeerFacts;
}

/** So many Tasks of one connection may be on their way to the store; beyond, nothing is read from it. */
const MAX_BEGINNING = 64;
/** So many messages may wait to go out; beyond, nothing is read that would bring more. */
const MAX_WAITING = 64;
/** Who does not take our end of the connection in time is cut off. */
const CLOSE_TIMEOUT_MS = 5_000;

export class SwpConnection {
  readonly #socket: Socket;
  readonly #services: SwpServices;
  readonly #caller: SwpCaller;
  readonly #reader: SwpFrameReader;
  readonly #inbound: Inbound;
  #frameTimer: NodeJS.Timeout | undefined;
  #drops = 0;
  #beginning = 0;
  #claim: HandshakeMessage | undefined;
  #outbox: Outbox | undefined;
  #desk: TaskDesk | undefined;
  #over: AbortController | undefined;
  #endsWhenIdle = false;
  #isClosed = false;

  constructor(socket: Socket, services: SwpServices, caller: SwpCaller) {
    this.#socket = socket;
    this.#services = services;
    this.#caller = caller;
    this.#reader = new SwpFrameReader(services.settings.sizes.maxFrameBytes);
    this.#inbound = new Inbound(services.settings);
    socket.on('data', this.#read);
    socket.on('end', this.#onEnd);
    socket.on('close', this.#onClose);
  }

  /** Takes nothing new; ends when what is in flight has ended. */
  drain(): void {
    this.#endsWhenIdle = true;
    this.#endIfIdle();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  readonly #read = (chunk: Uint8Array): void => {
    const wasInside = this.#reader.isInsideFrame;
    let count = 0;
    try {
      this.#reader.read(chunk, (body) => {
        count += 1;
        this.#take(body);
        return !this.#isClosed;
      });
    } catch (thrown) {
      if (!(thrown instanceof SwpRefusal)) throw thrown;
      this.#refuse('frame', thrown);
    }
    if (this.#isClosed) return;
    const isInside = this.#reader.isInsideFrame;
    // Octets that dribble in do not push the end out: only a new frame starts a new one.
    if (isInside !== wasInside || count > 0) {
      this.#watchFrame(isInside && !this.#socket.isPaused());
    }
  };

  readonly #onEnd = (): void => {
    if (this.#isClosed) return;
    if (this.#reader.isInsideFrame) {
      this.#refuse('frame', new SwpRefusal('INVALID_FRAME', 'the connection ended in a frame'));
    } else {
      // The other end may still read: what it asked for is told first.
      this.drain();
    }
  };

  readonly #onClose = (): void => {
    this.#isClosed = true;
    clearTimeout(this.#frameTimer);
    this.#over?.abort();
  };

  #take(body: Uint8Array): void {
    let incoming: Incoming | undefined;
    try {
      incoming = this.#inbound.read(body);
      this.#handle(incoming, body);
    } catch (thrown) {
      if (!(thrown instanceof SwpRefusal)) throw thrown;
      this.#refuse(incoming?.message.type ?? 'frame', thrown, incoming?.message);
    }
  }

  #handle({ message, msgId }: Incoming, body: Uint8Array): void {
    if (message.type === 'handshake') this.#meet(message);
    else if (message.type === 'task') this.#begin(message, toHex(msgId), body);
    else {
      const words = `${message.type === 'event' ? 'an Event' : 'a Result'} comes from who was given the Task`;
      throw invalid(words);
    }
  }

  #meet(claim: HandshakeMessage): void {
    const isFirst = this.#claim === undefined;
    if (!isFirst && this.#claim!.agentId !== claim.agentId) {
      throw invalid('the other end was somebody else a moment ago');
    }
    this.#claim = claim;
    if (isFirst) this.#send().push(() => this.#ownHandshake());
  }

  #ownHandshake(): HandshakeMessage {
    const { agentId, tools, contentTypes } = this.#services.context.about();
    const capabilities = [
      ...tools.map((name) => `tool:${name}`),
      ...contentTypes.map((name) => `ct:${name}`),
    ]
      .filter((capability) => Buffer.byteLength(capability) <= MAX_TEXT_BYTES)
      .slice(0, MAX_CAPABILITIES);
    return { type: 'handshake', agentId, capabilities };
  }

  #begin(given: TaskMessage, msgId: string, body: Uint8Array): void {
    // A task may last: what is kept of it must not keep all that came with it.
    const taskId = new Uint8Array(given.taskId);
    const task = { ...given, taskId, input: new Uint8Array(given.input) };
    const { turns, context } = this.#services;
    const { tenant, id: owner } = this.#caller.known.principal;
    const id = engineId(task.taskId);
    const key = JSON.stringify([tenant, owner, id]);
    this.#beginning += 1;
    if (!this.#hasRoom()) this.#pause();
    const desk = (this.#desk ??= this.#newDesk());
    const begun = turns.take(key, () =>
      desk.begin({ task, id, key, msgId, body, claim: this.#claim }).catch((thrown: unknown) => {
        if (thrown instanceof SwpRefusal) this.#refuse('task', thrown, task);
        else context.onError(thrown);
      }),
    );
    void begun.then(() => {
      this.#beginning -= 1;
      this.#onProgress();
    });
  }

  #newDesk(): TaskDesk {
    const { known, peer } = this.#caller;
    const { context, settings, tunnels } = this.#services;
    this.#over = new AbortController();
    const { signal } = this.#over;
    // Every stream of every task listens to it.
    setMaxListeners(0, signal);
    const { agentId } = context.about();
    const call: CallContext = { ...known, face: FACE, agentId, signal, now: settings.now };
    return new TaskDesk({
      call,
      peer,
      context,
      tunnels,
      outbox: this.#send(),
      onIdle: () => this.#endIfIdle(),
      onStop: () => this.drain(),
      onDisallowed: () => this.#close(),
    });
  }

  #send(): Outbox {
    const { settings } = this.#services;
    return (this.#outbox ??= new Outbox(this.#socket, settings, () => this.#onProgress()));
  }

  #hasRoom(): boolean {
    return this.#beginning < MAX_BEGINNING && (this.#outbox?.waiting ?? 0) < MAX_WAITING;
  }

  /** A frame that is not read on cannot become complete: its time stands still. */
  #pause(): void {
    this.#socket.pause();
    this.#watchFrame(false);
  }

  #onProgress(): void {
    if (!this.#isClosed && this.#socket.isPaused() && this.#hasRoom()) {
      this.#socket.resume();
      this.#watchFrame(this.#reader.isInsideFrame);
    }
    this.#endIfIdle();
  }

  #refuse(operation: string, refusal: SwpRefusal, message?: SwpMessage): void {
    const { context, settings } = this.#services;
    const taskId =
      message === undefined || message.type === 'handshake' ? undefined : engineId(message.taskId);
    context.refused({
      face: FACE,
      operation,
      code: refusal.code,
      error: refusal.toSdlError(),
      from: this.#caller.known.principal.id,
      ...(taskId !== undefined && { taskId }),
    });
    this.#drops += 1;
    if (refusal.closes || this.#drops >= settings.maxDrops) this.#close();
  }

  #endIfIdle(): void {
    const isBusy =
      this.#beginning > 0 || this.#desk?.isBusy === true || this.#outbox?.isEmpty === false;
    if (this.#endsWhenIdle && !isBusy) this.#close();
  }

  /** What was written already still goes out; nothing more is read. */
  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#over?.abort();
    this.#watchFrame(false);
    this.#socket.off('data', this.#read).resume();
    const timer = setTimeout(() => this.destroy(), CLOSE_TIMEOUT_MS);
    this.#socket.once('close', () => clearTimeout(timer));
    this.#socket.destroySoon();
  }

  #watchFrame(isRunning: boolean): void {
    clearTimeout(this.#frameTimer);
    this.#frameTimer = undefined;
    if (!isRunning) return;
    const { frameTimeoutMs } = this.#services.settings;
    this.#frameTimer = setTimeout(() => {
      this.#refuse('frame', new SwpRefusal('INVALID_FRAME', 'a frame stayed incomplete'));
    }, frameTimeoutMs);
  }
}
