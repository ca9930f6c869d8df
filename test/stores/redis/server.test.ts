// What the Redis store demands of its server, and what becomes of calls while the server is away.

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import type { EntryStore } from '../../../src/stores/store.ts';
import { loadDriver } from '../../../stores/redis/driver.ts';
import type { RedisStoreOptions } from '../../../stores/redis/index.ts';
import { openRedisStore } from '../../../stores/redis/index.ts';
import { bytes, range } from '../../compliance/store/setup.ts';
import { serverProgram, startRedis } from '../../support/stores/redis.ts';

/** Opens a store and tells what it warned of. */
async function open(
  options: RedisStoreOptions,
): Promise<{ store: EntryStore; warnings: string[] }> {
  const warnings: string[] = [];
  const store = await openRedisStore({ onWarning: (words) => warnings.push(words), ...options });
  onTestFinished(() => store.close());
  return { store, warnings };
}

describe('the options of the Redis store', () => {
  test.each([
    ['url', { url: undefined as unknown as string }],
    ['url', { url: '' }],
    ['url', { url: 'http://user:secret@127.0.0.1' }],
    ['url', { url: 'redis://user:secret@:bad' }],
    ['url', { url: 'redis://user:secret@127.0.0.1/no-number' }],
    ['prefix', { url: 'redis://127.0.0.1', prefix: 'a:b' }],
    ['timeoutMs', { url: 'redis://127.0.0.1', timeoutMs: 0 }],
    ['clockMarginMs', { url: 'redis://127.0.0.1', clockMarginMs: -1 }],
  ])('a wrong %s is refused by name and never quoted', async (name, options) => {
    const thrown: unknown = await openRedisStore(options).catch((error: unknown) => error);
    expect(String(thrown)).toContain(`"${name}"`);
    expect((thrown as Error).cause).toBeUndefined();
    expect(String(thrown)).not.toContain('secret');
  });

  test('without the driver it says what to install', async () => {
    const loading = loadDriver(async () => Promise.reject(new Error('Cannot find package')));
    await expect(loading).rejects.toMatchObject({
      fault: 'unavailable',
      message: expect.stringContaining('npm install @redis/client') as string,
    });
  });

  test('a server that is not there fails at once', async () => {
    await expect(openRedisStore({ url: 'unix:///nowhere/socket' })).rejects.toMatchObject({
      fault: 'failed',
      message: expect.stringContaining('cannot be reached') as string,
    });
  });
});

describe.skipIf(serverProgram === undefined)('#replay a Redis that could forget', () => {
  test.each(['allkeys-lru', 'volatile-ttl'])('by eviction (%s) is refused', async (policy) => {
    const { url } = await startRedis('--maxmemory-policy', policy);
    await expect(open({ url })).rejects.toMatchObject({
      fault: 'unsafe',
      message: expect.stringMatching(`${policy}.*noeviction.*allowEviction`) as string,
    });
    const { warnings } = await open({ url, allowEviction: true });
    expect(warnings).toEqual([expect.stringContaining(policy)]);
  });

  test('by a restart is told, and one that could by a power failure too', async () => {
    const { url, command } = await startRedis();
    expect((await open({ url })).warnings).toEqual([]);
    await command('CONFIG', 'SET', 'appendfsync', 'everysec');
    expect((await open({ url })).warnings).toEqual([expect.stringContaining('power failure')]);
    await command('CONFIG', 'SET', 'appendonly', 'no');
    expect((await open({ url })).warnings).toEqual([expect.stringContaining('appendonly')]);
    const emit = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
    onTestFinished(() => emit.mockRestore());
    await (await openRedisStore({ url })).close();
    expect(emit.mock.calls).toEqual([[expect.stringContaining('appendonly')]]);
  });

  test('and that does not say so is told as well', async () => {
    const { urlOf, command } = await startRedis();
    const rights = ['on', '>secret', '~*', '+@all'];
    await command('ACL', 'SETUSER', 'blind', ...rights, '-info');
    await command('ACL', 'SETUSER', 'half', ...rights, '-config');
    const blind = await open({ url: urlOf('blind', 'secret') });
    expect(blind.warnings).toEqual([expect.stringContaining('may not run INFO')]);
    const half = await open({ url: urlOf('half', 'secret') });
    expect(half.warnings).toEqual([expect.stringContaining('may not run CONFIG GET')]);
    expect(await blind.store.add('s', 'k', { value: bytes() })).toBe(true);
    expect(await half.store.add('s', 'k', { value: bytes() })).toBe(false);
  });

  test('in a cluster is refused', async () => {
    const { url } = await startRedis('--cluster-enabled', 'yes');
    await expect(open({ url })).rejects.toMatchObject({
      fault: 'unsafe',
      message: expect.stringContaining('Cluster') as string,
    });
  });

  test('or that refuses the password, or holds data of a later version, says so', async () => {
    const { url, urlOf, command } = await startRedis();
    const wrong = await open({ url: urlOf('nobody', 'secret') }).catch((error: unknown) => error);
    expect(wrong).toMatchObject({ fault: 'failed', message: expect.stringMatching(/WRONGPASS/) });
    expect(String(wrong)).not.toContain('secret');
    await command('SET', 'a2a-sdl:format', '2');
    await expect(open({ url })).rejects.toMatchObject({ fault: 'newer' });
    expect((await open({ url, prefix: 'other' })).store).toBeDefined();
  });
});

describe.skipIf(serverProgram === undefined)('#replay a Redis that is full', () => {
  test('refuses to write, keeps what it has, and can be purged', async () => {
    const { url, command } = await startRedis();
    let now = Date.UTC(2026, 0, 1);
    const { store } = await open({ url, now: () => now });
    await store.put('s', 'kept', bytes(1), { index: { of: 'a' } });
    await store.put('s', 'old', bytes(2), { expiresAt: now + 1, index: { of: 'a' } });
    await command('CONFIG', 'SET', 'maxmemory', '1');
    for (const key of ['kept', 'new']) {
      await expect(store.put('s', key, bytes(3), { index: { of: 'b' } })).rejects.toMatchObject({
        fault: 'failed',
        message: expect.stringContaining('Redis is full') as string,
      });
    }
    expect((await store.get('s', 'kept'))?.value).toEqual(bytes(1));
    now += 1;
    expect(await store.purge()).toBe(1);
    expect(await store.count('s', { index: { of: 'a' } })).toBe(1);
    expect(await store.count('s', { index: { of: 'b' } })).toBe(0);
    expect((await store.delete('s', 'kept')).ok).toBe(true);
    await command('CONFIG', 'SET', 'maxmemory', '0');
    expect((await store.put('s', 'new', bytes(3))).ok).toBe(true);
  });
});

describe.skipIf(serverProgram === undefined)('an outage of Redis', () => {
  test('fails calls instead of holding them, and they work again after it', async () => {
    const { url, stop, start } = await startRedis();
    const { store } = await open({ url });
    await store.put('s', 'k', bytes(1));
    await stop();
    for (const _ of range(3)) {
      await expect(store.get('s', 'k')).rejects.toMatchObject({
        code: 'INTERNAL',
        fault: 'failed',
      });
      await expect(store.add('s', 'k2', { value: bytes() })).rejects.toMatchObject({
        fault: 'failed',
      });
    }
    await start();
    await vi.waitFor(() => store.get('s', 'k'), { timeout: 30_000 });
    expect((await store.get('s', 'k'))?.value).toEqual(bytes(1));
    // The server has forgotten the scripts; the store tells them again.
    expect(await store.add('s', 'k2', { value: bytes() })).toBe(true);
  });

  test('that is silence ends calls too: what hangs is given up and the connection replaced', async () => {
    const { url, pause, resume } = await startRedis();
    const { store } = await open({ url, timeoutMs: 1_000 });
    pause();
    const calls = range(20).map((at) => store.add('s', `k${at}`, { value: bytes() }));
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { fault: 'failed' } });
    }
    await expect(store.get('s', 'k0')).rejects.toMatchObject({ fault: 'failed' });
    await expect(openRedisStore({ url, timeoutMs: 1_000 })).rejects.toMatchObject({
      fault: 'failed',
    });
    resume();
    await vi.waitFor(() => store.count('s'), { timeout: 30_000 });
    expect((await store.put('s', 'after', bytes(1))).ok).toBe(true);
  });

  test('does not keep a store from closing', async () => {
    const { url, pause, resume, stop } = await startRedis();
    const first = await open({ url, timeoutMs: 1_000 });
    const second = await open({ url });
    pause();
    const call = first.store.get('s', 'k');
    await Promise.all([
      expect(call).rejects.toMatchObject({ fault: 'failed' }),
      first.store.close(),
    ]);
    await expect(first.store.get('s', 'k')).rejects.toMatchObject({ fault: 'closed' });
    resume();
    await stop();
    await second.store.close();
  });
});
