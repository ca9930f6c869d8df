// The command line in this process: real homes, captured streams, a clock that stands still.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';

import { expect, onTestFinished } from 'vitest';

import { main } from '../../../cli/program.ts';
import type { CliIo, FetchAgentDocument, Wait } from '../../../cli/kit/streams.ts';
import type { JsonObject, JsonValue } from '../../../src/codec/value.ts';
import { parse } from '../wire/bytes.ts';

export const CLI_NOW: number = Date.UTC(2026, 5, 1);

export interface CliSetting {
  /** What stands on stdin. */
  readonly input?: string;
  /** All three streams are a terminal. */
  readonly isTerminal?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly nowMs?: number;
  readonly fetchAgentDocument?: FetchAgentDocument;
}

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stdoutBytes: Uint8Array;
  readonly stderr: string;
  /** stdout as one JSON value. */
  readonly json: () => JsonValue;
  /** The error that stderr holds with `--json`. */
  readonly error: () => JsonObject;
}

/** A folder of its own for each test, gone after it. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A path for a home that is not there yet. */
export function newCliHome(): string {
  return join(newFolder(), 'home');
}

/** A file with this text in a folder of its own. */
export function newFile(name: string, text: string, mode = 0o600): string {
  const path = join(newFolder(), name);
  writeFileSync(path, text, { mode });
  return path;
}

export async function runCli(
  args: readonly string[],
  { input = '', isTerminal = false, env = {}, nowMs = CLI_NOW, ...rest }: CliSetting = {},
): Promise<CliRun> {
  const stdout = new Capture(isTerminal);
  const stderr = new Capture(isTerminal);
  const stdin = Object.assign(new PassThrough(), { isTTY: isTerminal });
  stdin.end(input);
  const io: CliIo = { stdin, stdout, stderr, env, now: () => nowMs, ...rest };
  const code = await main(args, io);
  return {
    code,
    stdout: stdout.text(),
    stdoutBytes: stdout.bytes(),
    stderr: stderr.text(),
    json: () => parse(stdout.text()),
    error: () => (parse(stderr.text()) as JsonObject)['error'] as JsonObject,
  };
}

/** A command that goes on until it is interrupted, in real time, and what it shows meanwhile. */
export interface LiveCli {
  readonly code: Promise<number>;
  /** All that was shown, on both streams. */
  readonly text: () => string;
  readonly stdout: () => string;
  /** Resolves when this was shown. */
  readonly shown: (words: string) => Promise<void>;
  readonly interrupt: () => void;
}

export function liveCli(
  args: readonly string[],
  { isTerminal = false, wait }: { readonly isTerminal?: boolean; readonly wait?: Wait } = {},
): LiveCli {
  const interrupt = new AbortController();
  const [stdout, stderr] = [new Capture(isTerminal), new Capture(isTerminal)];
  const text = (): string => stdout.text() + stderr.text();
  const io: CliIo = {
    stdin: Object.assign(new PassThrough(), { isTTY: isTerminal }),
    stdout,
    stderr,
    env: {},
    interrupted: () => interrupt.signal,
    ...(wait !== undefined && { wait }),
  };
  return {
    code: main(args, io),
    text,
    stdout: () => stdout.text(),
    shown: (words) => expect.poll(text, { timeout: 20_000 }).toContain(words),
    interrupt: () => interrupt.abort(),
  };
}

/** A home with its two identities. */
export async function initHome(): Promise<string> {
  const home = newCliHome();
  const { code, stderr } = await runCli(['init', '--home', home]);
  if (code !== 0) throw new Error(stderr);
  return home;
}

class Capture extends Writable {
  readonly isTTY: boolean;
  readonly #chunks: Uint8Array[] = [];

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  bytes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#chunks));
  }

  text(): string {
    return new TextDecoder().decode(this.bytes());
  }
}
