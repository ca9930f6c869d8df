// Proves the SWP face over real sockets: who is let in, what closes a connection and what costs a message, and that
// nothing is sent faster than the other end takes.

import { once } from 'node:events';
import { statSync } from 'node:fs';
import { connect as connectTls } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { certificateHash } from '../../../profiles/auth/index.ts';
import { swp } from '../../../profiles/swp/index.ts';
import { readMetrics } from '../../support/wire/prometheus.ts';
import { openSwpAgent, socketPath } from '../../support/swp/agent.ts';
import { failed, frame, handshake, hex, task, textOf } from '../../support/swp/frames.ts';
import { RawConnection } from '../../support/swp/raw-connection.ts';
import { certificates } from '../../support/swp/secure.ts';

const PAYLOAD = 'INVALID_PROFILE_PAYLOAD';

describe('#swp-channel who is let in', () => {
  test('only loopback without TLS, and one place to listen', () => {
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.com']) {
      expect(() => swp({ port: 0, host })).toThrow('loopback');
    }
    expect(() => swp({})).toThrow('has to know where');
    expect(() => swp({ path: '/x', port: 1 })).toThrow('alone');
    expect(() => swp({ port: 0, framesPerSecond: -1 })).toThrow('framesPerSecond');
  });

  test('a Unix socket is for this user alone, and its caller is the operator', async () => {
    const path = socketPath();
    const { address } = await openSwpAgent(async ({ owner }) => owner, {
      face: { path },
      anonymous: [],
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const connection = await RawConnection.open(address);
    connection.send(frame(task('t', 'who')));
    expect(textOf((await connection.until('result'))[0]!.output)).toBe('~local:operator');
  });

  test('a client certificate proves who calls, and none proves nothing', async ({ skip }) => {
    const made = certificates();
    if (made === undefined) throw skip('openssl is missing');
    const { server, client } = made;
    const sha256 = certificateHash(client.cert);
    const { address, refused } = await openSwpAgent(
      async ({ owner, tenant }) => `${owner} ${tenant}`,
      {
        face: { tls: { ...server, ca: client.cert } },
        anonymous: [],
        entries: [
          {
            name: 'peer',
            tenant: 'north',
            proof: { scheme: 'certificate', certificate: { sha256 } },
          },
        ],
      },
    );
    const [host, port] = address.split(':');
    const open = (shown: object): RawConnection =>
      new RawConnection(connectTls({ host, port: Number(port), ca: server.cert, ...shown }));
    const known = open(client);
    await once(known.socket, 'secureConnect');
    known.send(frame(task('t', 'who')));
    expect(textOf((await known.until('result'))[0]!.output)).toBe(`~x509:${sha256} north`);
    known.socket.destroy();
    const silent = open({});
    silent.send(frame(task('t', 'who')));
    await silent.closed;
    expect((await refused(1))[0]).toMatchObject({
      refusal: 'SECURITY_POLICY',
      operation: 'connect',
    });
    expect(silent.frames).toEqual([]);
  });

  test('there is room for so many connections', async () => {
    const { address, refused } = await openSwpAgent(undefined, {
      face: { maxConnectionsPerAddress: 1 },
    });
    const first = await RawConnection.open(address);
    const second = await RawConnection.open(address);
    await second.closed;
    expect((await refused(1))[0]).toMatchObject({ refusal: 'RATE_LIMIT_EXCEEDED' });
    first.send(frame(task('t', 'work')));
    await first.until('result');
  });
});

describe('#swp-refusals what is refused', () => {
  const good = (): Uint8Array => frame(task('t', 'work'));
  const other = (change: object): Uint8Array => frame(task('t', 'work'), change);

  test.each([
    ['INVALID_FRAME', () => Buffer.from('00000000', 'hex')],
    ['INVALID_FRAME', () => Buffer.from('7fffffff', 'hex')],
    ['UNSUPPORTED_VERSION', () => other({ version: '2' })],
    ['UNKNOWN_PROFILE', () => other({ profile_id: '1' })],
    ['DUPLICATE_MSG_ID', () => Buffer.concat([1, 2].map(() => other({ msg_id: 'ab'.repeat(16) })))],
  ])('%s closes the connection, in the log, the counters and the audit', async (code, bytes) => {
    const { address, refused, runtime } = await openSwpAgent();
    const connection = await RawConnection.open(address);
    connection.send(bytes(), good());
    await connection.closed;
    expect((await refused(1))[0]).toMatchObject({
      refusal: code,
      from: '~none:swp',
      transport: 'swp',
    });
    const { metrics } = await runtime.listenContext();
    const counted = readMetrics(metrics()).get('a2a_sdl_face_refusals_total')!.samples;
    expect([...counted.keys()].join()).toContain(`code="${code}"`);
    const audit = (await runtime.audit())!;
    await expect
      .poll(async () => (await audit.verify()).size)
      .toBeGreaterThanOrEqual(code === 'DUPLICATE_MSG_ID' ? 2 : 1);
    // The next one is welcome.
    const next = await RawConnection.open(address);
    next.send(good());
    await next.until('result');
  });

  test('other refusals cost the message, and the 64th of them the connection', async () => {
    const { address, refusals } = await openSwpAgent();
    const connection = await RawConnection.open(address);
    for (let count = 0; count < 63; count += 1) connection.send(other({ msg_id: '00' }));
    connection.send(good());
    await connection.until('result');
    connection.send(frame(failed('t', 'x')), good());
    await connection.closed;
    expect(refusals()).toEqual([...Array(63).fill('INVALID_ENVELOPE'), PAYLOAD]);
    expect(connection.of('result')).toHaveLength(1);
  });

  test('a connection that ends in a frame, and a frame that stays incomplete', async () => {
    const { address, refused } = await openSwpAgent(undefined, { face: { frameTimeoutMs: 50 } });
    const cut = await RawConnection.open(address);
    cut.socket.end(good().subarray(0, 9));
    await cut.closed;
    const slow = await RawConnection.open(address);
    slow.send(good().subarray(0, 2));
    await slow.closed;
    expect((await refused(2)).map(({ refusal }) => refusal)).toEqual([
      'INVALID_FRAME',
      'INVALID_FRAME',
    ]);
  });

  test('who ends its side after asking is still told the Result', async () => {
    const { address } = await openSwpAgent();
    const connection = await RawConnection.open(address);
    connection.socket.end(good());
    await connection.closed;
    expect(connection.of('result')).toHaveLength(1);
  });

  test('#swp-handshake another agent_id later is refused, the same one is not answered twice', async () => {
    const { address, refused } = await openSwpAgent();
    const connection = await RawConnection.open(address);
    connection.send(frame(handshake('a')), frame(handshake('a', 'more')), frame(handshake('b')));
    await refused(1);
    connection.send(good());
    await connection.until('result');
    expect(connection.of('handshake')).toHaveLength(1);
  });
});

describe('#swp-pace how fast', () => {
  test('128 frames in a second are taken, the 129th closes', async () => {
    const { address, refused } = await openSwpAgent(undefined, {
      face: { peerFramesPerSecond: 0 },
    });
    const connection = await RawConnection.open(address);
    connection.send(...Array.from({ length: 128 }, (_, at) => frame(task(`t${at}`, 'work'))));
    await connection.until('result', 128);
    const fast = await RawConnection.open(address);
    fast.send(...Array.from({ length: 129 }, (_, at) => frame(task(`t${at}`, 'work'))));
    await fast.closed;
    expect((await refused(1)).map(({ refusal }) => refusal)).toEqual(['RATE_LIMIT_EXCEEDED']);
  });

  test('who asks again and again and reads nothing makes nobody hold the answers', async () => {
    const output = 'x'.repeat(500_000);
    const { address, outcomes } = await openSwpAgent(async () => output, {
      face: { framesPerSecond: 0, peerFramesPerSecond: 0 },
    });
    const connection = await RawConnection.open(address);
    connection.send(frame(task('t', 'work')));
    await connection.until('result');
    connection.socket.pause();
    const started = (): number => outcomes.filter(({ operation }) => operation === 'start').length;
    connection.send(...Array.from({ length: 60 }, () => frame(task('t', 'work'))));
    await expect.poll(started).toBe(61);
    connection.socket.resume();
    connection.socket.end(frame(task('u', 'work')));
    await connection.closed;
    const again = connection.of('result').filter(({ task_id }) => task_id === hex('t'));
    expect(again.length).toBeGreaterThan(1);
    expect(again.length).toBeLessThan(40);
  });

  test('nothing more is read while too much waits to go out, and a frame that waits is not late', async () => {
    const { address, outcomes, refusals } = await openSwpAgent(async () => 'x'.repeat(500_000), {
      face: { framesPerSecond: 0, peerFramesPerSecond: 0, frameTimeoutMs: 200 },
      // All of it is kept: what waits is to be the only bound.
      runtime: { tasks: { maxHeldBytes: 2 ** 31 } },
    });
    const connection = await RawConnection.open(address);
    connection.socket.pause();
    const all = Array.from({ length: 200 }, (_, at) => frame(task(`t${at}`, 'work')));
    const started = (): number => outcomes.filter(({ operation }) => operation === 'start').length;
    connection.send(...all.slice(0, 120));
    await expect.poll(started, { timeout: 10_000 }).toBe(120);
    const told = (): number => outcomes.filter(({ operation }) => operation === 'follow').length;
    await expect.poll(told, { timeout: 10_000 }).toBe(120);
    connection.send(frame(task('more', 'work')));
    await expect.poll(started).toBeGreaterThan(120);
    const rest = Buffer.concat(all.slice(120));
    connection.send(rest.subarray(0, -5));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect([started(), refusals()]).toEqual([121, []]);
    connection.socket.resume();
    connection.send(rest.subarray(-5));
    await connection.until('result', 201);
    expect(refusals()).toEqual([]);
  });

  test('Results wait for their second and none is lost; Events are fewer and the newest', async () => {
    const { address } = await openSwpAgent(
      async function* work(_task, ctx) {
        for (let step = 0; step < 60; step += 1)
          yield ctx.artifact({ id: 'a', text: `${step} `, append: true });
      },
      { face: { peerFramesPerSecond: 20, framesPerSecond: 0 } },
    );
    const connection = await RawConnection.open(address);
    connection.send(...Array.from({ length: 30 }, (_, at) => frame(task(`t${at}`, 'work'))));
    await connection.until('result', 30);
    const results = connection.of('result');
    expect(new Set(results.map(({ task_id }) => task_id)).size).toBe(30);
    // As the sender says: both ends share the time of this process.
    const sent = connection.frames.map(({ envelope }) => Number(envelope!.ts_unix_ms));
    for (let at = 20; at < sent.length; at += 1) {
      expect(sent[at]! - sent[at - 20]!).toBeGreaterThanOrEqual(1_000);
    }
    const events = connection.of('event').length;
    expect(events).toBeGreaterThan(0);
    expect(events).toBeLessThan(30 * 60);
  });

  test('#swp-freshness a stale frame, and one without a time, close where times are judged', async () => {
    const now = 1_700_000_000_000;
    const { address, refused } = await openSwpAgent(undefined, {
      face: { freshnessMs: 1_000, now: () => now },
    });
    for (const [at, ts] of [now - 1_001, now + 1_001, 0].entries()) {
      const connection = await RawConnection.open(address);
      connection.send(frame(task('t', 'work'), { ts_unix_ms: String(ts) }));
      await connection.closed;
      expect((await refused(at + 1)).at(-1)).toMatchObject({ refusal: 'SECURITY_POLICY' });
    }
    const fresh = await RawConnection.open(address);
    fresh.send(frame(task('t', 'work'), { ts_unix_ms: String(now - 1_000) }));
    await fresh.until('result');
  });

  test('#swp-msg-id each frame of ours has sixteen octets of its own, and reuse by us is no matter', async () => {
    const { address } = await openSwpAgent();
    const connection = await RawConnection.open(address);
    connection.send(frame(handshake('a')), frame(task('t', 'one')), frame(task('u', 'two')));
    await connection.until('result', 2);
    const ids = connection.frames.map(({ envelope }) => envelope!.msg_id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toHaveLength(32);
    connection.send(frame(task('v', 'three'), { msg_id: ids[0]! }));
    await connection.until('result', 3);
  });
});
