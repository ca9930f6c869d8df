#!/usr/bin/env node
// Owns the start of the program: its real surroundings, and its exit code.

import { processIo } from './kit/process-io.ts';
import { main } from './program.ts';

const io = processIo();
const code = await main(process.argv.slice(2), io);
// What is still on its way to a pipe gets there first.
await io.flush();
// Exited, since a module of the user's may have left a timer or a socket behind that would keep the program alive.
process.exit(code);
