// Owns one call of gRPC as the face sees it: what came with it, its one message, and what goes back, never faster than
// the client reads. SPEC.md section 20 (#a2a-grpc).

import type { PeerFacts, Shown } from '../../../src/transport.ts';
import type { HttpHeaders } from '../../../transports/http/index.ts';
import type { Waits } from '../../../transports/net/waits.ts';
import type { Asking } from '../bindings/caller.ts';
import type { A2aError } from '../errors/a2a-error.ts';
import { refusal } from '../errors/a2a-error.ts';
import { FACE } from '../operations/send.ts';
import type { Grpc, Metadata, RawCall } from './package.ts';
import { refusedByGrpc } from './refused.ts';
import type { ToldStatus } from './status.ts';

export interface CallSettings {
  readonly grpc: Grpc;
  /** Of those whose request is not complete: {@link GrpcCall.giveUpReading} when it was long enough. */
  readonly incomplete: Waits<GrpcCall>;
  /** Of those that wait for their client: {@link GrpcCall.giveUpWriting} when it was long enough. */
  readonly stalled: Waits<GrpcCall>;
}

/** The metadata that is looked at, beside what proves who asks. */
const NAMES = ['a2a-version', 'a2a-extensions', 'x-a2a-extensions', 'last-event-id'] as const;
const DETAILS = 'grpc-status-details-bin';
const OK = { code: 0, details: '' };

type Words = Readonly<Record<string, string>>;

export class GrpcCall implements Asking {
  readonly peer: PeerFacts;
  readonly headers: HttpHeaders;
  readonly shown: Shown;
  /** Told of what the package refuses by itself. */
  onRefused: (error: A2aError) => void = ignore;
  readonly #raw: RawCall;
  readonly #settings: CallSettings;
  readonly #statusOf: (error: A2aError) => ToldStatus;
  readonly #sendStatus: RawCall['sendStatus'];
  /** Made for who asks for its signal: most never do. */
  #gone: AbortController | undefined;
  /** Why nobody waits for the answer any more. */
  #leftWith: Error | undefined;
  #message: Uint8Array | undefined;
  #settleRead: ((message: Uint8Array | A2aError | undefined) => void) | undefined;
  #settleWrite: ((fault?: A2aError) => void) | undefined;
  #hasStatus = false;

  /** Nothing of the message is read yet. */
  constructor(
    raw: RawCall,
    peer: PeerFacts,
    settings: CallSettings,
    statusOf: (error: A2aError) => ToldStatus,
  ) {
    this.#raw = raw;
    this.#settings = settings;
    this.#statusOf = statusOf;
    this.peer = peer;
    this.#sendStatus = raw.sendStatus.bind(raw);
    // What the package refuses has no details, and it takes the blame for bytes that are none of gRPC.
    raw.sendStatus = ({ code }) => {
      const error = refusedByGrpc(code);
      if (this.#hasStatus) return;
      this.onRefused(error);
      this.refuse(error);
      // What is still done for it is for nobody.
      this.#leave(error);
    };
    const received: Metadata[] = [];
    raw.start({
      onReceiveMetadata: (metadata) => received.push(metadata),
      onReceiveMessage: (message) => this.#onMessage(message),
      onReceiveHalfClose: () => this.#settleRead?.(this.#message ?? refusedByGrpc()),
      onCancel: () => this.#onOver(),
    });
    // It comes within `start`, or the call is over already.
    const [metadata] = received;
    if (metadata === undefined) this.#onOver();
    this.headers = headersOf(metadata);
    this.shown = shownOf(metadata, peer);
  }

  /** Aborts when the client has gone, or its time is over, before it had the answer. */
  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      this.#gone = new AbortController();
      if (this.#leftWith !== undefined) this.#gone.abort(this.#leftWith);
    }
    return this.#gone.signal;
  }

  /** The same, asked once. */
  get isGone(): boolean {
    return this.#leftWith !== undefined;
  }

  /** The message of the request; `undefined` when the client has gone. Throws an {@link A2aError}. */
  async read(): Promise<Uint8Array | undefined> {
    if (this.isGone) return undefined;
    const { incomplete } = this.#settings;
    incomplete.begin(this);
    const read = await new Promise<Uint8Array | A2aError | undefined>((resolve) => {
      this.#settleRead = resolve;
      this.#raw.startRead();
    });
    incomplete.stop(this);
    this.#settleRead = undefined;
    this.#message = undefined;
    if (read === undefined || read instanceof Uint8Array) return read;
    throw read;
  }

  /** What is said before the first message. */
  begin(words: Words): void {
    if (Object.keys(words).length > 0) this.#raw.sendMetadata(this.#metadataOf(words));
  }

  /** Resolves when the client has room for more, or has gone. Throws when it takes nothing for too long. */
  async write(message: Buffer): Promise<void> {
    if (this.isGone) return;
    await this.#taken(() => this.#raw.sendMessage(message, () => this.#settleWrite?.()));
  }

  /** All is said. @param words what is said behind it */
  end(words: Words = {}): void {
    this.#end({ ...OK, metadata: this.#metadataOf(words) });
  }

  /** The one message, and the end. Resolves when the client has taken it, or has gone. */
  async answer(message: Buffer, words: Words): Promise<void> {
    if (this.isGone) return;
    this.begin(words);
    await this.#taken(() => {
      this.#raw.sendMessage(message, () => this.#settleWrite?.());
      // Both go out together.
      this.#end(OK);
    });
  }

  refuse(error: A2aError, words: Words = {}): void {
    const { code, details, bytes } = this.#statusOf(error);
    const metadata = this.#metadataOf(words);
    metadata.set(DETAILS, bytes);
    this.#end({ code, details, metadata });
  }

  #end(status: Parameters<RawCall['sendStatus']>[0]): void {
    if (this.#hasStatus) return;
    this.#hasStatus = true;
    this.#sendStatus(status);
    this.onRefused = ignore;
  }

  #onMessage(message: Uint8Array): void {
    if (this.#message !== undefined) {
      this.#settleRead?.(refusedByGrpc());
      return;
    }
    this.#message = message;
    this.#raw.startRead();
  }

  /** After its status, or because the client has gone. */
  #onOver(): void {
    if (!this.#hasStatus) this.#leave(new Error('the client has gone'));
    this.#settleRead?.(undefined);
    this.#settleWrite?.();
  }

  /** The request took too long. */
  giveUpReading(): void {
    this.#settleRead?.(timeOver('the request is not complete in time'));
  }

  /** The client takes nothing for too long. */
  giveUpWriting(): void {
    this.#settleWrite?.(timeOver('nothing of the answer was taken in time'));
  }

  #leave(why: Error): void {
    if (this.#leftWith !== undefined) return;
    this.#leftWith = why;
    this.#gone?.abort(why);
  }

  #taken(send: () => void): Promise<void> {
    const { stalled } = this.#settings;
    return new Promise<void>((resolve, reject) => {
      stalled.begin(this);
      this.#settleWrite = (fault) => {
        stalled.stop(this);
        this.#settleWrite = undefined;
        if (fault === undefined) resolve();
        else reject(fault);
      };
      send();
    });
  }

  #metadataOf(words: Words): Metadata {
    const metadata = new this.#settings.grpc.Metadata();
    for (const name of Object.keys(words)) metadata.set(name, words[name]!);
    return metadata;
  }
}

function ignore(): void {}

function timeOver(words: string): A2aError {
  return refusal('DEADLINE_EXCEEDED', 'DEADLINE', words);
}

/** What came twice is joined, as in HTTP. */
function textOf(metadata: Metadata | undefined, name: string): string | undefined {
  const values = metadata?.get(name) ?? [];
  return values.length === 0 ? undefined : values.join(', ');
}

function headersOf(metadata: Metadata | undefined): HttpHeaders {
  const headers: Record<string, string | undefined> = Object.create(null);
  for (const name of NAMES) headers[name] = textOf(metadata, name);
  return headers;
}

function shownOf(metadata: Metadata | undefined, { address, certificate }: PeerFacts): Shown {
  const [authorization, apiKey] = [
    textOf(metadata, 'authorization'),
    textOf(metadata, 'x-api-key'),
  ];
  return {
    face: FACE,
    address,
    ...(authorization !== undefined && { authorization }),
    ...(apiKey !== undefined && { apiKey }),
    ...(certificate !== undefined && { certificate }),
  };
}
