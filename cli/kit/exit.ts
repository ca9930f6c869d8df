// Owns how a command ends: exit codes, and errors that say what to do next.

import type { JsonObject } from '../../src/codec/index.ts';

/** As the help of the program explains them. */
export const EXIT = { ok: 0, failed: 1, usage: 2, notEnded: 3, interrupted: 130 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The code for a file, or for stdin, of more bytes than are taken. */
export const INPUT_TOO_LARGE = 'INPUT_TOO_LARGE';

export interface CliErrorOptions {
  /** What the user can do now: a command to run, or a thing to change. */
  readonly next?: string;
  /** A command line to copy, which stands on a line of its own behind `next`. */
  readonly line?: string;
  /** For programs. @default "FAILED", for a usage error "USAGE", for a task that goes on "NOT_ENDED" */
  readonly code?: string;
  readonly cause?: unknown;
}

const CODES: Readonly<Record<number, string>> = {
  [EXIT.usage]: 'USAGE',
  [EXIT.notEnded]: 'NOT_ENDED',
};

/** An error of the command line. Its words are for the user. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly next: string | undefined;
  readonly line: string | undefined;

  constructor(exitCode: ExitCode, message: string, options: CliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = exitCode;
    this.code = options.code ?? CODES[exitCode] ?? 'FAILED';
    this.next = options.next;
    this.line = options.line;
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

/** The error as `--json` prints it. */
export function errorDocument({ code, message, next, line }: CliError): JsonObject {
  return {
    error: {
      code,
      message,
      ...(next !== undefined && { next }),
      ...(line !== undefined && { line }),
    },
  };
}
