// Starts a private PostgreSQL server from the binaries on this machine, on a Unix socket only.

import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { Client } from 'pg';

export interface PostgresServer {
  readonly url: string;
  /** Runs SQL as the operator would, beside the stores. */
  readonly run: (sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;
  /** Only of a private server. A crash kills all of its processes: the server recovers from its own log. */
  readonly restart: ((isCrash?: boolean) => Promise<void>) | undefined;
}

export interface PrivateServer extends PostgresServer {
  readonly stop: () => Promise<void>;
}

interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

interface Installation {
  readonly bin: string;
  readonly folder: string;
  readonly account: Account;
}

/** PostgreSQL refuses to run as root; undefined = there is nobody else to run it as. */
function accountOf(): Account | undefined {
  if (process.getuid?.() !== 0) return {};
  try {
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      Number(execFileSync('id', [flag, 'postgres'], { stdio: ['ignore', 'pipe', 'ignore'] })),
    ) as [number, number];
    return { uid, gid };
  } catch {
    return undefined;
  }
}

function binaries(): string | undefined {
  const versions = '/usr/lib/postgresql';
  const installed = existsSync(versions)
    ? readdirSync(versions)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(versions, version, 'bin'))
    : [];
  return [...(process.env['PATH'] ?? '').split(delimiter), ...installed].find((folder) =>
    ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))),
  );
}

async function start(
  { bin, folder, account }: Installation,
  settings: readonly string[],
): Promise<ChildProcess> {
  const child = spawn(
    join(bin, 'postgres'),
    ['-D', join(folder, 'data'), '-k', folder, '-h', '', '-c', 'max_connections=100', ...settings],
    { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  for await (const chunk of child.stderr as AsyncIterable<Uint8Array>) {
    log += String(chunk);
    if (log.includes('ready to accept connections')) break;
  }
  if (!log.includes('ready to accept connections')) {
    throw new Error(`PostgreSQL did not start:\n${log}`);
  }
  return child;
}

/** A process that was killed is gone only when the system has taken away what it had: until then no other can start. */
async function startAfter(
  installation: Installation,
  settings: readonly string[],
): Promise<ChildProcess> {
  const until = performance.now() + LONGEST_END_MS;
  for (;;) {
    try {
      return await start(installation, settings);
    } catch (thrown) {
      if (performance.now() > until || !String(thrown).includes('is still in use')) throw thrown;
      await new Promise((resolve) => void setTimeout(resolve, LOOK_EVERY_MS));
    }
  }
}

const LONGEST_END_MS = 30_000;
const LOOK_EVERY_MS = 50;

/** Lets it shut down. */
async function stop(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGINT');
  await exit;
}

/** With the processes that it has started: a new server waits until all of them are gone. */
async function crash(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  // Stopped first, so that it starts no more of them.
  child.kill('SIGSTOP');
  const started = processesOf(child.pid!);
  child.kill('SIGKILL');
  for (const pid of started) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has gone by itself.
    }
  }
  await exit;
}

function processesOf(parent: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const rows = table.split('\n').map((row) => row.trim().split(/\s+/).map(Number));
  return rows.flatMap(([pid, ppid]) => (ppid === parent ? [pid!] : []));
}

/** @returns undefined when there are no binaries, or nobody to run them as. Who starts it stops it. */
export async function startPostgres(
  settings: readonly string[] = [],
): Promise<PrivateServer | undefined> {
  const bin = binaries();
  const account = accountOf();
  if (bin === undefined || account === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'a2a-sdl-pg-'));
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid!);
  execFileSync(
    join(bin, 'initdb'),
    ['-D', join(folder, 'data'), '-U', 'a2a', '-A', 'trust', '-E', 'UTF8', '-N', '--no-locale'],
    { ...account, cwd: folder, stdio: 'ignore' },
  );
  const installation = { bin, folder, account };
  let child = await start(installation, settings);
  const onExit = (): void => void child.kill('SIGQUIT');
  process.once('exit', onExit);
  const url = `postgres://a2a@/postgres?host=${encodeURIComponent(folder)}`;
  return {
    url,
    run: runner(url),
    restart: async (isCrash = false) => {
      await (isCrash ? crash(child) : stop(child));
      child = await startAfter(installation, settings);
    },
    stop: async () => {
      await stop(child);
      process.off('exit', onExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function runner(url: string): PostgresServer['run'] {
  return async (sql, values) => {
    const client = new Client({ connectionString: url });
    // A server that goes between two statements is told of by the next one.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(sql, values)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
}
