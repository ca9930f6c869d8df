// Owns what the transports with lasting connections have in common: a channel that carries whole messages both ways.
// SPEC.md section 11 (#transport-same, #transport-correlation).

import type { Encoding, SdlError } from '../../src/transport.ts';

export interface Message {
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
}

/**
 * Why this end closes. `done`: it needs the channel no more. `away`: it was idle, or stops. `busy`: it has too many
 * connections. `flood`: more came at once than can be messages. `failed`: an answer could not be given.
 */
export type CloseReason = 'done' | 'away' | 'busy' | 'flood' | 'failed';

export interface ChannelHandlers {
  onMessage(message: Message): void;
  /** What came is no message. Nothing more comes, but an answer may still be sent while the channel is open. */
  onInvalid(error: SdlError): void;
  /** Once, no matter who closed it. `how` is for the log; `isTooLarge`: the other end refused a message of ours for its size. */
  onClose(how: string, isTooLarge?: boolean): void;
}

export interface MessageChannel {
  readonly isOpen: boolean;
  /** Nothing is delivered before. */
  start(handlers: ChannelHandlers): void;
  /** Resolves when there is room for another message; rejects when the channel closes before. */
  send(message: Message): Promise<void>;
  /** Reads no more, so that the other end has to wait. Messages that were read already are still delivered. */
  pause(): void;
  resume(): void;
  /** Delivers what was sent, then closes. */
  close(reason: CloseReason): void;
  /** Closes at once. */
  destroy(): void;
}

/** A sender waits while more than this many bytes are sent but not yet taken by the other end. */
export const SEND_BUFFER_BYTES = 262_144;

/** How long the other end may take to close after it was asked to. Then the connection is cut. */
export const CLOSE_TIMEOUT_MS = 1_000;

/** An envelope in CBOR is a map. All else counts as JSON, so that its refusal is in JSON, which every peer can read. */
export function encodingOf([first = 0]: Uint8Array): Encoding {
  return first >= 0xa0 && first <= 0xbf ? 'cbor' : 'json';
}
