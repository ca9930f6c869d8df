// Owns how a command ends: exit codes, errors that say what to do next, and what other rooms' errors look like here.

import type { JsonObject } from '../../src/codec/index.ts';
import { SdlError } from '../../src/errors.ts';
import type { TransportFault } from '../../src/transport.ts';
import { TransportError } from '../../src/transport.ts';
import { StoreError } from '../../src/stores/index.ts';

/** 0: done. 1: refused or failed. 2: not called rightly. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export interface CliErrorOptions {
  /** What the user can do now: a command to run, or a thing to change. */
  readonly next?: string;
  /** For programs. @default "FAILED", for a usage error "USAGE" */
  readonly code?: string;
  readonly cause?: unknown;
}

/** An error of the command line. Its words are for the user. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly next: string | undefined;

  constructor(exitCode: ExitCode, message: string, options: CliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = exitCode;
    this.code = options.code ?? (exitCode === EXIT.usage ? 'USAGE' : 'FAILED');
    this.next = options.next;
  }
}

/** The command was not called rightly: exit code 2. */
export function usageError(message: string, next?: string): CliError {
  return new CliError(EXIT.usage, message, next === undefined ? {} : { next });
}

/** What was asked for was refused, or could not be done: exit code 1. */
export function failure(message: string, options: CliErrorOptions = {}): CliError {
  return new CliError(EXIT.failed, message, options);
}

const SYSTEM_ERRORS: Readonly<Record<string, readonly [words: string, next: string]>> = {
  ENOENT: ['there is no such file or folder', 'check the path'],
  EACCES: ['the system does not allow it', 'check who owns the file and its mode'],
  EPERM: ['the system does not allow it', 'check who owns the file and its mode'],
  EISDIR: ['it is a folder', 'name a file'],
  ENOTDIR: ['a part of its path is not a folder', 'check the path'],
  EEXIST: ['it is there already', 'choose another name, or move it away'],
  ENOSPC: ['the disk is full', 'make room and try again'],
  EROFS: ['the disk is read-only', 'choose another place'],
  EADDRINUSE: ['the address is in use', 'stop what listens there, or choose another port or path'],
  EADDRNOTAVAIL: ['the address is not one of this machine', 'choose another address'],
};

const TRANSPORT_NEXT: Readonly<Record<TransportFault, string>> = {
  unreachable: 'check the address, and that the agent runs',
  lost: 'try again; a request that arrived is not run twice',
  refused: 'check the address: what answers there is no a2a-sdl agent, or does not want to talk',
  timeout: 'try again, or allow more time',
  protocol: 'check the address: what answers there does not speak a2a-sdl',
  aborted: 'start it again',
};

/** The single place where whatever was thrown becomes an error for the user. */
export function toCliError(thrown: unknown): CliError {
  if (thrown instanceof CliError) return thrown;
  if (thrown instanceof StoreError) {
    return failure(thrown.reason, { code: `STORE_${thrown.fault.toUpperCase()}`, cause: thrown });
  }
  if (thrown instanceof SdlError) {
    // Key files fail as INTERNAL with words that say what mends them; a code would only stand in the way.
    const code = thrown.code === 'INTERNAL' ? 'FAILED' : thrown.code;
    return failure(thrown.reason, { code, cause: thrown });
  }
  if (thrown instanceof TransportError) {
    const { fault, code, message } = thrown;
    return failure(message, { code, next: TRANSPORT_NEXT[fault], cause: thrown });
  }
  return fromSystem(thrown) ?? unexpected(thrown);
}

function fromSystem(thrown: unknown): CliError | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { code, path, address, port } = thrown as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly port?: number;
  };
  const row = code === undefined ? undefined : SYSTEM_ERRORS[code];
  if (row === undefined || code === undefined) return undefined;
  const place = path ?? (address === undefined ? undefined : `${address}:${port ?? ''}`);
  const message = place === undefined ? row[0] : `${place}: ${row[0]}`;
  return failure(message, { code, next: row[1], cause: thrown });
}

function unexpected(thrown: unknown): CliError {
  const words = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return failure(`unexpected failure: ${words}`, {
    code: 'INTERNAL',
    next: 'this is a fault of a2a-sdl; please report it with the text above',
    cause: thrown,
  });
}

/** The error as `--json` prints it. */
export function errorDocument({ code, message, next }: CliError): JsonObject {
  return { error: { code, message, ...(next !== undefined && { next }) } };
}
