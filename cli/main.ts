#!/usr/bin/env node
// Owns the start of the program: its real surroundings, and its exit code.

import { processIo } from './process-io.ts';
import { main } from './program.ts';

// Set, not exited with: what is still on its way to a pipe gets there.
process.exitCode = await main(process.argv.slice(2), processIo());
