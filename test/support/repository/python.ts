// The machine's Python as a test peer. Suites skip with a line where it is missing; in CI it must be there.

import { spawnSync } from 'node:child_process';

const command = process.env['PYTHON'] ?? 'python3';

/** Is there a Python on which this statement runs? `needs` says in words what it asks for. */
export function hasPython(probe = 'import json', needs = ''): boolean {
  if (spawnSync(command, ['-c', probe]).status === 0) return true;
  const what = needs === '' ? command : `${command} with ${needs}`;
  if (process.env['CI'] === 'true') throw new Error(`CI needs ${what}`);
  console.log(`no ${what} on this machine: the comparison with it is skipped`);
  return false;
}

/** Runs a script with text on its standard input and answers its standard output. */
export function runPython(script: string, input: string): string {
  const run = spawnSync(command, ['-c', script], {
    input,
    encoding: 'utf8',
    maxBuffer: 268_435_456,
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
  });
  if (run.status !== 0) throw new Error(`Python failed: ${run.stderr}`);
  return run.stdout;
}
