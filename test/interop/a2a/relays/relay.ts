// Owns the process of a relay: a plain server of somebody else's SDK between the two ends. It has no key of theirs, and
// everything that it prints, stores and holds in memory can be searched.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { wordsInBytes, wordsInMemory } from './memory.ts';

export interface Relay {
  readonly origin: string;
  /** Where each of the words was found: `log`, `store` or `memory`. */
  findings(words: readonly string[]): Readonly<Record<string, readonly string[]>>;
  stop(): Promise<void>;
}

/** @param command the program and its script. */
export async function startRelay(command: readonly string[], agentSocket: string): Promise<Relay> {
  const [program = '', ...script] = command;
  const folder = mkdtempSync(join(tmpdir(), 'relay-'));
  const store = join(folder, 'tasks.jsonl');
  const child = spawn(program, [...script, agentSocket, store]);
  const ended = once(child, 'exit');
  let log = '';
  const isReady = new Promise<string>((resolve, reject) => {
    const heard = (text: string): void => {
      log += text;
      const [, origin] = /^ready (\S+)$/m.exec(log) ?? [];
      if (origin !== undefined) resolve(origin);
    };
    child.stdout.setEncoding('utf8').on('data', heard);
    child.stderr.setEncoding('utf8').on('data', heard);
    child.on('exit', () => reject(new Error(`the relay ended: ${log}`)));
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    origin: await isReady,
    findings: (words) => ({
      log: wordsInBytes(Buffer.from(log), words),
      store: wordsInBytes(existsSync(store) ? readFileSync(store) : Buffer.alloc(0), words),
      memory: wordsInMemory(child.pid!, words),
    }),
    stop,
  };
}
