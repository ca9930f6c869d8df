// Proves that a way out tells an exchange whose time is over from one that its caller gave up.

import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Dialer } from '../../src/transport.ts';
import { TransportError, resolveLimits } from '../../src/transport.ts';
import { http } from '../../transports/http/index.ts';
import { ipc } from '../../transports/ipc/index.ts';
import { listen, stopServers } from '../support/wire/loopback-servers.ts';

afterEach(stopServers);

const WAYS = {
  http: async (): Promise<[Dialer, string]> => {
    const { port } = await listen(createHttpServer(() => {}));
    return [http(), `http://127.0.0.1:${port}/a2a`];
  },
  ipc: async (): Promise<[Dialer, string]> => {
    const { port } = await listen(createServer((socket) => void socket.resume()));
    return [ipc(), `ipc://127.0.0.1:${port}`];
  },
};

describe.each(Object.entries(WAYS))('#errors-transport an exchange over %s', (_name, way) => {
  async function codeWith(signal: AbortSignal): Promise<string> {
    const [dialer, url] = await way();
    const connection = await dialer.dial(url, { limits: resolveLimits({}) });
    const request = { id: '1', spanId: '2', encoding: 'json', wantsStream: false } as const;
    const outbound = { ...request, bytes: new TextEncoder().encode('{}'), signal };
    try {
      for await (const answer of connection.exchange(outbound))
        throw new Error(`${answer.encoding} came`);
    } catch (thrown) {
      if (thrown instanceof TransportError) return thrown.code;
      throw thrown;
    } finally {
      await connection.close();
    }
    throw new Error('no end');
  }

  test('ends with its time', async () => {
    expect(await codeWith(AbortSignal.timeout(20))).toBe('TRANSPORT_TIMEOUT');
  });

  test('ends with its caller', async () => {
    const controller = new AbortController();
    setImmediate(() => controller.abort());
    expect(await codeWith(controller.signal)).toBe('TRANSPORT_ABORTED');
    expect(await codeWith(AbortSignal.abort())).toBe('TRANSPORT_ABORTED');
  });
});
