// Owns one run of a command: a process group that is gone when the run has ended, whatever it did.
// A process that leaves its group on purpose (setsid) is out of reach.

import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { ExecCommand } from './command.ts';
import { HAS_GROUPS, startCommand } from './start.ts';

/** How a command ended; `startError` when it never began. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly startError?: NodeJS.ErrnoException;
}

export interface ExecProcessOptions {
  readonly command: ExecCommand;
  readonly env: Readonly<Record<string, string>>;
  /** What the command reads; it may close its input early. */
  readonly input: Uint8Array;
  /** From asking the group to end to ending it. */
  readonly graceMs: number;
  /** Of the error output, what is kept: the last so many bytes. */
  readonly maxErrorBytes: number;
}

const running = new Set<ExecProcess>();

export class ExecProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #guard: ChildProcess | undefined;
  readonly #graceMs: number;
  readonly #ended: Promise<ProcessEnd>;
  readonly #errorPieces: Buffer[] = [];
  #errorBytes = 0;
  #hasExited = false;
  #killTimer: NodeJS.Timeout | undefined;

  constructor(options: ExecProcessOptions) {
    const { command, env, input, graceMs, maxErrorBytes } = options;
    this.#graceMs = graceMs;
    ({ child: this.#child, guard: this.#guard } = startCommand(command, env));
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', (startError: NodeJS.ErrnoException) => {
        // Other errors, such as a signal that could not be sent, are followed by an exit.
        if (this.#child.pid === undefined) resolve({ exitCode: null, signal: null, startError });
      });
      this.#child.once('exit', (exitCode, signal) => {
        this.#leave();
        // Its last words may still be in the pipe.
        void this.#closed(this.#child.stderr).then(() => resolve({ exitCode, signal }));
      });
    });
    if (this.#child.pid === undefined) return;
    enter(this);
    const { stdin, stdout, stderr } = this.#child;
    for (const stream of [stdin, stdout, stderr]) stream.on('error', ignore);
    stderr.on('data', (piece: Buffer) => this.#keepError(piece, maxErrorBytes));
    stdin.end(input);
  }

  /** Read at the reader's pace: a command that is faster waits. */
  async *output(): AsyncGenerator<Uint8Array, undefined> {
    if (this.#child.pid === undefined) return undefined;
    try {
      for await (const piece of this.#child.stdout) yield piece as Buffer;
    } catch (error) {
      // After its exit a command writes nothing any more, however its output came to an end.
      if (!this.#hasExited) throw error;
    }
    return undefined;
  }

  /** The last bytes of the error output. */
  get errorText(): string {
    return new TextDecoder().decode(Buffer.concat(this.#errorPieces));
  }

  /** Resolves when the command has ended; what it left behind in its group is then gone too. */
  get ended(): Promise<ProcessEnd> {
    return this.#ended;
  }

  /** Asks the group to end, and ends it after the grace. */
  stop(): void {
    if (this.#hasExited || this.#killTimer !== undefined) return;
    this.#signal('SIGTERM');
    this.#killTimer = setTimeout(() => this.kill(), this.#graceMs);
  }

  kill(): void {
    this.#signal('SIGKILL');
  }

  #leave(): void {
    this.#hasExited = true;
    clearTimeout(this.#killTimer);
    this.kill();
    running.delete(this);
    if (running.size === 0) process.off('exit', killAll);
    this.#guard?.kill('SIGKILL');
    void this.#closed(this.#child.stdout);
  }

  /** Someone outside the group may hold the other end for ever; what was written is still read, however slowly. */
  #closed(stream: Readable): Promise<void> {
    return new Promise((resolve) => {
      if (stream.closed) {
        resolve();
        return;
      }
      const timer = setInterval(() => {
        if (stream.readableLength === 0) stream.destroy();
      }, this.#graceMs);
      stream.once('close', () => {
        clearInterval(timer);
        resolve();
      });
    });
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    if (!HAS_GROUPS) {
      this.#child.kill(signal);
      return;
    }
    try {
      process.kill(-pid, signal);
    } catch {
      // Nobody is left in the group.
    }
  }

  #keepError(piece: Buffer, maxBytes: number): void {
    this.#errorPieces.push(piece);
    this.#errorBytes += piece.length;
    while (this.#errorBytes - this.#errorPieces[0]!.length >= maxBytes) {
      this.#errorBytes -= this.#errorPieces.shift()!.length;
    }
  }
}

function enter(started: ExecProcess): void {
  if (running.size === 0) process.on('exit', killAll);
  running.add(started);
}

function killAll(): void {
  for (const one of running) one.kill();
}

function ignore(): void {
  // A command may close any of its ends when it likes; how it ended is told by its exit.
}
