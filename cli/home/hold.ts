// Owns that one daemon at a time runs on a home: it listens at a socket there, at which it tells who it is. Nobody listens
// for a process that has ended, however it ended, so that a crash never leaves the home held.

import { once } from 'node:events';
import { link, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import type { Server } from 'node:net';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import type { JsonObject } from '../../src/codec/index.ts';
import { isJsonObject, readJson, writeJson } from '../../src/codec/index.ts';
import { failure } from '../kit/exit.ts';
import type { Home } from './home.ts';
import { preparePrivateFolder } from './private-folder.ts';

/** What a daemon tells of itself; `silent` is one that does not, although it lives. */
export interface DaemonStatus {
  readonly state: 'starting' | 'ready' | 'stopping' | 'silent';
  readonly pid?: number;
  readonly version?: string;
  /** The address of its socket. */
  readonly ipc?: string;
  /** Where it keeps what it knows, without secrets. */
  readonly store?: string;
  /** The file that records of tasks go to. */
  readonly evidence?: string;
  /** Whether its stores answered when it was asked. */
  readonly stores?: 'answer' | 'silent';
  /** The certificate that it shows, and until when that holds. */
  readonly tlsCert?: string;
  readonly tlsUntilMs?: number;
}

export interface HeldHome {
  /** What who asks is told from now on, and with it what is found out when somebody asks. */
  tell(status: DaemonStatus, find?: () => Promise<Partial<DaemonStatus>>): void;
  /** Another daemon may have the home then. */
  release(): Promise<void>;
}

const ANSWER_WITHIN_MS = 2_000;
/** A folder whose sockets have paths that fit everywhere. */
const MAX_FOLDER_BYTES = 80;
const NAME = /^daemon-(\d{1,15})\.sock$/;

/** Throws when a daemon runs on the home already. */
export async function holdHome(home: Home, first: DaemonStatus): Promise<HeldHome> {
  for (const folder of [home.root, home.run]) await preparePrivateFolder(folder);
  let status = first;
  let find: (() => Promise<Partial<DaemonStatus>>) | undefined;
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    void Promise.resolve(find?.()).then((found) => {
      // Who does not hang up must not keep the daemon from stopping.
      socket.end(writeJson({ ...status, ...found }), () => socket.destroy());
    });
  });
  await withShortPath(home.run, (folder) => take(server, folder, home));
  return {
    tell(next, findMore) {
      status = next;
      find = findMore;
    },
    async release() {
      server.close();
      await once(server, 'close');
    },
  };
}

/** What the daemon of this home says; `undefined` when none runs. */
export function askDaemon(
  home: Home,
  withinMs: number = ANSWER_WITHIN_MS,
): Promise<DaemonStatus | undefined> {
  return withShortPath(home.run, async (folder) => {
    const newest = Math.max(0, ...(await numbersIn(folder)));
    return newest === 0 ? undefined : ask(socketAt(folder, newest), withinMs);
  });
}

/**
 * The sockets in the folder are numbered, and who has the newest one has the home. To follow one that nobody listens at
 * any more is to make the next number, which one process alone can do; numbers never become smaller, because an older
 * one is removed only when there is a newer one. A socket appears in the folder when somebody listens at it.
 */
async function take(server: Server, folder: string, home: Home): Promise<void> {
  const nursery = await mkdtemp(join(folder, '.'));
  try {
    const birthplace = join(nursery, 's');
    server.listen(birthplace);
    await once(server, 'listening');
    for (;;) {
      const newest = Math.max(0, ...(await numbersIn(folder)));
      const other =
        newest === 0 ? undefined : await ask(socketAt(folder, newest), ANSWER_WITHIN_MS);
      if (other !== undefined) throw heldBy(other, home);
      if (await isMadeNewest(birthplace, folder, newest + 1)) return;
    }
  } catch (thrown) {
    server.close();
    throw thrown;
  } finally {
    await rm(nursery, { recursive: true });
  }
}

async function isMadeNewest(birthplace: string, folder: string, number: number): Promise<boolean> {
  try {
    await link(birthplace, socketAt(folder, number));
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
  const numbers = await numbersIn(folder);
  // Somebody was faster by more than one: this number was used, and removed, before.
  const isNewest = Math.max(...numbers) === number;
  const old = isNewest ? numbers.filter((other) => other < number) : [number];
  for (const one of old) await rm(socketAt(folder, one), { force: true });
  return isNewest;
}

async function numbersIn(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(() => []);
  return names.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number);
}

function socketAt(folder: string, number: number): string {
  return join(folder, `daemon-${number}.sock`);
}

async function ask(path: string, withinMs: number): Promise<DaemonStatus | undefined> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
  } catch (thrown) {
    socket.destroy();
    if (codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ECONNREFUSED') return undefined;
    throw thrown;
  }
  socket.setTimeout(withinMs, () => socket.destroy(new Error('no answer in time')));
  try {
    return statusOf(readJson(new TextEncoder().encode(await text(socket))) as JsonObject);
  } catch {
    // Whatever is wrong with it, it lives.
    return { state: 'silent' };
  } finally {
    socket.destroy();
  }
}

function statusOf(told: JsonObject): DaemonStatus {
  if (!isJsonObject(told) || typeof told['state'] !== 'string') return { state: 'silent' };
  return told as unknown as DaemonStatus;
}

function heldBy({ state, pid }: DaemonStatus, { root }: Home): Error {
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  const isStopping = state === 'stopping';
  return failure(
    isStopping
      ? `the daemon of ${root} (${who}) is still stopping`
      : `a daemon runs on ${root} already (${who})`,
    {
      code: 'HOME_IN_USE',
      next: isStopping
        ? 'start again when it has ended'
        : 'stop it, or give this one a home of its own with --home DIR',
    },
  );
}

/** Where the path of the folder is too long for that of a socket, it is reached through a link to it. */
async function withShortPath<T>(folder: string, use: (folder: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(folder) <= MAX_FOLDER_BYTES) return use(folder);
  const place = await mkdtemp(join(tmpdir(), 'a2a-sdl-'));
  try {
    const shortcut = join(place, 'run');
    await symlink(folder, shortcut);
    return await use(shortcut);
  } finally {
    await rm(place, { recursive: true });
  }
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
}
