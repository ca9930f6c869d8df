// Owns the real surroundings of the program: the streams, the environment and the interrupts of the process.

import { relative } from 'node:path';
import { setTimeout as timer } from 'node:timers/promises';

import { EXIT } from './exit.ts';
import { PROGRAM } from './help.ts';
import { shellWord } from '../home/private-folder.ts';
import type { CliIo } from './streams.ts';

export interface ProcessIo extends CliIo {
  /** Resolves when all that was written has been taken, or when who outlives its readers has waited long enough. */
  flush(): Promise<void>;
}

/** How long a reader may take for the last lines of a program that does not depend on it. */
const LAST_LINES_MS = 1_000;

export function processIo(): ProcessIo {
  let outlivesReaders = false;
  const streams = [process.stdout, process.stderr];
  for (const stream of streams) onReaderGone(stream, () => !outlivesReaders);
  process.on('SIGINT', endAtOnce);
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    program: programName(process.argv[1] ?? '', process.cwd()),
    interrupted: onInterrupt,
    outliveReaders: () => {
      outlivesReaders = true;
    },
    flush: async () => {
      const taken = Promise.all(streams.map((stream) => flushed(stream)));
      if (outlivesReaders) await Promise.race([taken, timer(LAST_LINES_MS)]);
      else await taken;
    },
  };
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}

/** A line to copy must work where it is copied to: in a clone of the repository there is no `a2a-sdl` on the path. */
function programName(script: string, folder: string): string {
  if (!script.endsWith('main.js')) return PROGRAM;
  const path = relative(folder, script);
  return `node ${shellWord(path.startsWith('..') ? script : path)}`;
}

/** `a2a-sdl peers list | head -1`: once nobody reads, there is nothing left to do. */
function onReaderGone(stream: NodeJS.WriteStream, isTheEnd: () => boolean): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    const isGone = error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED';
    if (!isGone) throw error;
    if (isTheEnd()) process.exit();
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
