// Owns daemons as real processes: started on a home of their own, watched, and gone when the tests of a file are over.

import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { JsonObject } from '../../../src/codec/value.ts';
import { parse } from '../wire/bytes.ts';

const ROOT = join(import.meta.dirname, '../../..');

export interface RunningDaemon {
  readonly pid: number;
  readonly agentId: string;
  readonly urls: Readonly<Record<'http' | 'ws' | 'ipc' | 'tcp', string>>;
  /** Of HTTP and WebSocket. */
  readonly port: number;
  /** What it has logged on stdout, the ready line first. */
  readonly log: () => readonly JsonObject[];
  /** Resolves with the first line of its log that fits. */
  readonly logged: (fits: (line: JsonObject) => boolean) => Promise<JsonObject>;
  /** What it has said on stderr. */
  readonly notes: () => string;
  /** Nobody reads its log any more: `gone`, or somebody who takes nothing: `stalled`. */
  readonly leaveLog: (how: 'gone' | 'stalled') => void;
  readonly signal: (name: NodeJS.Signals) => void;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  readonly isRunning: () => boolean;
  /** Memory that it holds. */
  readonly residentBytes: () => number;
}

const running = new Set<ChildProcessByStdio<null, Readable, Readable>>();
const folders: string[] = [];

/** A folder that is gone after {@link stopDaemons}. */
export function daemonFolder(): string {
  // Short: the path of a Unix socket has to fit.
  const folder = mkdtempSync(join(tmpdir(), 'd-'));
  folders.push(folder);
  return folder;
}

/** A file in a folder of its own. */
export function daemonFile(name: string, text: string): string {
  const path = join(daemonFolder(), name);
  writeFileSync(path, text, { mode: 0o700 });
  return path;
}

/** For `afterAll`. */
export async function stopDaemons(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }),
  );
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/**
 * Resolves when it accepts traffic.
 * @param main the program, if not this one
 */
export async function startDaemon(
  home: string,
  args: readonly string[] = [],
  main = 'cli/main.ts',
): Promise<RunningDaemon> {
  const listen = ['--http', '127.0.0.1:0', '--ipc-tcp', '127.0.0.1:0'];
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', main, 'serve', '--home', home, ...listen, '--json', ...args],
    { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  running.add(child);
  let notes = '';
  child.stderr.on('data', (chunk: Uint8Array) => (notes += new TextDecoder().decode(chunk)));
  const ended = (once(child, 'exit') as Promise<[number | null, string | null]>).then(
    ([code, signal]) => {
      running.delete(child);
      return { code, signal };
    },
  );
  const lines = createInterface({ input: child.stdout });
  const log: JsonObject[] = [];
  // A daemon that takes up tasks again says so before it is ready.
  const isReady = new Promise<JsonObject>((resolve) => {
    lines.on('line', (line) => {
      const entry = parse(line) as JsonObject;
      log.push(entry);
      if (entry['event'] === 'ready') resolve(entry);
    });
  });
  const ready = await Promise.race([
    isReady,
    ended.then(({ code }) => {
      throw new Error(`the daemon ended with exit code ${code}: ${notes}`);
    }),
  ]);
  const { pid } = child;
  const text = (name: string): string => ready[name] as string;
  return {
    pid: pid!,
    agentId: text('agent_id'),
    urls: { http: text('http'), ws: text('ws'), ipc: text('ipc'), tcp: text('ipc_tcp') },
    port: Number(new URL(text('http')).port),
    notes: () => notes,
    log: () => log,
    logged: async (fits) => {
      for (;;) {
        const found = log.find(fits);
        if (found !== undefined) return found;
        await once(lines, 'line');
      }
    },
    leaveLog: (how) => {
      if (how === 'gone') for (const stream of [child.stdout, child.stderr]) stream.destroy();
      else {
        lines.close();
        child.stdout.pause();
      }
    },
    signal: (name) => child.kill(name),
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    residentBytes: () => {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) * 1_024;
    },
  };
}
