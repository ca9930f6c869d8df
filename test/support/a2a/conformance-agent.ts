// Owns the conformance agent of the examples as a real process, on ports of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = join(import.meta.dirname, '../../..');
const MAIN = 'examples/conformance-agent/main.ts';
/** The entries of the package are its sources: no build is needed, and none that is old is run. */
const SOURCES = './test/support/repository/source-entries.mjs';
const START_MS = 60_000;

/** As it is printed. */
interface ReadyLine {
  readonly event: 'ready';
  readonly http: string;
  readonly card: string;
  readonly jsonrpc: string;
  readonly rest: string;
  /** Host and port. */
  readonly grpc?: string;
  readonly tokens: Readonly<Record<'user' | 'other' | 'insufficient', string>>;
}

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ConformanceAgent extends ReadyLine {
  /** Resolves when it has ended. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<Ended>;
}

interface Running {
  readonly lines: AsyncIterator<string>;
  readonly ended: Promise<Ended>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

function spawnAgent(args: readonly string[]): Running {
  const child = spawn(process.execPath, ['--import', 'tsx', '--import', SOURCES, MAIN, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = (once(child, 'close') as Promise<[number | null, string | null]>).then(
    ([code, signal]) => ({ code, signal, stdout, stderr }),
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { lines, ended, kill: (signal) => child.kill(signal) };
}

/** Resolves when it can be asked. */
export async function startConformanceAgent(...args: readonly string[]): Promise<ConformanceAgent> {
  const { lines, ended, kill } = spawnAgent(['--http', '127.0.0.1:0', ...args]);
  const timer = setTimeout(() => kill('SIGKILL'), START_MS);
  const { value, done } = await lines.next();
  clearTimeout(timer);
  if (done === true) throw new Error(`the agent did not start: ${(await ended).stderr}`);
  return {
    ...(JSON.parse(value) as ReadyLine),
    stop: (signal = 'SIGTERM') => {
      kill(signal);
      return ended;
    },
  };
}

/** For command lines that let it end by itself. */
export function runConformanceAgent(...args: readonly string[]): Promise<Ended> {
  return spawnAgent(args).ended;
}
