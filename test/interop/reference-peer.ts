// One process of the Python reference that asks and serves as it is told, by reference_peer.py.

import { execFile, spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import type { JsonObject, JsonValue } from '../../src/index.ts';
import { writeJson } from '../../src/codec/index.ts';
import { parse, textOf } from '../support/wire/bytes.ts';

const SCRIPT = fileURLToPath(new URL('reference_peer.py', import.meta.url));

export type Encoding = 'json' | 'cbor';
export type TransportName = 'http' | 'ws' | 'ipc';

/** How the reference signs: over canonical CBOR where cbor2 is installed, else over its JSON. */
export type ReferenceForm = 'json' | 'cbor';

export interface ReferenceKey {
  readonly public: string;
  readonly secret: string;
}

export interface ReferenceKeys {
  readonly sign: ReferenceKey;
  readonly enc: ReferenceKey;
}

/** What the reference found in an answer. */
export interface Judged {
  readonly ct: string;
  readonly mode: string;
  readonly from: string;
  readonly re: string | null;
  /** Its signature holds, judged by the reference; absent when there is none. */
  readonly verified?: boolean;
  /** In clear, numbers as Python writes them. */
  readonly payload: string;
  readonly sent_id?: string;
}

interface Waiting {
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (reason: Error) => void;
}

export class ReferencePeer {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #errors = '';

  constructor(python: string, { hasCbor }: { readonly hasCbor: boolean }) {
    this.#process = spawn(python, [SCRIPT, ...withoutCbor(hasCbor)]);
    this.#process.stderr.on('data', (chunk: Uint8Array) => {
      this.#errors += textOf(chunk);
    });
    // A process that is gone tells so by its exit.
    this.#process.stdin.on('error', () => {});
    createInterface(this.#process.stdout).on('line', (line) => this.#onLine(line));
    this.#process.on('exit', () => this.#failAll());
  }

  /** Does one of the operations of reference_peer.py. Fails with the words of the reference. */
  ask<T = JsonObject>(op: string, parts: JsonObject = {}): Promise<T> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: (answer) => resolve(answer as T), reject });
      this.#process.stdin.write(`${jsonText({ id, op, ...parts })}\n`);
    });
  }

  async stop(): Promise<void> {
    await end(this.#process);
  }

  #onLine(line: string): void {
    const { id, ok, failed } = parse(line) as { id: number; ok?: JsonObject; failed?: string };
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (ok === undefined) waiting?.reject(new Error(failed));
    else waiting?.resolve(ok);
  }

  #failAll(): void {
    for (const { reject } of this.#waiting.values()) {
      reject(new Error(`the reference ended: ${this.#errors}`));
    }
    this.#waiting.clear();
  }
}

/** Options of a command line; those that are `true` take no value. */
export type Flags = Readonly<Record<string, string | true>>;

/** A command of the reference's own command line: what it printed. */
export async function runReference(python: string, command: string, flags: Flags): Promise<string> {
  const words = [SCRIPT, 'cli', command, ...wordsOf(flags)];
  const { stdout } = await promisify(execFile)(python, words);
  return stdout;
}

export interface ReferenceServer {
  readonly stop: () => Promise<void>;
}

/** The reference's own `serve`, once it listens. */
export async function serveReference(
  python: string,
  { hasCbor }: { readonly hasCbor: boolean },
  flags: Flags,
): Promise<ReferenceServer> {
  const words = ['cli', 'serve', ...wordsOf(flags)];
  const child = spawn(python, ['-u', SCRIPT, ...withoutCbor(hasCbor), ...words]);
  let errors = '';
  child.stderr.on('data', (chunk: Uint8Array) => (errors += textOf(chunk)));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done === true || !first.value.startsWith('serving on')) {
    await end(child);
    throw new Error(`the reference does not serve: ${errors}`);
  }
  return { stop: () => end(child) };
}

function wordsOf(flags: Flags): string[] {
  return Object.entries(flags).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [`--${name}=${value}`],
  );
}

function withoutCbor(hasCbor: boolean): string[] {
  return hasCbor ? [] : ['--without-cbor'];
}

async function end(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

export function jsonText(value: JsonValue): string {
  return textOf(writeJson(value));
}
