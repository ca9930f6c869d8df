import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import type { Listener } from '../../../src/transport.ts';
import type { IpcOptions } from '../../../transports/ipc/index.ts';
import { ipc } from '../../../transports/ipc/index.ts';
import { all, contextFor, echo, outbound } from '../../support/agents/exchanges.ts';

const limits = DEFAULT_LIMITS;
const listeners: Listener[] = [];
let folder = '';
let path = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ipc-'));
  path = join(folder, 'agent.sock');
});
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.close(0)));
  await rm(folder, { recursive: true });
});

async function listen(options: IpcOptions): Promise<Listener> {
  const listener = await ipc(options).listen(contextFor(echo), []);
  listeners.push(listener);
  return listener;
}

/** A socket file whose process has gone without removing it. */
async function leaveStale(at: string): Promise<void> {
  const server = createServer();
  server.listen(`${at}.bound`);
  await once(server, 'listening');
  await rename(`${at}.bound`, at);
  server.close();
  await once(server, 'close');
}

describe('the file of a Unix socket #transport-ipc', () => {
  test('only its user may connect, whatever the umask is; nothing else is left in the folder', async () => {
    await listen({ path });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['agent.sock']);
  });

  test('another mode can be set', async () => {
    await listen({ path, mode: 0o660 });
    expect((await stat(path)).mode & 0o777).toBe(0o660);
  });

  test('a socket that nobody answers at is replaced', async () => {
    await leaveStale(path);
    expect((await stat(path)).isSocket()).toBe(true);
    await listen({ path });
    const connection = await ipc().dial(`ipc:${path}`, { limits });
    expect(await all(connection.exchange(outbound('a')))).toHaveLength(1);
    await connection.close();
  });

  test('a socket that somebody answers at is not', async () => {
    await listen({ path });
    await expect(listen({ path })).rejects.toThrow(/another process listens/);
    const connection = await ipc().dial(`ipc:${path}`, { limits });
    expect(await all(connection.exchange(outbound('a')))).toHaveLength(1);
    await connection.close();
    expect(await readdir(folder)).toEqual(['agent.sock']);
  });

  test('of two that start at once one listens', async () => {
    const results = await Promise.allSettled([listen({ path }), listen({ path })]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await readdir(folder)).toEqual(['agent.sock']);
  });

  test('a file that is no socket is never removed', async () => {
    await writeFile(path, 'precious');
    await expect(listen({ path })).rejects.toThrow(/not a socket/);
    expect(await readFile(path, 'utf8')).toBe('precious');
  });

  test('it is removed at the end, but not when another has taken its place', async () => {
    const first = await listen({ path });
    await first.close(0);
    expect(await readdir(folder)).toEqual([]);
    const second = await listen({ path });
    await rm(path);
    await writeFile(path, 'of somebody else');
    await second.close(0);
    expect(await readFile(path, 'utf8')).toBe('of somebody else');
  });

  test('a folder that is not there, or may not be written to, is an error', async () => {
    await expect(listen({ path: join(folder, 'none', 'a.sock') })).rejects.toThrow(/ENOENT/);
    if (process.getuid?.() === 0) return;
    await chmod(folder, 0o500);
    await expect(listen({ path })).rejects.toThrow(/EACCES/);
    await chmod(folder, 0o700);
  });

  test('a path that the system cannot hold is told before anything is made', async () => {
    await expect(listen({ path: join(folder, 'x'.repeat(108)) })).rejects.toThrow(
      /"path" expected at most 10\d bytes/,
    );
    expect(await readdir(folder)).toEqual([]);
  });

  test('a path with characters that addresses escape is reached by its address', async () => {
    const listener = await listen({ path: join(folder, 'a b#?%ü.sock') });
    expect(listener.urls[0]).toMatch(/\/a%20b%23%3F%25%C3%BC\.sock$/);
    const connection = await ipc().dial(listener.urls[0]!, { limits });
    expect(await all(connection.exchange(outbound('a')))).toHaveLength(1);
    await connection.close();
  });
});

describe('settings and addresses of IPC #transport-ipc', () => {
  test.each([
    [{ path: 'relative.sock' }, /"path"/],
    [{ path: '/a.sock', port: 1 }, /"path"/],
    [{ port: 1, host: '0.0.0.0' }, /"host"/],
    [{ port: 1, host: '192.168.0.1' }, /"host"/],
    [{ port: 1, host: '::' }, /"host"/],
    [{ port: 1, host: 'example.com' }, /"host"/],
    [{ host: '127.0.0.1' }, /"port"/],
    [{ port: 65_536 }, /"port"/],
    [{ path: '/a.sock', mode: 0o1777 }, /"mode"/],
    [{ frameTimeoutMs: 0 }, /"frameTimeoutMs"/],
    [{ idleTimeoutMs: Number.NaN }, /"idleTimeoutMs"/],
    [{ maxInFlight: 0 }, /"maxInFlight"/],
  ])('%j is refused', (options, words) => {
    expect(() => ipc(options)).toThrow(words);
  });

  test.each([
    'ipc:relative',
    'ipc://example.com:1',
    'ipc://10.0.0.1:1',
    'ipc://127.0.0.1',
    'ipc://127.0.0.1:1/path',
    'ipc:/a?b',
    'ipc:/a#b',
    'ipc:/%ff',
    'ipc:/a%00b',
    'http://127.0.0.1:1',
    'nothing',
  ])('the address %s is refused', async (url) => {
    await expect(ipc().dial(url, { limits })).rejects.toThrow(/"url"/);
  });

  test('without a place it only dials', async () => {
    await expect(ipc().listen(contextFor(echo), [])).rejects.toThrow(/"path" or "port"/);
  });
});
