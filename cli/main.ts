#!/usr/bin/env node
// Owns the start of the program: its real surroundings, and its exit code.

import { processIo } from './kit/process-io.ts';
import { main } from './program.ts';

const code = await main(process.argv.slice(2), processIo());
// What is still on its way to a pipe gets there first.
await Promise.all([process.stdout, process.stderr].map((stream) => flushed(stream)));
// Exited, since a module of the user's may have left a timer or a socket behind that would keep the program alive.
process.exit(code);

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}
