// Owns the real surroundings of the program: the streams, the environment and the interrupts of the process.

import { relative } from 'node:path';

import { EXIT } from './exit.ts';
import { PROGRAM } from './help.ts';
import { shellWord } from '../home/private-folder.ts';
import type { CliIo } from './streams.ts';

export function processIo(): CliIo {
  endWithReader(process.stdout);
  endWithReader(process.stderr);
  process.on('SIGINT', endAtOnce);
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    program: programName(process.argv[1] ?? '', process.cwd()),
    interrupted: onInterrupt,
  };
}

/** A line to copy must work where it is copied to: in a clone of the repository there is no `a2a-sdl` on the path. */
function programName(script: string, folder: string): string {
  if (!script.endsWith('main.js')) return PROGRAM;
  const path = relative(folder, script);
  return `node ${shellWord(path.startsWith('..') ? script : path)}`;
}

/** `a2a-sdl peers list | head -1`: once nobody reads, there is nothing left to do. */
function endWithReader(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}

/** What a shell makes of a program that Ctrl-C has ended, also where a command has to end by itself. */
function endAtOnce(): void {
  process.exit(EXIT.interrupted);
}

/** The first interrupt lets the command come to its end; a second one does not wait for it. */
function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort();
    process.off('SIGINT', stop);
    process.on('SIGINT', endAtOnce);
    // From now on it does what it does to any program.
    process.off('SIGTERM', stop);
  };
  process.off('SIGINT', endAtOnce);
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return controller.signal;
}
