// Owns the process of an agent that somebody else's package makes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { ForeignServer } from '../../../support/a2a/js-servers.ts';

/** @param script beside this file. */
export async function startPythonAgent(python: string, script: string): Promise<ForeignServer> {
  const child = spawn(python, [fileURLToPath(new URL(script, import.meta.url))]);
  const ended = once(child, 'exit');
  let log = '';
  const origin = await new Promise<string>((resolve, reject) => {
    const heard = (text: string): void => {
      log += text;
      const [, ready] = /^ready (\S+)$/m.exec(log) ?? [];
      if (ready !== undefined) resolve(ready);
    };
    child.stdout.setEncoding('utf8').on('data', heard);
    child.stderr.setEncoding('utf8').on('data', heard);
    child.on('exit', () => reject(new Error(`the agent ended: ${log}`)));
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  return { origin, stop };
}
