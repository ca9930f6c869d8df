// Holes that were found in what strangers may cost before they prove anything: each test is what went wrong, by its number.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { afterEach, describe, expect, test } from 'vitest';

import { UnprovenRefusals } from '../../cli/serve/unproven.ts';
import { writeJson } from '../../src/codec/json/write.ts';
import type { JsonObject } from '../../src/codec/value.ts';
import type { CryptoProvider } from '../../src/crypto/provider.ts';
import { envelopeValue } from '../../src/envelope/encode.ts';
import { SdlError } from '../../src/errors.ts';
import { signingKeyOf } from '../../src/security/identity/own-identity.ts';
import { signEnvelope } from '../../src/security/message/sign.ts';
import type { CostKind } from '../../src/transport.ts';
import { writeFrame } from '../../src/transport.ts';
import { ipc } from '../../transports/ipc/index.ts';
import { ws } from '../../transports/ws/index.ts';
import { NOW, crypto, inboundOf, repliesOf } from '../support/agents/agents.ts';
import type { Receiver } from '../support/wire/forge.ts';
import { forge, newScene } from '../support/wire/forge.ts';
import {
  JUNK,
  closeStrangers,
  closed,
  knownPeerMs,
  lastBytes,
  maskedFrame,
  metric,
  opened,
  serveKnown,
  toClose,
  upgraded,
} from '../support/wire/strangers.ts';

afterEach(closeStrangers);

/** Lines that the daemon's log would have of it. */
function linesOf({ outcomes }: Receiver): number {
  let lines = 0;
  const unproven = new UnprovenRefusals(() => (lines += 1));
  for (const outcome of outcomes) if (unproven.isTold(outcome)) lines += 1;
  unproven.flush();
  return lines;
}

/**
 * Milliseconds that the process works while the known peer waits for one answer: how long the clock runs says more of who
 * else uses the machine.
 */
async function workedFor(served: Parameters<typeof knownPeerMs>[0]): Promise<number> {
  const before = process.cpuUsage();
  await knownPeerMs(served);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe('A10 junk #net-cost', () => {
  test('A10 20,000 junk messages on 3 WebSockets: closed with 1008, a known peer waits less than 200 ms', async () => {
    const served = await serveKnown({}, [ws()]);
    const quiet: number[] = [];
    for (let times = 0; times < 5; times += 1) quiet.push(await workedFor(served));
    const frame = maskedFrame(JUNK);
    // What is compiled by the way is no part of the attack.
    for (let times = 0; times < 200; times += 1) {
      await repliesOf(served.bob.runtime, inboundOf(Buffer.from(JUNK)));
    }
    served.bob.outcomes.length = 0;
    const sockets = await Promise.all([1, 2, 3].map(() => upgraded(served.port)));
    const ends = sockets.map(lastBytes);
    const piece = Buffer.concat(Array.from({ length: 6_667 }, () => frame));
    for (const socket of sockets) socket.write(piece);
    const worked: number[] = [];
    for (let times = 0; times < 5; times += 1) worked.push(await workedFor(served));
    const code1008 = Buffer.from([0x88, 2, 0x03, 0xf0]);
    expect(await Promise.all(ends)).toEqual([code1008, code1008, code1008]);
    expect(Math.max(...worked)).toBeLessThan(Math.max(200, 5 * Math.max(...quiet)));
    expect(linesOf(served.bob)).toBeLessThanOrEqual(50);
    expect(served.bob.outcomes.length).toBeLessThan(3_000);
    expect(served.bob.outcomes[0]).toMatchObject({ address: '127.0.0.1', isProven: false });
    // The three, and nobody else.
    expect(await metric(served, 'kind="junk",verdict="paused"')).toBe(3);
  });

  test('A10 a slower one is paused to the end of the second, then closed', async () => {
    const served = await serveKnown({}, [ws()]);
    const socket = new WebSocket(`ws://127.0.0.1:${served.port}/a2a`);
    toClose(() => socket.terminate());
    await once(socket, 'open');
    const code = once(socket, 'close') as Promise<[number]>;
    // Each waits for its answer: never more than one is on its way.
    let answered = 0;
    socket.on('message', () => {
      answered += 1;
      socket.send(JUNK);
    });
    socket.send(JUNK);
    expect((await code)[0]).toBe(1008);
    expect(answered).toBeGreaterThan(80);
    expect(answered).toBeLessThan(400);
    expect(await metric(served, 'kind="junk",verdict="closed"')).toBe(1);
  });

  test('A10 over IPC the connection is ended', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cost-'));
    toClose(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'socket');
    const served = await serveKnown({}, [ipc({ path })]);
    const socket = await opened(path);
    const frame = writeFrame(Buffer.from(JUNK));
    socket.on('data', () => socket.writable && socket.write(frame));
    socket.write(frame);
    await closed(socket);
    expect(served.bob.outcomes.length).toBeLessThan(500);
    expect(await metric(served, 'kind="junk",verdict="closed"')).toBe(1);
  });

  test('A10 over HTTP with keep-alive requests wait, then the connection is ended behind an answer', async () => {
    const served = await serveKnown();
    const socket = await opened(served.port);
    const asked =
      `POST /a2a HTTP/1.1\r\nHost: localhost:${served.port}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${JUNK.length}\r\n\r\n${JUNK}`;
    let said = '';
    socket.on('data', (chunk: Buffer) => {
      said = chunk.toString('latin1');
      if (socket.writable) socket.write(asked);
    });
    socket.write(asked);
    await closed(socket);
    expect(said.toLowerCase()).toContain('connection: close');
    expect(served.bob.outcomes.length).toBeLessThan(500);
    expect(await metric(served, 'kind="junk",verdict="closed"')).toBe(1);
  });

  test('A10 who has proven itself is not closed for others at its address', async () => {
    const served = await serveKnown({}, [ws()]);
    const { bob, alice, port } = served;
    const known = new WebSocket(`ws://127.0.0.1:${port}/a2a`);
    toClose(() => known.terminate());
    await once(known, 'open');
    const ping = async (): Promise<void> => {
      const payload = { call_id: 'c', tool: 'sys.ping', expect: {}, args: {} };
      known.send((await forge(alice, bob, { ct: 'toolcall.v1', payload })).bytes, {
        binary: false,
      });
      const [answer] = (await once(known, 'message')) as [Buffer];
      expect(String(answer)).toContain('toolresult.v1');
    };
    await ping();
    const others = Array.from({ length: 12 }, async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/a2a`);
      toClose(() => socket.terminate());
      await once(socket, 'open');
      const over = once(socket, 'close');
      for (let number = 0; number < 400; number += 1) socket.send(JUNK);
      socket.on('message', () => socket.send(JUNK));
      await over;
    });
    const all = Promise.all(others);
    for (let times = 0; times < 5; times += 1) await ping();
    await all;
    await ping();
    expect(known.readyState).toBe(known.OPEN);
  });
});

describe('L4 answers that come before the checks #admit-answers', () => {
  test('L4 are sealed once a second, and so are those to junk', async () => {
    let signatures = 0;
    const counting: CryptoProvider = {
      ...crypto,
      sign: (...args) => {
        signatures += 1;
        return crypto.sign(...args);
      },
    };
    const { bob } = await newScene({ crypto: counting });
    const context = await bob.runtime.listenContext();
    signatures = 0;
    for (let times = 0; times < 50; times += 1) {
      await context.refuse(new SdlError('ADDRESS_WRONG', 'the Host header names another host'));
    }
    expect(signatures).toBe(1);
    signatures = 0;
    for (let times = 0; times < 500; times += 1) {
      const [reply] = await repliesOf(bob.runtime, inboundOf(Buffer.from(JUNK)));
      expect(reply).toBeDefined();
    }
    expect(signatures).toBeLessThanOrEqual(33);
    bob.clock.nowMs += 1_000;
    signatures = 0;
    await context.refuse(new SdlError('ADDRESS_WRONG', 'the Host header names another host'));
    expect(signatures).toBe(1);
  });
});

describe('A13 signatures that do not hold #sec-canon #net-cost', () => {
  test('A13 cost one form where one is remembered, and bytes times forms are charged', async () => {
    let verified = 0;
    const counting: CryptoProvider = {
      ...crypto,
      verify: (...args) => {
        verified += 1;
        return crypto.verify(...args);
      },
    };
    const { bob, alice } = await newScene({ crypto: counting });
    const charged: [CostKind, number][] = [];
    const account = {
      isProven: false,
      countedAs: '192.0.2.1',
      charge: (kind: CostKind, units = 1) => charged.push([kind, units]),
      proven: () => undefined,
    };
    const peer = { transport: 'test', address: '192.0.2.1', account };
    const payload = {
      call_id: 'c',
      tool: 'sys.ping',
      expect: {},
      args: { padding: 'p'.repeat(100_000) },
    };
    const said = async (isGood: boolean): Promise<void> => {
      const { envelope } = await forge(alice, bob, { ct: 'toolcall.v1', payload });
      const message = envelopeValue(envelope) as JsonObject;
      const sec = message['sec'] as JsonObject;
      const blank = { ...message, sec: { ...sec, sig: { alg: 'ed25519', value: '' } } };
      const secret = signingKeyOf(alice, NOW).key.reveal();
      const signed = await signEnvelope(blank, 'cbor', secret, crypto);
      const bytes = writeJson({ ...signed.envelope, ...(!isGood && { id: 'another' }) });
      await repliesOf(bob.runtime, inboundOf(bytes, 'json', { peer }));
    };
    // Nothing is remembered: all forms are tried, the text of the message among them; and its key bundle is new.
    await said(false);
    expect(verified).toBe(3 + 1);
    expect(charged).toContainEqual(['bundle', 1]);
    const units = charged.find(([kind]) => kind === 'signature')![1];
    await said(true);
    verified = 0;
    await said(true);
    const good = verified;
    verified = 0;
    charged.length = 0;
    await said(false);
    expect(verified).toBe(good);
    expect(verified).toBe(1);
    expect(charged).toEqual([
      ['signature', units / 3],
      ['refusal', 1],
      ['bytes', units / 3 - 1],
    ]);
  });

  test('A13 a connection that brings them is paused, then closed', async () => {
    const served = await serveKnown({}, [ws()]);
    const { bob, alice, port } = served;
    const payload = {
      call_id: 'c',
      tool: 'sys.ping',
      expect: {},
      args: { padding: 'p'.repeat(400_000) },
    };
    const { bytes } = await forge(alice, bob, { ct: 'toolcall.v1', payload });
    const bad = String(Buffer.from(bytes)).replace('pppp', 'pppq');
    const socket = new WebSocket(`ws://127.0.0.1:${port}/a2a`);
    toClose(() => socket.terminate());
    await once(socket, 'open');
    const code = once(socket, 'close') as Promise<[number]>;
    socket.on('message', () => socket.send(bad));
    socket.send(bad);
    expect((await code)[0]).toBe(1008);
    // At most so many in each of the two seconds, of 25 pieces of 16 KiB each.
    expect(bob.outcomes.length).toBeLessThanOrEqual(12);
  });
});
