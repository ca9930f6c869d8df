// Owns what the command line asks of its surroundings, so that a test can be them.

import type { Readable, Writable } from 'node:stream';

import type { TlsOptions } from '../../transports/http/index.ts';

/** A stream that may lead to a terminal. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };
export type Input = Readable & { readonly isTTY?: boolean };

/** The surroundings of one run. */
export interface CliIo {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How the user calls this program. @default "a2a-sdl" */
  readonly program?: string;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /**
   * Aborts when the user wants the command to stop. Asking for it is what makes an interrupt graceful: commands that
   * never ask end at once, as any program does.
   * @default a signal that never aborts
   */
  readonly interrupted?: () => AbortSignal;
  /** From now on the program goes on when nobody reads what it writes. @default it does so anyway */
  readonly outliveReaders?: () => void;
  /** @default real time */
  readonly wait?: Wait;
  /** The document at the well-known place of a server. @default over HTTP */
  readonly fetchAgentDocument?: FetchAgentDocument;
}

/** Resolves when the time is over, or when the signal aborts. */
export type Wait = (delayMs: number, signal: AbortSignal) => Promise<void>;

/** The bytes of the agent document that the server of this URL publishes; nothing of them is checked. */
export type FetchAgentDocument = (
  url: string,
  options?: { readonly tls?: TlsOptions },
) => Promise<Uint8Array>;
