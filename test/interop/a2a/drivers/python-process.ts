// One process of a Python client that is driven line by line, by lines.py.

import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { Json } from '../../../support/a2a/ask.ts';
import type { JsonObject } from '../client.ts';
import { Refused } from '../client.ts';

interface Waiting {
  readonly resolve: (answer: Json) => void;
  readonly reject: (reason: Error) => void;
}

interface Line {
  readonly id: number;
  readonly ok?: Json;
  readonly refused?: { readonly code: string; readonly words: string };
  readonly failed?: string;
}

export class PythonProcess {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #errors = '';

  /** @param script beside this folder. */
  constructor(python: string, script: string) {
    const path = fileURLToPath(new URL(`../${script}`, import.meta.url));
    // Nothing is left behind in the repository.
    this.#process = spawn(python, ['-B', path]);
    this.#process.stderr.setEncoding('utf8').on('data', (text: string) => (this.#errors += text));
    // A process that is gone tells so by its exit.
    this.#process.stdin.on('error', () => {});
    createInterface(this.#process.stdout).on('line', (line) =>
      this.#onLine(JSON.parse(line) as Line),
    );
    this.#process.on('exit', () => this.#failAll());
  }

  ask(op: string, parts: JsonObject): Promise<Json> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#process.stdin.write(`${JSON.stringify({ id, op, ...parts })}\n`);
    });
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }

  #onLine({ id, ok, refused, failed }: Line): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (ok !== undefined) waiting?.resolve(ok);
    else if (refused !== undefined) waiting?.reject(new Refused(refused.code, refused.words));
    else waiting?.reject(new Error(failed));
  }

  #failAll(): void {
    for (const { reject } of this.#waiting.values()) {
      reject(new Error(`the client ended: ${this.#errors}`));
    }
    this.#waiting.clear();
  }
}
