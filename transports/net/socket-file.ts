// Owns the file of a Unix socket: it is never open to more users than it should be, never takes another's place, and
// is removed only while it is ours. SPEC.md section 11 (#transport-ipc).

import { once } from 'node:events';
import type { Stats } from 'node:fs';
import { chmod, link, lstat, mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';

/** What `sun_path` holds, without the NUL behind it. */
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/**
 * Listens at `path` and answers what removes the file again.
 *
 * The socket is bound in a folder that only this user can enter and gets its mode there; only then does it appear at
 * its path, by a link, which fails when somebody was faster. Binding at the path itself would open it to all that the
 * process's umask allows until its mode is set; and Node removes whatever stands at the path that it bound.
 */
export async function listenAtPath(
  server: Server,
  path: string,
  mode: number,
): Promise<() => Promise<void>> {
  const folder = dirname(path);
  assertLength(path);
  await removeStale(path);
  const nursery = await mkdtemp(`${folder}/.`);
  try {
    const birthplace = join(nursery, 's');
    assertLength(birthplace);
    server.listen(birthplace);
    await once(server, 'listening');
    await chmod(birthplace, mode);
    const own = await lstat(birthplace);
    await link(birthplace, path);
    return async () => {
      const found = await statOf(path);
      if (found !== undefined && found.ino === own.ino && found.dev === own.dev) await rm(path);
    };
  } catch (thrown) {
    server.close();
    throw codeOf(thrown) === 'EEXIST' ? taken(path) : thrown;
  } finally {
    await rm(nursery, { recursive: true });
  }
}

function assertLength(path: string): void {
  const length = Buffer.byteLength(path);
  if (length > MAX_PATH_BYTES) {
    throw new RangeError(
      `"path" expected at most ${MAX_PATH_BYTES} bytes, ${length} are needed: choose a shorter folder or name`,
    );
  }
}

/** A process that was killed leaves its socket behind; one that answers is alive, and anything else is not ours. */
async function removeStale(path: string): Promise<void> {
  const found = await statOf(path);
  if (found === undefined) return;
  if (!found.isSocket()) {
    throw new Error(`"${path}" is not a socket, so it is not replaced: choose another path`);
  }
  const socket = connect(path);
  try {
    await once(socket, 'connect');
  } catch (thrown) {
    if (codeOf(thrown) === 'ECONNREFUSED') {
      await rm(path);
      return;
    }
    if (codeOf(thrown) === 'ENOENT') return;
    throw thrown;
  } finally {
    socket.destroy();
  }
  throw taken(path);
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

function taken(path: string): Error {
  return new Error(`another process listens at "${path}": stop it or choose another path`);
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
}
